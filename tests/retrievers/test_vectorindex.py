import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from word_embeddings import WordEmbeddings

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import EmbedderError
from skill_selector.retrievers import vectorindex
from skill_selector.retrievers.embedder import Embedder
from skill_selector.retrievers.vectorindex import VectorIndex
from skill_selector.retrievers.vectors import SUFFIX

ROOT = "/skills"


def skill_of(name: str, description: str = "does things", root: str = ROOT) -> Skill:
    return Skill(id=name, name=name, description=description, path="", file="", root=root, digest=name)


def index_of(
    skills: Sequence[Skill], embeddings: WordEmbeddings, folder: Path | None = None, others: Sequence[Skill] = ()
) -> VectorIndex:
    return VectorIndex(skills, Embedder(embeddings), {ROOT: folder}, others)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectorindex, "BATCH", 4)


def test_each_distinct_text_is_embedded_once_whoever_has_it(tmp_path: Path) -> None:
    words = WordEmbeddings()
    skills = [skill_of(f"skill-{number % 7}") for number in range(21)]
    assert index_of(skills, words, tmp_path).complete() == 0
    assert sorted(words.documents) == sorted(set(words.documents))
    assert len(words.documents) == 7


def test_another_start_embeds_nothing_and_finds_the_same(tmp_path: Path) -> None:
    skills = [skill_of(f"skill-{number}", f"word{number} here") for number in range(10)]
    first, second = WordEmbeddings(), WordEmbeddings()
    made = index_of(skills, first, tmp_path)
    made.complete()
    found = index_of(list(reversed(skills)), second, tmp_path)
    found.complete()
    assert second.documents == []
    query = Embedder(first).queries(["word3"])
    assert np.array_equal(made.cosines(query), found.cosines(query)[::-1])
    assert int(made.cosines(query)[:, 0].argmax()) == 3


def test_an_edit_costs_one_text_and_the_others_stay(tmp_path: Path) -> None:
    skills = [skill_of(f"skill-{number}") for number in range(10)]
    index_of(skills, WordEmbeddings(), tmp_path).complete()
    words = WordEmbeddings()
    index_of([*skills[:4], skill_of("skill-4", "changed"), *skills[5:]], words, tmp_path).complete()
    assert words.documents == ["skill 4. changed"]


def test_vectors_of_another_embedder_are_not_taken_for_ones_own(tmp_path: Path) -> None:
    one, other = Embedder(WordEmbeddings("a")), Embedder(WordEmbeddings("b"))
    assert one.key != other.key
    assert one.key == Embedder(WordEmbeddings("a")).key


def test_more_missing_than_allowed_makes_none_and_says_how_many_skills_lack_one(tmp_path: Path) -> None:
    skills = [skill_of(f"skill-{number}") for number in range(10)]
    index_of(skills[:6], WordEmbeddings(), tmp_path).complete()
    words = WordEmbeddings()
    index = index_of([*skills, skills[9]], words, tmp_path)
    assert index.complete(most=3) == 5
    assert words.documents == []
    assert index.known.tolist() == [True] * 6 + [False] * 5
    cosines = index.cosines(Embedder(words).queries(["skill"]))
    assert np.isnan(cosines[6:]).all()
    assert not np.isnan(cosines[:6]).any()
    assert index.complete(most=4) == 0


def test_what_was_finished_before_a_failure_is_kept(tmp_path: Path) -> None:
    words = WordEmbeddings()
    words.fail_after = 9
    skills = [skill_of(f"skill-{number}") for number in range(12)]
    with pytest.raises(EmbedderError, match="ConnectionError: the endpoint does not answer"):
        index_of(skills, words, tmp_path).complete()
    assert len(words.documents) == 8
    again = WordEmbeddings()
    index_of(skills, again, tmp_path).complete()
    assert len(again.documents) == 4
    assert len(list(tmp_path.glob(f"*{SUFFIX}"))) == 1


def test_a_process_that_runs_on_sees_what_another_one_made(tmp_path: Path) -> None:
    skills = [skill_of(f"skill-{number}") for number in range(10)]
    waiting = index_of(skills, WordEmbeddings(), tmp_path)
    assert waiting.complete(most=0) == 10
    index_of(skills, WordEmbeddings(), tmp_path).complete()
    assert waiting.complete(most=0) == 0
    assert waiting.known.all()


def test_without_a_folder_vectors_live_in_memory() -> None:
    words = WordEmbeddings()
    index = index_of([skill_of("a"), skill_of("b")], words)
    assert index.complete() == 0
    assert index.complete() == 0
    assert len(words.documents) == 2
    assert index.similarity(0, 0) == pytest.approx(1)
    assert 0 < (index.similarity(0, 1) or 0) < 1


def test_vectors_of_skills_that_are_left_out_here_survive(tmp_path: Path) -> None:
    skills = [skill_of(f"skill-{number}") for number in range(9)]
    index_of(skills, WordEmbeddings(), tmp_path).complete()
    index_of([*skills[:2], skill_of("new")], WordEmbeddings(), tmp_path, skills[2:]).complete()
    words = WordEmbeddings()
    index_of(skills, words, tmp_path).complete()
    assert words.documents == []


def test_an_embedder_that_changed_its_length_under_one_name_is_asked_again(tmp_path: Path) -> None:
    skills = [skill_of(f"skill-{number}") for number in range(5)]
    index_of(skills, WordEmbeddings(dimension=16), tmp_path).complete()
    longer = WordEmbeddings(dimension=32)
    index = index_of(skills, longer, tmp_path)
    index.complete()
    assert np.isnan(index.cosines(Embedder(longer).queries(["skill"]))).all()
    assert index.complete() == 0
    assert len(longer.documents) == 5


def test_several_processes_at_once_end_with_every_vector(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_fill, args=(str(tmp_path),)) for _ in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join(60)
    assert [one.exitcode for one in workers] == [0, 0, 0]
    words = WordEmbeddings()
    index_of([skill_of(f"skill-{number}") for number in range(60)], words, tmp_path).complete()
    assert words.documents == []
    assert list(tmp_path.glob("*.tmp")) == []


def _fill(folder: str) -> None:
    vectorindex.BATCH = 4
    index_of([skill_of(f"skill-{number}") for number in range(60)], WordEmbeddings(), Path(folder)).complete()


@pytest.mark.skipif(os.name != "posix", reason="kills by a signal")
def test_a_process_killed_in_the_middle_leaves_its_finished_batches(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; sys.path[:0] = sys.argv[2:]\n"
        "from test_vectorindex import *\n"
        "class Slow(WordEmbeddings):\n"
        "    def embed_documents(self, texts):\n"
        "        time.sleep(0.05)\n"
        "        return super().embed_documents(texts)\n"
        "vectorindex.BATCH = 4\n"
        "index_of([skill_of(f'skill-{n}') for n in range(400)], Slow(), Path(sys.argv[1])).complete()\n"
    )
    here = Path(__file__).parent
    paths = [str(tmp_path), str(here), str(here.parent / "support")]
    process = subprocess.Popen([sys.executable, "-c", code, *paths])
    try:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob(f"*{SUFFIX}"))) < 3:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    words = WordEmbeddings()
    assert index_of([skill_of(f"skill-{number}") for number in range(400)], words, tmp_path).complete() == 0
    assert 0 < len(words.documents) <= 400 - 12
