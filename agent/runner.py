"""One call of a tool: checked, filled, timed, run and logged."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, ToolException
from pydantic import ValidationError

from skill_selector.agent.attempt import Attempt, keep
from skill_selector.agent.caller import DEFAULT_FILL, Caller
from skill_selector.agent.execution import Execution, ExecutionOutcome
from skill_selector.agent.gate import ToolGate
from skill_selector.agent.log import ExecutionLog
from skill_selector.agent.verdict import Verdict

Approve = Callable[[Verdict, Mapping[str, Any]], bool]
"""Called with why a call needs a person's yes, and its arguments; returns whether they agree."""


@dataclass(frozen=True, kw_only=True)
class ToolRunner:
    """What every call of one caller goes through. Neither half raises because of a tool."""

    caller: Caller = field(default_factory=Caller)
    gate: ToolGate = field(default_factory=ToolGate)
    log: ExecutionLog | None = None
    fill: Mapping[str, str] = field(default_factory=lambda: DEFAULT_FILL)
    timeout: float | None = 60.0
    """Seconds for one call; None waits for ever."""
    approve: Approve | None = None

    def run(self, tool: BaseTool, arguments: Mapping[str, Any]) -> Execution:
        """Run the tool in a thread of its own, which is left behind when the time is up: threads cannot be stopped."""
        attempt = self._attempt(tool, arguments)
        if not self._admits(attempt):
            return self._kept(attempt.refused())
        call = _call(tool, attempt.arguments)
        found: list[tuple[ExecutionOutcome, Any]] = []

        def work() -> None:
            found.append(_settle_sync(tool, call))

        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(work,), name=f"tool {tool.name}", daemon=True)
        thread.start()
        try:
            thread.join(self.timeout)
        except BaseException:  # Ctrl-C
            self._kept(attempt.ended("aborted", "stopped while the tool was running"))
            raise
        return self._kept(attempt.ended(*found[0]) if found else attempt.ended("host_failure", self._late(tool)))

    async def arun(self, tool: BaseTool, arguments: Mapping[str, Any]) -> Execution:
        """Run the tool without blocking the event loop; cancelling, or the time being up, cancels it."""
        attempt = self._attempt(tool, arguments)
        if not await asyncio.to_thread(self._admits, attempt):
            return await asyncio.to_thread(self._kept, attempt.refused())
        try:
            async with asyncio.timeout(self.timeout):
                outcome, value = await _settle(tool, _call(tool, attempt.arguments))
        except TimeoutError:
            outcome, value = "host_failure", self._late(tool)
        except asyncio.CancelledError:
            self._kept(attempt.ended("aborted", "cancelled while the tool was running"))
            raise
        return await asyncio.to_thread(self._kept, attempt.ended(outcome, value))

    def _attempt(self, tool: BaseTool, arguments: Mapping[str, Any]) -> Attempt:
        return Attempt(tool, arguments, caller=self.caller, gate=self.gate, fill=self.fill)

    def _admits(self, attempt: Attempt) -> bool:
        verdict = attempt.verdict
        if not verdict.approval:
            return verdict.allowed
        return bool(self.approve and self.approve(verdict, attempt.shown_arguments))

    def _late(self, tool: BaseTool) -> str:
        return f"{tool.name} did not answer within {self.timeout:g} seconds"

    def _kept(self, execution: Execution) -> Execution:
        keep(execution, self.log, self.caller)
        return execution


def _call(tool: BaseTool, arguments: dict[str, Any]) -> Any:
    # only a whole tool call tells an error that the tool handles itself from a result
    if tool.handle_tool_error or tool.handle_validation_error:
        return {"type": "tool_call", "id": "1", "name": tool.name, "args": arguments}
    return arguments


def _settle_sync(tool: BaseTool, call: Any) -> tuple[ExecutionOutcome, Any]:
    try:
        value = tool.invoke(call)
    except NotImplementedError:
        # a tool with an async half only, such as those of MCP servers
        return asyncio.run(_settle(tool, call))
    except Exception as error:
        return _failed(error)
    return _value(value)


async def _settle(tool: BaseTool, call: Any) -> tuple[ExecutionOutcome, Any]:
    try:
        value = await tool.ainvoke(call)
    except Exception as error:
        return _failed(error)
    return _value(value)


def _value(value: Any) -> tuple[ExecutionOutcome, Any]:
    if isinstance(value, ToolMessage):
        return ("tool_failure" if value.status == "error" else "success"), value.content
    return "success", value


def _failed(error: Exception) -> tuple[ExecutionOutcome, Any]:
    if isinstance(error, ValidationError):
        faults = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        return "host_failure", f"the arguments do not fit: {faults}"
    text = str(error) or type(error).__name__
    host = isinstance(error, OSError | EOFError) and not isinstance(error, ToolException)
    return ("host_failure" if host else "tool_failure"), text
