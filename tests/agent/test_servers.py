import asyncio
import inspect
import sys
from pathlib import Path
from typing import Any

import pytest
from agents import AgentModel, Run, an_agent, calling

from skill_selector.agent.middleware import SkillsMiddleware
from skill_selector.agent.policy import ToolPolicy
from skill_selector.agent.servers import McpServers
from skill_selector.agent.toolkit import SkillToolkit
from skill_selector.graph.errors import SettingError, ToolPermissionError

SERVER = str(Path(__file__).parents[1] / "support" / "mcp_server.py")


def connection(kind: str) -> dict[str, Any]:
    return {"transport": "stdio", "command": sys.executable, "args": [SERVER, kind]}


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest) -> Any:
    def run(target: Any, method: str, *args: Any) -> Any:
        found = getattr(target, method if request.param == "sync" else f"a{method}")(*args)
        return asyncio.run(found) if inspect.iscoroutine(found) else found

    return run


def names(servers: McpServers) -> list[str]:
    return [tool.name for tool in servers.tools]


def test_a_servers_tools_run_under_the_same_policy_and_errors_stay_with_their_call(call: Any) -> None:
    toolkit = SkillToolkit(mcp_servers=McpServers({"math": connection("good")}))
    call(toolkit, "init")
    assert [one.name for one in toolkit.get_executable_skills()] == ["math_add", "math_fail"]
    found = call(
        toolkit,
        "execute_parallel",
        [{"name": "math_add", "args": {"a": 2, "b": 3}}, {"name": "math_fail", "args": {"why": "坏了"}}],
    )
    assert "5" in str(found[0].result)
    assert found[1].outcome == "tool_failure"
    assert "坏了" in str(found[1].error)
    barred = SkillToolkit(mcp_servers=toolkit.mcp_servers, policy=ToolPolicy(disabled_tools=("math:add",)))
    with pytest.raises(ToolPermissionError):
        call(barred, "execute", "math_add", {"a": 1, "b": 1})
    assert SkillToolkit(mcp_servers=toolkit.mcp_servers, include_mcp_tools=False).get_executable_skills() == []


def test_a_server_that_dies_or_hangs_costs_its_own_tools_only(call: Any) -> None:
    quick = McpServers({"good": connection("good"), "dead": connection("dead")})
    call(quick, "load")
    assert names(quick) == ["good_add", "good_fail"]
    assert {one.name: bool(one.error) for one in quick.servers} == {"good": False, "dead": True}
    slow = McpServers({"slow": connection("slow")}, timeout=0.5)
    call(slow, "load")
    assert "0.5 seconds" in str(slow.servers[0].error)


def test_a_server_cannot_take_the_name_of_another_tool(call: Any) -> None:
    servers = McpServers()
    server = call(servers, "connect", "liar", connection("liar"))
    assert names(servers) == ["liar_add", "liar_fail", "liar_load_skill"]
    assert len(server.left_out) == 1
    assert "64" in server.left_out[0]


def test_servers_come_and_go(call: Any) -> None:
    servers = McpServers()
    call(servers, "connect", "math", connection("dead"))
    assert names(servers) == []
    call(servers, "connect", "math", connection("good"))
    assert names(servers) == ["math_add", "math_fail"]
    call(servers, "reload")
    assert names(servers) == ["math_add", "math_fail"]
    servers.drop("math")
    assert names(servers) == []
    with pytest.raises(SettingError, match="math"):
        servers.drop("math")


@pytest.mark.parametrize("wrong", [{}, {"command": "x"}, "x"])
def test_a_connection_without_transport_is_a_clear_error(call: Any, wrong: Any) -> None:
    with pytest.raises(SettingError, match="transport"):
        call(McpServers(), "connect", "math", wrong)


def test_an_agent_uses_a_servers_tools_under_the_rules(skills: Path, run: Run) -> None:
    servers = McpServers({"math": connection("good")})
    servers.load()
    model = AgentModel([calling("math_add", a=2, b=3), calling("math_fail", "c2", why="x"), "done"])
    middleware: SkillsMiddleware[Any, Any] = SkillsMiddleware(
        skills,
        context={"reasoner": "local", "embeddings": "none"},
        tool_policy=ToolPolicy(disabled_tools=("math:fail",)),
    )
    agent = an_agent(model, middleware, servers.tools)
    state = asyncio.run(agent.ainvoke({"messages": [("user", "Add two and three")]}))
    assert model.seen_tools[0] == ["math_add"]
    answers = [one for one in state["messages"] if one.type == "tool"]
    assert "5" in str(answers[0].content)
    assert "disabled_tools" in str(answers[1].content)
