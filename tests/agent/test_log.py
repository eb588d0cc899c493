import multiprocessing
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from skill_selector.agent.execution import Execution
from skill_selector.agent.log import ExecutionLog, SqliteExecutionLog, StoreExecutionLog
from skill_selector.graph.errors import ExecutionLogError, SettingError


@pytest.fixture(params=["file", "store"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> ExecutionLog:
    return (
        SqliteExecutionLog(tmp_path / "a" / "log.sqlite3")
        if request.param == "file"
        else StoreExecutionLog(InMemoryStore())
    )


def run(name: str, minute: int = 0, user: str | None = None) -> Execution:
    return Execution(
        tool_name=name,
        args={"城市": "北京"},
        outcome="success",
        user_id=user,
        timestamp=f"2024-12-15T06:{minute:02}:00.000Z",
    )


def test_what_was_kept_comes_back_whole_and_latest_first(log: ExecutionLog) -> None:
    first, second = run("a", 1), run("b", 2)
    log.append(second)
    log.append(first)
    assert log.read() == [second, first]


def test_an_empty_log_is_empty(log: ExecutionLog) -> None:
    assert log.read() == []


def test_entries_are_found_by_tool_user_and_time(log: ExecutionLog) -> None:
    for one in (run("a", 1, "x"), run("a", 2, "y"), run("b", 3, "x")):
        log.append(one)
    assert [one.user_id for one in log.read(tool_name="a")] == ["y", "x"]
    assert [one.tool_name for one in log.read(user="x")] == ["b", "a"]
    assert len(log.read(limit=1)) == 1
    assert [one.tool_name for one in log.read(since="2024-12-15T14:02:00+08:00")] == ["b", "a"]
    assert [one.tool_name for one in log.read(since=datetime(2024, 12, 15, 6, 3, tzinfo=UTC))] == ["b"]


def test_a_long_log_is_read_to_its_end(log: ExecutionLog) -> None:
    for at in range(450):
        log.append(run(f"t{at}", at % 60))
    assert len(log.read(limit=1000)) == 450


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": True}, {"since": "yesterday"}])
def test_a_wrong_question_is_one_clear_error(log: ExecutionLog, wrong: dict[str, object]) -> None:
    with pytest.raises(SettingError, match=str(next(iter(wrong)))):
        log.read(**wrong)  # type: ignore[arg-type]


def test_a_file_of_a_later_version_or_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    later, other = tmp_path / "later", tmp_path / "other"
    with closing(sqlite3.connect(later)) as connection:
        connection.execute("PRAGMA user_version=9")
    other.write_bytes(b"not a database, but somebody's file" * 100)
    for file, named in ((later, "later release"), (other, "cannot be used")):
        before = file.read_bytes()
        with pytest.raises(ExecutionLogError, match=named):
            SqliteExecutionLog(file).append(run("a"))
        assert file.read_bytes() == before


def _append(file: str, name: str) -> None:
    for _ in range(50):
        SqliteExecutionLog(file).append(run(name))


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    file = str(tmp_path / "log.sqlite3")
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append, args=(file, f"p{at}")) for at in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert [one.exitcode for one in workers] == [0, 0, 0]
    assert len(SqliteExecutionLog(file).read(limit=1000)) == 150


def test_long_results_and_arguments_are_cut_visibly() -> None:
    kept = Execution(tool_name="a", args={"x": "y" * 30}, outcome="success", result=["z" * 50]).masked(limit=20)
    assert kept.args["x"] == "y" * 20 + "… [10 more characters]"
    assert "more characters" in kept.result
    assert Execution(tool_name="a", args={}, outcome="success", result={"a": 1}).masked().result == {"a": 1}
