"""Outcomes of compiled contexts, from Python and on the command line."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from skill_selector import (
    CompiledContext,
    acompile_context,
    arecord_chunk,
    arecord_outcome,
    compile_context,
    record_chunk,
    record_outcome,
)
from skill_selector.cli import main
from skill_selector.feedback.place import open_feedback
from skill_selector.graph.errors import FeedbackError

TASK = "网关报 GW-5021，怎么处理？"
PARAMETERS = {"error_code": "GW-5021"}
SKILL = "fault_finding.diagnose"
FIX = "# 处理\n\n## GW-5021\n\n解决：缩短 `keep_alive`，然后重启网关。\n"
OTHER = "# Gateway\n\n## GW-5021 at night\n\nWait for the backup to end; GW-5021 goes away.\n"


@pytest.fixture(autouse=True)
def no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the encoder takes a second."""
    monkeypatch.setenv("SELECTOR_EMBEDDINGS", "none")


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    folder = tmp_path / "knowledge"
    folder.mkdir()
    for name, text in {"fix.md": FIX, "other.md": OTHER, "tea.md": "# Tea\n\nWarm the pot.\n"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def skills(skills_root: Path) -> Path:
    folder = skills_root / "diagnose"
    folder.mkdir()
    about = "Find the cause of an error of the gateway from its error code."
    (folder / "SKILL.md").write_text(f"---\nname: diagnose\ndescription: {about}\n---\n\nDo it.\n", encoding="utf-8")
    schema = {"type": "object", "properties": {"error_code": {"type": "string"}}}
    definition = {"id": SKILL, "category": "fault_finding", "description": about, "input_schema": schema}
    (folder / "skill.json").write_text(json.dumps(definition), encoding="utf-8")
    return skills_root


def compiled(knowledge: Path, skills: Path, **options: Any) -> CompiledContext:
    return compile_context(SKILL, PARAMETERS, knowledge=knowledge, skills=skills, task=TASK, **options)


def entry(context: CompiledContext, path: str) -> Any:
    return next(one for one in context.manifest if one.source.startswith(path))


def test_an_outcome_shifts_the_next_context_by_the_rule(knowledge: Path, skills: Path) -> None:
    before = compiled(knowledge, skills)
    assert {entry(before, path).kept for path in ("fix.md", "other.md")} == {True}
    assert compiled(knowledge, skills).cached
    other = entry(before, "other.md")
    for _ in range(4):
        made = record_outcome(before, worked=False, chunks=[other.chunk_id])
    assert [(one["bad"], one["weight"]) for one in made["chunks"]] == [(4, 0.75)]
    after = compiled(knowledge, skills)
    assert not after.cached
    assert entry(after, "other.md").weight == 0.75
    assert entry(after, "other.md").score == pytest.approx(0.75 * other.score, abs=1e-3)
    assert entry(after, "fix.md").score == entry(before, "fix.md").score
    # nothing of it with the shift off
    assert entry(compiled(knowledge, skills, feedback_shift=0), "other.md").score == other.score


def test_what_helped_goes_up_and_pushes_nothing_out(knowledge: Path, skills: Path) -> None:
    before = compiled(knowledge, skills)
    lower = min(before.kept, key=lambda one: one.score)
    for _ in range(50):
        record_outcome(before, worked=True, chunks=[lower.chunk_id])
    after = compiled(knowledge, skills)
    raised = next(one for one in after.manifest if one.chunk_id == lower.chunk_id)
    assert 1.4 < raised.weight <= 1.5
    assert raised.score > lower.score
    assert {one.chunk_id for one in after.kept} == {one.chunk_id for one in before.kept}


def test_a_scorer_of_ones_own_is_shifted_as_well(knowledge: Path, skills: Path) -> None:
    before = compiled(knowledge, skills, scorer=lambda query, texts: [0.5] * len(texts))
    record_outcome(before, worked=True, chunks=[entry(before, "other.md").chunk_id])
    after = compiled(knowledge, skills, scorer=lambda query, texts: [0.5] * len(texts))
    assert entry(after, "other.md").score == pytest.approx(1.1 * entry(before, "other.md").score, abs=1e-3)


def test_a_persons_scores_count_as_good_bad_or_neither(knowledge: Path, skills: Path) -> None:
    context = compiled(knowledge, skills)
    made = record_outcome(context, worked=True, relevance=5, completeness=1, usability=3, note="缺少回滚步骤")
    # the outcome and relevance; completeness is about what is missing
    assert {(one["good"], one["bad"]) for one in made["chunks"]} == {(2, 0)}
    assert (made["context"]["good"], made["context"]["bad"]) == (2, 1)
    notes = {one.key: one for one in open_feedback(None, _file()).notes("context")}
    assert {name: notes[name].score for name in ("relevance", "completeness", "usability")} == {
        **{"relevance": 5.0, "completeness": 1.0, "usability": 3.0}
    }
    assert notes["user"].comment == "缺少回滚步骤"


def _file() -> str:
    return os.environ["SELECTOR_FEEDBACK_FILE"]


@pytest.mark.parametrize(
    ("judged", "said"),
    [
        ({}, "nothing is judged"),
        ({"relevance": 6}, "relevance is 6"),
        ({"usability": True, "relevance": 0}, "relevance is 0, usability is True"),
        ({"worked": True, "chunks": ["nowhere"]}, "does not hold nowhere"),
    ],
)
def test_bad_judgements_are_named_and_nothing_is_counted(
    knowledge: Path, skills: Path, judged: dict[str, Any], said: str
) -> None:
    context = compiled(knowledge, skills)
    with pytest.raises(FeedbackError, match=said):
        record_outcome(context, **judged)
    assert open_feedback(None, _file()).records() == []


def test_an_empty_context_or_other_json_is_refused() -> None:
    with pytest.raises(FeedbackError, match="empty"):
        record_outcome(CompiledContext(prompt="", reason="no_skill"), worked=True)
    with pytest.raises(FeedbackError, match="no compiled context"):
        record_outcome({"manifest": [{"nothing": 1}], "prompt": "", "reason": "compiled"}, worked=True)


async def test_the_async_calls_do_the_same_with_a_langgraph_store(knowledge: Path, skills: Path) -> None:
    store = InMemoryStore()
    where: dict[str, Any] = {"knowledge": knowledge, "skills": skills, "task": TASK, "feedback": store}
    context = await acompile_context(SKILL, PARAMETERS, **where)
    fix = entry(context, "fix.md")
    await arecord_outcome(context.to_dict(), worked=True, feedback=store)
    made = await arecord_chunk(SKILL, fix.chunk_id, good=True, feedback=store)
    assert (made["good"], made["weight"]) == (2, pytest.approx(1 + 0.5 * 2 / 6, abs=1e-4))
    after = await acompile_context(SKILL, PARAMETERS, **where)
    assert entry(after, "fix.md").weight == made["weight"]
    # the settings' file knows nothing of it
    assert entry(compiled(knowledge, skills), "fix.md").weight == 1


def test_a_chunks_feedback_needs_both_ids() -> None:
    with pytest.raises(FeedbackError, match="skill's id and the chunk's"):
        record_chunk(SKILL, " ", good=True)


def test_the_command_takes_what_compile_printed(
    knowledge: Path, skills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ["compile", "--skills", str(skills), "--knowledge", str(knowledge), "--skill", SKILL, "--task", TASK]
    given += ["--params", json.dumps(PARAMETERS), "--json"]
    assert main(given) == 0
    printed = capsys.readouterr().out
    file = tmp_path / "context.json"
    file.write_text(printed, encoding="utf-8")
    assert main(["feedback", "--context", str(file), "--good", "--relevance", "4", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert {(one["good"], one["weight"]) for one in made["chunks"]} == {(2, 1.1667)}
    monkeypatch.setattr("sys.stdin", io.StringIO(printed))
    assert main(["feedback", "--context", "-", "--bad"]) == 0
    assert "fix.md" in capsys.readouterr().out
    chunk = made["chunks"][0]["names"][0].removeprefix(f"{SKILL} ")
    assert main(["feedback", SKILL, "--chunk", chunk, "--good", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["chunks"][0]["good"] == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--relevance", "4"], "add --context FILE"),
        (["--chunk", "x", "--good"], "feedback SKILL --chunk ID"),
        (["a.b", "--chunk", "x"], "add --good or --bad"),
        (["a.b", "--context", "x", "--good"], "leave out SKILL"),
        (["--context", "TEXT", "--good"], "no JSON"),
    ],
)
def test_the_command_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    text = tmp_path / "text.json"
    text.write_text("no json", encoding="utf-8")
    assert main(["feedback", *(str(text) if one == "TEXT" else one for one in given)]) == 2
    assert said in capsys.readouterr().err


def test_runs_that_worked_become_a_definition(
    knowledge: Path, skills: Path, capsys: pytest.CaptureFixture[str], write_skill: Any
) -> None:
    folder = write_skill("night-shift", "Find the cause of an error of the gateway at night. 夜间网关故障排查。")
    assert main(["define", str(folder), "--from-runs", "--offline"]) == 2
    assert "no run of" in capsys.readouterr().err
    for code, worked in (("GW-5021", True), ("GW-5022", True), ("GW-9999", False)):
        given = {"error_code": code, "minutes": 5} | ({} if worked else {"wrong": True})
        context = compile_context("night-shift", given, knowledge=knowledge, skills=skills, task="GW-5021 at night")
        record_outcome(context, worked=worked)
    assert main(["define", str(folder), "--from-runs", "--offline", "--json"]) == 0
    proposed = json.loads(capsys.readouterr().out)
    schema = proposed["definition"]["input_schema"]
    assert {name: one["type"] for name, one in schema["properties"].items()} == {
        **{"error_code": "string", "minutes": "integer"}
    }
    assert schema["required"] == ["error_code", "minutes"]
    assert proposed["origins"]["input_schema"] == "2 recorded runs that worked"
