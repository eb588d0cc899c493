import asyncio
import inspect
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool, ToolException, tool

from skill_selector.agent.execution import Execution
from skill_selector.agent.factory import acreate_skills_agent, create_skills_agent
from skill_selector.agent.log import SqliteExecutionLog
from skill_selector.agent.toolkit import SkillToolkit
from skill_selector.agent.verdict import Verdict
from skill_selector.graph.errors import SettingError, ToolExecutionError, ToolPermissionError

HIDDEN = "t0ken-of-the-house"


@tool
def get_current_time(timezone: str) -> str:
    """Tell the time."""
    if timezone == "nowhere":
        raise ToolException("unknown time zone nowhere")
    return f"noon in {timezone}"


@tool
def send_group_message(message: str, group_id: str, token: str = "") -> str:
    """Send a message to a group."""
    return f"{group_id}: {message} ({token})"


@tool
def execute_command(command: str) -> str:
    """Run a command."""
    return f"ran {command}"


@tool
async def fetch_page(url: str) -> str:
    """Fetch a page."""
    await asyncio.sleep(0)
    return f"page {url}"


def prepared() -> list[BaseTool]:
    get_current_time.metadata = {"category": "basic"}
    send_group_message.metadata = {"category": "group", "fill": {"token": "api_token"}}
    execute_command.metadata = {"category": "system", "dangerous": True}
    fetch_page.metadata = {"category": "basic"}
    return [get_current_time, send_group_message, execute_command, fetch_page]


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest) -> Any:
    """Call a method, or its async half, from a plain test."""

    def run(toolkit: SkillToolkit, method: str, *args: Any) -> Any:
        found = getattr(toolkit, method if request.param == "sync" else f"a{method}")(*args)
        return asyncio.run(found) if inspect.iscoroutine(found) else found

    return run


def test_the_tools_of_a_caller_by_category_and_as_definitions() -> None:
    toolkit = create_skills_agent(prepared(), user_id="1", group_id="7")
    assert [one.name for one in toolkit.get_executable_skills()] == [
        "get_current_time",
        "send_group_message",
        "fetch_page",
    ]
    assert [one.name for one in toolkit.get_skills_by_category("basic")] == ["get_current_time", "fetch_page"]
    definition = toolkit.get_tool_definitions()[0]
    assert definition["type"] == "function"
    assert definition["function"]["name"] == "get_current_time"
    assert definition["function"]["parameters"]["required"] == ["timezone"]


def test_a_tool_runs(call: Any) -> None:
    toolkit = create_skills_agent(prepared())
    assert call(toolkit, "execute", "get_current_time", {"timezone": "亚洲/上海"}) == "noon in 亚洲/上海"


def test_a_tool_with_an_async_half_only_runs_in_both(call: Any) -> None:
    assert call(create_skills_agent(prepared()), "execute", "fetch_page", {"url": "u"}) == "page u"


def test_what_may_not_be_used_is_refused_when_called_all_the_same(call: Any) -> None:
    toolkit = create_skills_agent(prepared())
    with pytest.raises(ToolPermissionError, match="dangerous"):
        call(toolkit, "execute", "execute_command", {"command": "ls"})
    allowed = create_skills_agent(prepared(), allow_dangerous=True)
    assert call(allowed, "execute", "execute_command", {"command": "ls"}) == "ran ls"


def test_an_unknown_tool_is_answered_with_its_neighbours(call: Any) -> None:
    with pytest.raises(ToolExecutionError, match="get_current_time"):
        call(create_skills_agent(prepared()), "execute", "get_curent_time", {})


def test_an_argument_that_was_left_out_is_filled_and_a_given_one_stays(call: Any) -> None:
    toolkit = create_skills_agent(prepared(), event={"user_id": 1, "group_id": 789}, secrets={"api_token": HIDDEN})
    assert call(toolkit, "execute", "send_group_message", {"message": "你好"}).startswith("789: 你好")
    assert call(toolkit, "execute", "send_group_message", {"message": "a", "group_id": "456"}).startswith("456: a")


def test_no_model_and_no_log_sees_a_secret(call: Any, tmp_path: Path) -> None:
    log = SqliteExecutionLog(tmp_path / "log.sqlite3")
    toolkit = create_skills_agent(prepared(), group_id="7", secrets={"api_token": HIDDEN}, log=log)
    definition = next(one for one in toolkit.get_tool_definitions() if one["function"]["name"] == "send_group_message")
    assert set(definition["function"]["parameters"]["properties"]) == {"message", "group_id"}
    assert definition["function"]["parameters"]["required"] == ["message"]
    result = call(toolkit, "execute", "send_group_message", {"message": "a", "token": "of the model's own"})
    assert result == "7: a (***)"
    assert HIDDEN not in str(call(toolkit, "get_execution_logs"))
    assert HIDDEN not in repr(toolkit.caller)


def test_calls_run_side_by_side_and_each_outcome_stands_in_its_place(call: Any) -> None:
    calls: list[Mapping[str, Any]] = [
        {"name": "get_current_time", "args": {"timezone": "nowhere"}},
        {"name": "execute_command", "args": {"command": "ls"}},
        {"name": "get_weather", "args": {}},
        {"name": "get_current_time", "args": {"wrong": 1}},
        {"name": "get_current_time", "args": {"timezone": "UTC"}},
    ]
    found: list[Execution] = call(create_skills_agent(prepared()), "execute_parallel", calls)
    assert [one.outcome for one in found] == ["tool_failure", "denied", "host_failure", "host_failure", "success"]
    assert found[0].error == "unknown time zone nowhere"
    assert "timezone" in str(found[3].error)
    assert found[4].result == "noon in UTC"


def test_no_calls_give_no_results(call: Any) -> None:
    assert call(create_skills_agent(prepared()), "execute_parallel", []) == []


@pytest.mark.parametrize("wrong", [{"tool": "x"}, {"name": 1}, {"name": "x", "args": [1]}, "x"])
def test_a_call_of_another_form_is_an_error_before_anything_runs(call: Any, wrong: Any) -> None:
    with pytest.raises(SettingError, match="no call"):
        call(create_skills_agent(prepared()), "execute_parallel", [wrong])


class Counter:
    """Counts how many run at the same time."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self._lock = threading.Lock()

    def tools(self) -> list[BaseTool]:
        @tool
        def wait(seconds: float) -> str:
            """Wait."""
            with self._lock:
                self.now += 1
                self.most = max(self.most, self.now)
            time.sleep(seconds)
            with self._lock:
                self.now -= 1
            return "done"

        return [wait]


def test_no_more_calls_run_at_once_than_allowed(call: Any) -> None:
    counter = Counter()
    toolkit = SkillToolkit(counter.tools(), max_concurrency=2)
    found = call(toolkit, "execute_parallel", [{"name": "wait", "args": {"seconds": 0.02}}] * 6)
    assert [one.result for one in found] == ["done"] * 6
    assert counter.most == 2


def test_a_call_that_takes_too_long_is_given_up_alone(call: Any) -> None:
    toolkit = SkillToolkit(Counter().tools(), timeout=0.2)
    found = call(
        toolkit,
        "execute_parallel",
        [{"name": "wait", "args": {"seconds": 1}}, {"name": "wait", "args": {"seconds": 0.01}}],
    )
    assert [one.outcome for one in found] == ["host_failure", "success"]
    assert "0.2 seconds" in str(found[0].error)


def test_every_execution_is_logged_with_who_and_how_long(call: Any, tmp_path: Path) -> None:
    log = SqliteExecutionLog(tmp_path / "log.sqlite3")
    toolkit = create_skills_agent(prepared(), user_id="u1", group_id="g1", log=log)
    call(toolkit, "execute_parallel", [{"name": "get_current_time", "args": {"timezone": "UTC"}}])
    with pytest.raises(ToolPermissionError):
        call(toolkit, "execute", "execute_command", {"command": "password=hunter2pw"})
    denied, done = call(toolkit, "get_execution_logs")
    assert (done.tool_name, done.args, done.result) == ("get_current_time", {"timezone": "UTC"}, "noon in UTC")
    assert (done.user_id, done.group_id, done.outcome) == ("u1", "g1", "success")
    assert done.duration >= 0
    assert done.timestamp.endswith("Z")
    assert (denied.outcome, denied.args) == ("denied", {"command": "password=***"})


def test_a_log_that_cannot_be_written_does_not_lose_the_result(
    call: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    toolkit = create_skills_agent(prepared(), log=SqliteExecutionLog(folder))
    assert call(toolkit, "execute", "get_current_time", {"timezone": "UTC"}) == "noon in UTC"
    assert "not in the log" in caplog.text


async def test_a_cancelled_call_is_logged_as_aborted(tmp_path: Path) -> None:
    @tool
    async def wait_for_ever() -> str:
        """Wait."""
        await asyncio.sleep(3600)
        return ""

    log = SqliteExecutionLog(tmp_path / "log.sqlite3")
    task = asyncio.create_task(SkillToolkit([wait_for_ever], log=log).aexecute("wait_for_ever"))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [one.outcome for one in log.read()] == ["aborted"]


@dataclass(frozen=True)
class Active:
    id: str = "coding"
    allowed_tools: tuple[str, ...] | None = ("execute_command(git:*)",)
    disallowed_tools: tuple[str, ...] = ()


def test_active_skills_constrain_the_toolkit_too(call: Any) -> None:
    toolkit = create_skills_agent(prepared(), skills=[Active()], allow_dangerous=True)
    assert call(toolkit, "execute", "execute_command", {"command": "git status"}) == "ran git status"
    with pytest.raises(ToolPermissionError, match="coding"):
        call(toolkit, "execute", "execute_command", {"command": "rm x"})


@pytest.mark.parametrize("agreed", [True, False])
def test_a_person_is_asked_where_the_setting_says_so(call: Any, agreed: bool) -> None:
    asked: list[Verdict] = []

    def approve(verdict: Verdict, _: Mapping[str, Any]) -> bool:
        asked.append(verdict)
        return agreed

    toolkit = create_skills_agent(prepared(), skills=[Active()], tool_constraints="approve", approve=approve)
    outcome = call(toolkit, "execute_parallel", [{"name": "get_current_time", "args": {"timezone": "UTC"}}])[0].outcome
    assert outcome == ("success" if agreed else "denied")
    assert len(asked) == 1


def test_administrators_tools_are_open_to_administrators_only() -> None:
    prepared()
    get_current_time.metadata = {"adminOnly": True}
    for event, open_ in (
        ({"user_id": 1, "sender": {"role": "member"}}, False),
        ({"user_id": 1, "sender": {"role": "owner"}}, True),
        ({"user_id": 1, "isMaster": True}, True),
    ):
        assert bool(create_skills_agent([get_current_time], event=event).get_executable_skills()) is open_
    assert create_skills_agent([get_current_time], user_permission="admin").get_executable_skills()
    prepared()


async def test_the_async_factory_reads_a_preset_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "默认.yaml").write_text("name: 默认\ntools:\n  allowedTools: [get_current_time]\n", encoding="utf-8")
    toolkit = await acreate_skills_agent(prepared(), preset_id="默认", presets=tmp_path)
    assert [one.name for one in toolkit.get_executable_skills()] == ["get_current_time"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"preset_id": "x"}, "presets"),
        ({"preset_id": "x", "presets": {"y": {}}}, "there is y"),
        ({"preset_id": "x", "presets": {"x": {"tools": ["a"]}}}, "allowedTools"),
        ({"event": 5}, "event=5"),
        ({"max_concurrency": 0}, "at least 1"),
        ({"timeout": 0}, "over 0"),
    ],
)
def test_what_cannot_be_used_is_one_clear_error(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        create_skills_agent(prepared(), **arguments)
