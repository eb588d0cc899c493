import json
from pathlib import Path

import pytest

from skill_selector.agent.execution import Execution
from skill_selector.agent.log import open_log
from skill_selector.cli import main


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    file = str(tmp_path / "log.sqlite")
    monkeypatch.setenv("SELECTOR_LOG_FILE", file)
    for at, (tool, user) in enumerate((("查天气", "甲"), ("send_mail", "b"))):
        kept = Execution(
            tool_name=tool,
            args={"city": "北京\x1b[31m"},
            outcome="success",
            result="ok",
            user_id=user,
            timestamp=f"2026-01-0{at + 1}T00:00:00.000Z",
        )
        open_log(file=file).append(kept)
    return file


def test_executions_are_listed_latest_first(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["logs"]) == 0
    out = capsys.readouterr().out
    assert out.index("send_mail") < out.index("查天气")
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("arguments", "tools"),
    [
        (["--tool", "查天气"], ["查天气"]),
        (["--user", "b"], ["send_mail"]),
        (["--since", "2026-01-02T00:00:00Z"], ["send_mail"]),
        (["--limit", "1"], ["send_mail"]),
        (["--tool", "none"], []),
    ],
)
def test_executions_are_found_by_what_is_known_of_them(
    log: str, capsys: pytest.CaptureFixture[str], arguments: list[str], tools: list[str]
) -> None:
    assert main(["logs", "--json", *arguments]) == 0
    assert [one["tool_name"] for one in json.loads(capsys.readouterr().out)["executions"]] == tools


@pytest.mark.parametrize("wrong", [["--limit", "0"], ["--limit", "x"], ["--since", "yesterday"]])
def test_a_wrong_question_is_one_line_and_status_2(
    log: str, capsys: pytest.CaptureFixture[str], wrong: list[str]
) -> None:
    assert main(["logs", *wrong]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_log_that_is_not_there_is_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["logs", "--file", str(tmp_path / "none")]) == 0
    assert not (tmp_path / "none").exists()
    assert "no execution" in capsys.readouterr().err
