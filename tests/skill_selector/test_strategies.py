"""Every strategy through the whole graph, as a retriever, and from the command line; and feedback on skills."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from word_embeddings import WordEmbeddings

from skill_selector import (
    SelectorContext,
    SkillSelectorError,
    arecord_feedback,
    aselect_skill,
    list_feedback,
    record_feedback,
    select_skill,
    skill_retriever,
)
from skill_selector.catalog.scanner import scan
from skill_selector.cli import main
from skill_selector.feedback.place import open_feedback
from skill_selector.graph.errors import FeedbackError, SettingError
from skill_selector.retrievers.effectiveness import record_injection
from skill_selector.testing import ScriptedChatModel

WriteSkill = Callable[..., Path]

TASK = "deploy the app to production"


@pytest.fixture
def skills(write_skill: WriteSkill, skills_root: Path) -> Path:
    write_skill("deploy", "Deploy an app to production.", "First, build.", triggers="[deploy, production]")
    write_skill(
        "roll-back", "Undo what went to production.", triggers="[roll back, undo]", context="[Dockerfile, k8s/]"
    )
    write_skill("poems", "写诗", triggers="[写诗, ui]")
    return skills_root


def test_detect_selects_what_lies_over_one_half_and_at_most_three(skills: Path) -> None:
    found = select_skill(TASK, skills, strategy="detect", embeddings="none", offline=True)
    assert found.outcome == "hit"
    assert [one["id"] for one in found.selected] == ["deploy"]
    assert found.top_score == 100
    assert "2 of 2 found: deploy, production" in found.ranked[0]["reason"]
    nothing = select_skill("build a house", skills, strategy="detect", embeddings="none", offline=True)
    assert (nothing.outcome, nothing.selected) == ("no_match", [])


def test_exactly_one_half_is_not_over_it(write_skill: WriteSkill, skills_root: Path) -> None:
    write_skill("half", "x", triggers="[deploy, other]")
    found = select_skill(TASK, skills_root, strategy="detect", embeddings="none", offline=True)
    assert (found.top_score, found.outcome) == (50.0, "no_match")
    lower = select_skill(TASK, skills_root, strategy="detect", embeddings="none", offline=True, hit_threshold=49)
    assert lower.outcome == "hit"


def test_the_project_is_an_argument_and_no_setting_of_a_run(skills: Path, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "Dockerfile").write_text("", encoding="utf-8")
    options: dict[str, Any] = {"strategy": "detect", "embeddings": "none", "offline": True}
    found = select_skill("undo it", skills, project_directory=str(tmp_path / "app"), **options)
    [one] = [one for one in found.ranked if one["skill"]["id"] == "roll-back"]
    assert one["score"] == pytest.approx(100 * (0.4 * 0.5 + 0.2 * 0.5) / 0.6, abs=0.1)
    with pytest.raises(SkillSelectorError, match="project_directory"):
        SelectorContext.from_options({"project_directory": "/"})


async def test_strategies_that_read_no_analysis_call_no_model(skills: Path) -> None:
    model = ScriptedChatModel([])
    for strategy in ("detect", "template", "embedding"):
        found = await aselect_skill(TASK, skills, llm=model, strategy=strategy, embeddings=WordEmbeddings())
        assert found.outcome == "hit"
        assert sum(one["cost"]["calls"] for one in found.trace) == 0


def test_template_and_embedding_take_six_unless_told_otherwise(write_skill: WriteSkill, skills_root: Path) -> None:
    for at in range(9):
        write_skill(f"skill-{at}", f"Deploys app number{at} to production {'again ' * at}", f"body {at}")
    for strategy in ("template", "embedding"):
        options: dict[str, Any] = {"strategy": strategy, "offline": True}
        found = select_skill(TASK, skills_root, **options)
        assert len(found.selected) == 6 or (strategy == "embedding" and found.ranked[0]["copies"])
        assert len(select_skill(TASK, skills_root, top_k=2, **options).selected) == 2


def test_injections_and_feedback_move_a_skill_and_selecting_does_not(skills: Path) -> None:
    options: dict[str, Any] = {"strategy": "template", "offline": True}
    assert select_skill(TASK, skills, **options).best["id"] == "deploy"  # type: ignore[index]
    assert list_feedback() == []
    record_injection([scan(str(skills)).by_id["poems"]], open_feedback(None, _file()))
    record_feedback("poems", good=True, directories=skills, note="很好")
    found = select_skill(TASK, skills, **options)
    assert found.best is not None
    assert found.best["id"] == "poems"
    assert found.top_score == 60.0  # (1 + 2) / (1 + 4)
    assert "1 good of 1 injected, prior 4" in found.ranked[0]["reason"]
    exact = select_skill(TASK, skills, feedback_prior=0, **options)
    assert exact.top_score == 100.0


async def test_feedback_may_live_in_a_langgraph_store(skills: Path) -> None:
    store = InMemoryStore()
    made = await arecord_feedback("poems", good=True, directories=skills, feedback=store)
    assert (made["label"], made["good"], made["effectiveness"]) == ("poems", 1, 0.6)
    found = await aselect_skill(TASK, skills, strategy="template", offline=True, feedback=store)
    assert found.best is not None
    assert found.best["id"] == "poems"
    assert list_feedback() == []


def test_a_skill_that_is_none_or_several_is_refused(skills: Path, write_skill: WriteSkill) -> None:
    write_skill("a/twin", "One.")
    write_skill("b/twin", "Two.")
    with pytest.raises(FeedbackError, match=r"several skills: a/twin, b/twin"):
        record_feedback("twin", good=True, directories=skills)
    with pytest.raises(FeedbackError, match="did you mean deploy"):
        record_feedback("depoly", good=True, directories=skills)
    with pytest.raises(FeedbackError, match="--skills DIR"):
        record_feedback("deploy", good=True)
    record_feedback("deploy", good=True, directories=skills)
    assert record_feedback("deploy", good=False)["bad"] == 1


@pytest.mark.parametrize("strategy", ["react", "source", "detect", "template", "embedding"])
async def test_each_strategy_is_a_retriever(skills: Path, strategy: str) -> None:
    retriever = skill_retriever(skills, strategy=strategy, content="body")
    found = retriever.invoke(TASK)
    assert found
    assert "deploy" in {one.metadata["id"] for one in found}
    [one] = [one for one in found if one.metadata["id"] == "deploy"]
    assert one.page_content == "First, build."
    assert sum(one.metadata["routes"].values()) > 0
    assert [one.metadata["id"] for one in await retriever.ainvoke(TASK)] == [one.metadata["id"] for one in found]


def test_a_retriever_of_detect_returns_what_passes(skills: Path) -> None:
    retriever = skill_retriever(skills, strategy="detect", embeddings="none")
    assert [one.metadata["id"] for one in retriever.invoke(TASK)] == ["deploy"]
    assert retriever.invoke("build a house") == []


def test_a_strategy_of_a_file_runs_by_name(skills: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.yaml").write_text("words: {routes: {triggers: 1}, judge: score, threshold: 40}", encoding="utf-8")
    monkeypatch.setenv("SELECTOR_STRATEGIES_FILE", str(tmp_path / "own.yaml"))
    found = select_skill(TASK, skills, strategy="words", offline=True)
    assert (found.outcome, found.best and found.best["id"]) == ("hit", "deploy")
    with pytest.raises(SettingError, match="known are detect, embedding, react, source, template, words"):
        select_skill(TASK, skills, strategy="word", offline=True)


def test_the_command_counts_lists_exports_and_imports(
    skills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["feedback", *arguments])
        out, err = capsys.readouterr()
        return status, out, err

    assert run()[2] == "skill-selector: nothing was counted yet\n"
    status, out, _ = run("deploy", "--good", "--skills", str(skills), "--note", "worked", "--json")
    assert (status, json.loads(out)["good"]) == (0, 1)
    assert run("deploy", "--bad")[0] == 0
    assert "deploy" in run()[1]
    exported = run("--export")[1]
    assert json.loads(exported)["notes"][0]["comment"] == "worked"
    (tmp_path / "export.json").write_text(exported, encoding="utf-8")
    monkeypatch.setenv("SELECTOR_FEEDBACK_FILE", str(tmp_path / "other.sqlite"))
    assert run("--import", str(tmp_path / "export.json"))[0] == 0
    assert run("--import", str(tmp_path / "export.json"), "--add")[0] == 0
    [record] = json.loads(run("--json")[1])["records"]
    assert (record["good"], record["bad"]) == (2, 2)
    for wrong in (["deploy"], ["--good"], ["deploy", "--good", "--export"], ["--add"], ["--import", "nowhere.json"]):
        assert run(*wrong)[0] == 2


def _file() -> str:
    import os

    return os.environ["SELECTOR_FEEDBACK_FILE"]
