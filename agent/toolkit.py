"""Tools as skills that a caller may execute (source 004)."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Self

from langchain_core.tools import BaseTool

from skill_selector.agent.caller import DEFAULT_FILL, Caller
from skill_selector.agent.constraints import ConstrainingSkill, Enforcement, ToolConstraints
from skill_selector.agent.execution import Execution
from skill_selector.agent.filling import definition_of
from skill_selector.agent.gate import ToolGate
from skill_selector.agent.log import ExecutionLog
from skill_selector.agent.policy import ToolPolicy
from skill_selector.agent.runner import Approve, ToolRunner
from skill_selector.agent.servers import McpServers
from skill_selector.agent.traits import traits_of
from skill_selector.graph.errors import SettingError, ToolExecutionError, ToolPermissionError

MAX_CONCURRENCY = 8
TIMEOUT = 60.0
"""Seconds that one call may take."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One of several calls that run side by side."""

    name: str
    args: Mapping[str, Any]


class SkillToolkit:
    """The tools that one caller may use, ready to be executed, with a record of every execution.

    What the caller may not use is not shown, and is refused when it is called all the same.
    """

    def __init__(
        self,
        tools: Iterable[BaseTool] = (),
        *,
        caller: Caller | None = None,
        policy: ToolPolicy | None = None,
        skills: Iterable[ConstrainingSkill] = (),
        tool_constraints: Enforcement = "enforce",
        mcp_servers: McpServers | None = None,
        include_mcp_tools: bool = True,
        include_builtin_tools: bool = True,
        fill: Mapping[str, str] = DEFAULT_FILL,
        log: ExecutionLog | None = None,
        timeout: float | None = TIMEOUT,
        max_concurrency: int = MAX_CONCURRENCY,
        approve: Approve | None = None,
    ) -> None:
        """Make it; `init` or `ainit` then loads the tools of MCP servers.

        Args:
            tools: the built-in ones.
            caller: who calls.
            policy: what they may use. Whether they are an administrator comes from `caller`, unless the policy says so.
            skills: the active ones, whose tool lists constrain the tools.
            tool_constraints: how those lists are meant.
            mcp_servers: servers whose tools are offered too.
            include_mcp_tools: whether they are.
            include_builtin_tools: whether `tools` are.
            fill: argument → name in the caller's values, for all tools; a tool's own `metadata["fill"]` comes first.
            log: where executions are kept; None keeps none.
            timeout: seconds that one call may take; None waits for ever.
            max_concurrency: how many calls run side by side at most.
            approve: asked where a call needs a person's yes; without it such a call is refused.

        Raises:
            SettingError: an argument cannot be used.
        """
        if max_concurrency < 1:
            raise SettingError(f"max_concurrency={max_concurrency}: must be at least 1")
        if timeout is not None and not timeout > 0:
            raise SettingError(f"timeout={timeout}: must be over 0 seconds, or None")
        self.caller = caller or Caller()
        self.gate = ToolGate(
            policy=(policy or ToolPolicy()).of(self.caller),
            constraints=ToolConstraints.of(skills),
            enforcement=tool_constraints,
        )
        self.max_concurrency = max_concurrency
        self.mcp_servers = mcp_servers or McpServers()
        self.include_mcp_tools = include_mcp_tools
        self._builtin = _unique(tools) if include_builtin_tools else []
        self._runner = ToolRunner(
            caller=self.caller, gate=self.gate, log=log, fill=fill, timeout=timeout, approve=approve
        )

    def init(self) -> Self:
        """Load the tools of the MCP servers; return the toolkit. A server that fails costs its own tools only."""
        if self.include_mcp_tools:
            self.mcp_servers.load()
        return self

    async def ainit(self) -> Self:
        """Load the tools of the MCP servers without blocking the event loop."""
        if self.include_mcp_tools:
            await self.mcp_servers.aload()
        return self

    def get_tools(self) -> list[BaseTool]:
        """Return the tools that this caller may use. Who runs them directly runs them unchecked and unlogged."""
        return self.get_executable_skills()

    def get_executable_skills(self) -> list[BaseTool]:
        """Return the tools that this caller may use."""
        return self.gate.narrow(self._all()).tools

    def get_skills_by_category(self, category: str) -> list[BaseTool]:
        """Return those whose `metadata` states this category."""
        return [tool for tool in self.get_executable_skills() if traits_of(tool).category == category]

    def get_tool_definitions(self) -> list[dict[str, Any]]:
        """Return them in the OpenAI format, without arguments that are filled with secrets."""
        return [definition_of(tool, self.caller, self._runner.fill) for tool in self.get_executable_skills()]

    def execute(self, name: str, args: Mapping[str, Any] | None = None) -> Any:
        """Return what the tool returns.

        Raises:
            ToolPermissionError: the caller may not use it, or not so.
            ToolExecutionError: there is no such tool, or it failed; the message says why.
        """
        return _result(self._run(ToolCall(name, args or {})))

    async def aexecute(self, name: str, args: Mapping[str, Any] | None = None) -> Any:
        """Return what the tool returns, without blocking the event loop. Errors are those of `execute`."""
        return _result(await self._arun(ToolCall(name, args or {})))

    def execute_parallel(self, calls: Sequence[Mapping[str, Any]]) -> list[Execution]:
        """Run calls, each `{"name": …, "args": {…}}`, side by side; each result or error stands in its call's place.

        Raises:
            SettingError: a call has another form; nothing has run then.
        """
        wanted = [_read(call) for call in calls]
        with ThreadPoolExecutor(min(self.max_concurrency, len(wanted) or 1), "tools") as pool:
            return list(pool.map(self._run, wanted))

    async def aexecute_parallel(self, calls: Sequence[Mapping[str, Any]]) -> list[Execution]:
        """Run calls side by side without blocking the event loop; see `execute_parallel`."""
        wanted = [_read(call) for call in calls]
        room = asyncio.Semaphore(self.max_concurrency)

        async def one(call: ToolCall) -> Execution:
            async with room:
                return await self._arun(call)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(call)) for call in wanted]
        return [task.result() for task in tasks]

    def get_execution_logs(
        self,
        limit: int = 100,
        tool_name: str | None = None,
        since: datetime | str | None = None,
        user: str | None = None,
    ) -> list[Execution]:
        """Return the latest executions first; see `ExecutionLog.read`. Empty where none are kept."""
        return self._runner.log.read(limit, tool_name, since, user) if self._runner.log else []

    async def aget_execution_logs(
        self,
        limit: int = 100,
        tool_name: str | None = None,
        since: datetime | str | None = None,
        user: str | None = None,
    ) -> list[Execution]:
        """Return the latest executions first, without blocking the event loop."""
        return await asyncio.to_thread(self.get_execution_logs, limit, tool_name, since, user)

    def _all(self) -> list[BaseTool]:
        return _unique([*self._builtin, *(self.mcp_servers.tools if self.include_mcp_tools else ())])

    def _run(self, call: ToolCall) -> Execution:
        tool = self._find(call.name)
        return self._runner.run(tool, call.args) if tool else self._unknown(call)

    async def _arun(self, call: ToolCall) -> Execution:
        tool = self._find(call.name)
        return await self._runner.arun(tool, call.args) if tool else self._unknown(call)

    def _find(self, name: str) -> BaseTool | None:
        return next((tool for tool in self._all() if tool.name == name), None)

    def _unknown(self, call: ToolCall) -> Execution:
        names = [tool.name for tool in self.get_executable_skills()]
        near = get_close_matches(call.name, names, 3) or names[:10]
        message = f"there is no tool {call.name!r}; there is {', '.join(near) or 'none'}"
        return Execution(
            tool_name=call.name,
            args=dict(call.args),
            outcome="host_failure",
            error=message,
            user_id=self.caller.user_id,
            group_id=self.caller.group_id,
        )


def _unique(tools: Iterable[BaseTool]) -> list[BaseTool]:
    """The first of each name: a server must not take the place of a tool that there is."""
    found: dict[str, BaseTool] = {}
    for tool in tools:
        if not isinstance(tool, BaseTool):
            raise SettingError(f"{tool!r} is no tool; wrap a function with langchain_core.tools.tool")
        found.setdefault(tool.name, tool)
    return list(found.values())


def _read(call: Mapping[str, Any]) -> ToolCall:
    name = call.get("name") if isinstance(call, Mapping) else None
    args = (call.get("args") or {}) if isinstance(call, Mapping) else None
    if not isinstance(name, str) or not isinstance(args, Mapping):
        raise SettingError(f"{call!r} is no call; write {{'name': …, 'args': {{…}}}}")
    return ToolCall(name, args)


def _result(execution: Execution) -> Any:
    if execution.outcome == "success":
        return execution.result
    kind = ToolPermissionError if execution.outcome == "denied" else ToolExecutionError
    raise kind(execution.error)
