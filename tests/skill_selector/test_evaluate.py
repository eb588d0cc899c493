"""`skill-selector evaluate` as people use it: what goes where, exit status, and what happens when it is stopped."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_selector import progress
from skill_selector.cli import main
from skill_selector.evaluation import plots

Output = tuple[int, str, str]
Evaluate = Callable[..., Output]

ROWS: list[dict[str, Any]] = [
    {
        "id": "a",
        "lang": "en",
        "kind": "match",
        "task": "merge two PDF files into one document",
        "gold": [["pdf-merge"]],
    },
    {"id": "b", "lang": "zh", "kind": "match", "task": "把会议录音整理成会议纪要", "gold": [["meeting-notes"]]},
    {"id": "c", "lang": "en", "kind": "none", "task": "tune my piano to 442 Hz", "gold": []},
]


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


@pytest.fixture
def evaluate(
    capsys: pytest.CaptureFixture[str], pdf_skills: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Evaluate:
    """Return a function that evaluates `ROWS` over `pdf_skills` and returns exit status, stdout and stderr."""

    def run(*arguments: str, rows: list[Any] = ROWS) -> Output:
        queries = write(tmp_path / "queries.jsonl", rows)
        status = main(["evaluate", "--skills", str(pdf_skills), "--queries", str(queries), "--offline", *arguments])
        return status, *capsys.readouterr()

    return run


def refused(output: Output, *words: str) -> None:
    status, out, err = output
    assert (status, out) == (2, "")
    assert err.startswith("skill-selector: ")
    assert "Traceback" not in err
    for word in words:
        assert word in err


def test_figures_are_a_table_on_stdout(evaluate: Evaluate) -> None:
    status, out, err = evaluate()
    assert status == 0
    rows = [line.split() for line in out.splitlines()]
    assert ["match", "hit@1", "1.000", "0.342", "to", "1.000", "2"] in rows
    assert ["all", "wrong_hit", "0.000", "0.000", "to", "0.561", "3"] in rows
    assert "ms a task" in err


def test_json_is_the_whole_result_and_nothing_else(evaluate: Evaluate) -> None:
    status, out, err = evaluate("--json", "--top-k", "2")
    result = json.loads(out)
    assert (status, err) == (0, "")
    assert result["tasks"] == 3
    assert result["figures"]["match/zh"]["hit@1"] == {
        "mean": 1.0,
        "low": pytest.approx(0.2065, abs=1e-4),
        "high": 1.0,
        "n": 1,
    }
    assert (result["settings"]["top_k"], result["settings"]["reasoner"]) == (2, "local")


def test_predictions_are_written_one_line_a_task(evaluate: Evaluate, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old", encoding="utf-8")
    assert evaluate("--predictions", str(path))[0] == 0
    made = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [one["id"] for one in made] == ["a", "b", "c"]
    assert set(made[0]) == {"id", "ranked", "outcome", "best", "top_score", "score_gap"}
    assert made[0]["ranked"][0] == "pdf-merge"


def test_the_report_is_a_page_in_the_folder(evaluate: Evaluate, tmp_path: Path) -> None:
    status, out, err = evaluate("--report", str(tmp_path / "report"))
    page = tmp_path / "report" / "index.html"
    assert (status, out.startswith("tasks")) == (0, True)
    assert f"the report is {page}" in err
    assert page.read_text(encoding="utf-8").count("<svg") == 3


def test_every_fault_of_the_file_is_named(evaluate: Evaluate) -> None:
    output = evaluate(rows=[ROWS[0], {**ROWS[0], "kind": "maybe"}, ROWS[0]])
    refused(output, "queries.jsonl has 2 faults", "line 2: kind is 'maybe'", "line 3: the id 'a'")


def test_gold_that_is_not_there_is_a_warning(evaluate: Evaluate) -> None:
    status, _, err = evaluate(rows=[*ROWS, {**ROWS[0], "id": "d", "gold": [["gone"]]}])
    assert status == 0
    assert "1 gold ids, of 1 tasks, are not in the catalogue: gone" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--processes", "0"), ["processes is '0'", "whole number"]),
        (("--concurrency", "many"), ["concurrency is 'many'"]),
        (("--strategy", "magic"), ["no strategy 'magic'"]),
        (("--predictions", "gone/out.jsonl"), ["gone/out.jsonl cannot be written", "make it first"]),
        (("--predictions", "."), [". is a folder"]),
        (("--queries", "gone.jsonl"), ["gone.jsonl cannot be read"]),
    ],
)
def test_a_mistake_is_one_clear_line(evaluate: Evaluate, arguments: tuple[str, ...], words: list[str]) -> None:
    output = evaluate(*arguments)
    refused(output, *words)
    assert output[2].count("\n") == 1


def test_a_report_without_matplotlib_is_refused_before_anything_runs(
    evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda _name: None)
    path = tmp_path / "out.jsonl"
    refused(evaluate("--report", "report", "--predictions", str(path)), "pip install 'skill-selector[report]'")
    assert not path.exists()


def test_progress_says_how_many_of_how_many(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PLAIN_INTERVAL", 0.0)
    assert "skill-selector: evaluating tasks: 2 of 3\n" in evaluate("--processes", "1")[2]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_ctrl_c_ends_everything_with_one_line(pdf_skills: Path, tmp_path: Path) -> None:
    rows = [{**ROWS[2], "id": str(number)} for number in range(20_000)]
    arguments = ["--skills", str(pdf_skills), "--queries", str(write(tmp_path / "queries.jsonl", rows)), "--offline"]
    running = subprocess.Popen(
        [sys.executable, "-m", "skill_selector", "evaluate", *arguments, "--processes", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a shell that started the tests in the background has switched Ctrl-C off
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    assert running.stderr
    with running:
        assert any("evaluating tasks" in line for line in running.stderr)
        os.killpg(running.pid, signal.SIGINT)
        # Both streams end only when the workers, who have them too, are gone.
        out, err = running.communicate(timeout=10)
    lines = [line for line in err.splitlines() if "evaluating tasks" not in line]
    assert (running.returncode, out, lines) == (130, "", ["skill-selector: stopped"])
