"""`compile_context` from Python and `compile` on the command line."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skill_selector import CompiledContext, acompile_context, compile_context, select_skill
from skill_selector.cli import main
from skill_selector.graph.errors import ParameterError, SettingError

PARAMETERS = {"error_code": "GW-5021"}


@pytest.fixture(autouse=True)
def no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the encoder takes a second."""
    monkeypatch.setenv("SELECTOR_EMBEDDINGS", "none")


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    folder = tmp_path / "knowledge"
    folder.mkdir()
    (folder / "fix.md").write_text("# 处理\n\n## GW-5021\n\n解决：缩短 `keep_alive`，然后重启。\n", encoding="utf-8")
    (folder / "tea.md").write_text("# Tea\n\n## Tea\n\nWarm the pot.\n", encoding="utf-8")
    return folder


@pytest.fixture
def skills(skills_root: Path) -> Path:
    folder = skills_root / "diagnose"
    folder.mkdir()
    about = "Find the cause of an error of the gateway from its error code."
    (folder / "SKILL.md").write_text(f"---\nname: diagnose\ndescription: {about}\n---\n\nDo it.\n", encoding="utf-8")
    definition = {
        **{"id": "fault_finding.diagnose", "category": "fault_finding", "description": about},
        "input_schema": {
            "type": "object",
            "properties": {"error_code": {"type": "string"}, "depth": {"type": "integer", "default": 2}},
            "required": ["error_code"],
        },
    }
    (folder / "skill.json").write_text(json.dumps(definition), encoding="utf-8")
    return skills_root


def test_an_id_parameters_and_folders_give_a_context(knowledge: Path, skills: Path) -> None:
    made = compile_context("fault_finding.diagnose", PARAMETERS, knowledge=knowledge, skills=skills)
    assert isinstance(made, CompiledContext)
    assert "缩短 `keep_alive`" in made.prompt
    assert "Warm the pot" not in made.prompt
    assert made.parameters == {"error_code": "GW-5021", "depth": 2}
    assert [one["step"] for one in made.trace][-1] == "assemble"
    assert CompiledContext.from_dict(json.loads(json.dumps(made.to_dict()))) == made


async def test_the_async_call_gives_the_same(knowledge: Path, skills: Path) -> None:
    made = await acompile_context("diagnose", PARAMETERS, knowledge=str(knowledge), skills=[skills], context_budget=500)
    assert made.budget == 500
    assert "keep_alive" in made.prompt
    # and the sync one works inside a running loop
    assert compile_context("diagnose", PARAMETERS, knowledge=knowledge, skills=skills, context_budget=500).cached


def test_a_selection_brings_its_skill_and_folders(knowledge: Path, skills: Path) -> None:
    task = "Find the cause of the gateway's error GW-5021"
    selection = select_skill(task, skills, offline=True)
    assert selection.hit
    made = compile_context(selection, PARAMETERS, knowledge=knowledge, task=task)
    assert made.skill == "diagnose"


def test_bad_parameters_and_options_are_named(knowledge: Path, skills: Path) -> None:
    with pytest.raises(ParameterError, match="error_code"):
        compile_context("diagnose", {}, knowledge=knowledge, skills=skills)
    with pytest.raises(SettingError, match="did you mean context_budget"):
        compile_context("diagnose", PARAMETERS, knowledge=knowledge, skills=skills, context_budgets=1)
    with pytest.raises(SettingError, match="from 300"):
        compile_context("diagnose", PARAMETERS, knowledge=knowledge, skills=skills, context_budget=10)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


async def test_an_own_route_that_hangs_does_not_hold_the_async_call(
    knowledge: Path, skills: Path, gate: threading.Event
) -> None:
    def stuck(search: Any, request: Any) -> list[Any]:
        gate.wait(30)
        return []

    start = time.perf_counter()
    made = await acompile_context(
        "diagnose",
        PARAMETERS,
        knowledge=knowledge,
        skills=skills,
        routes={"stuck": stuck},
        strategies={"fault_finding": {"routes": {"error_codes": 0.6, "stuck": 0.4}}},
        route_timeout=0.2,
    )
    assert time.perf_counter() - start < 5
    assert made.degraded[0]["what"] == "route stuck"
    assert "keep_alive" in made.prompt


def command(knowledge: Path, skills: Path, *more: str) -> list[str]:
    return ["compile", "--skills", str(skills), "--knowledge", str(knowledge), *more]


def test_the_command_prints_the_prompt_and_says_what_was_left_out(
    knowledge: Path, skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--skill", "fault_finding.diagnose", "--params", json.dumps(PARAMETERS), "--task", "网关为什么报错")
    assert main(command(knowledge, skills, *given)) == 0
    shown = capsys.readouterr()
    assert "## 解决方案" in shown.out
    assert shown.out.rstrip().endswith("你的任务: 网关为什么报错")
    assert "1 pieces" in shown.err


def test_the_command_reads_parameters_from_a_file_and_prints_json(
    knowledge: Path, skills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps(PARAMETERS), encoding="utf-8-sig")
    given = ("--skill", "diagnose", "--params", f"@{file}", "--budget", "600", "--preference", "terse", "--json")
    assert main(command(knowledge, skills, *given)) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["budget"] == 600
    assert "short, dense" in made["prompt"]
    assert {"manifest", "conflicts", "degraded", "trace", "strategy", "tokens"} <= made.keys()


def test_without_a_skill_the_command_selects_first(
    knowledge: Path, skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--params", json.dumps(PARAMETERS), "--offline")
    assert main(command(knowledge, skills, *given, "--task", "find the cause of the gateway error GW-5021")) == 0
    assert "diagnose" in capsys.readouterr().err
    assert main(command(knowledge, skills, *given, "--task", "bake bread")) == 1
    shown = capsys.readouterr()
    assert (shown.out, "no skill was chosen" in shown.err) == ("", True)


def test_nothing_found_is_exit_status_1(skills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none").mkdir()
    given = ("--skill", "diagnose", "--params", json.dumps(PARAMETERS))
    assert main(command(tmp_path / "none", skills, *given)) == 1
    assert "holds nothing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--skill", "diagnose", "--params", "{"], "--params is no JSON"),
        (["--skill", "diagnose", "--params", "[1]"], "it must be an object"),
        (["--skill", "diagnose", "--params", "@/nowhere/p.json"], "check the path after @"),
        (["--skill", "diagnose", "--params", "{}"], "'error_code' is missing"),
        (["--params", "{}"], "add --task or --skill"),
        (["--skill", "diagnose", "--params", '{"error_code": "x"}', "--preference", "loud"], "one of none, terse"),
    ],
)
def test_mistakes_end_in_one_line(
    knowledge: Path, skills: Path, given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(knowledge, skills, *given)) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
