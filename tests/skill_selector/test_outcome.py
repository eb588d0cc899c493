import json
from pathlib import Path

import pytest

from skill_selector.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples" / "knowledge"


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.setenv("SELECTOR_EMBEDDINGS", "none")
    monkeypatch.setenv("SELECTOR_FEEDBACK_FILE", str(tmp_path / "feedback.sqlite"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    task = json.loads((EXAMPLES / "tasks.jsonl").read_text(encoding="utf-8").splitlines()[0])
    command = ["compile", "--skills", str(EXAMPLES / "skills"), "--knowledge", str(EXAMPLES / "base"), "--offline"]
    command += [
        "--skill",
        task["skill_id"],
        "--params",
        json.dumps(task["parameters"]),
        "--task",
        task["task"],
        "--json",
    ]
    assert main(command) == 0
    file = tmp_path / "context.json"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    return file


def test_an_outcome_is_counted_and_a_definition_comes_of_what_worked(
    compiled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        assert main(["outcome", str(compiled), "--worked", "--relevance", "5"]) == 0
    assert "data_query.generate_sql" in capsys.readouterr().err
    assert main(["define", "--from-runs", "data_query.generate_sql"]) == 0
    assert "table_schema" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [[], ["--relevance", "9"]])
def test_what_says_nothing_is_one_line_and_status_2(
    compiled: Path, wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["outcome", str(compiled), *wrong]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize("text", ["{}", "[1]", "no json"])
def test_a_file_without_a_compiled_context_is_one_line_and_status_2(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, encoding="utf-8")
    assert main(["outcome", str(file), "--worked"]) == 2
    assert "compile --json" in capsys.readouterr().err


def test_define_needs_a_folder_or_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["define"]) == 2
    assert "--from-runs" in capsys.readouterr().err
