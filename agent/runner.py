"""One call of a tool: checked, filled, timed, run and logged."""

import asyncio
import contextvars
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, ToolException
from pydantic import ValidationError

from skill_selector.agent.caller import DEFAULT_FILL, Caller
from skill_selector.agent.execution import Execution, ExecutionOutcome
from skill_selector.agent.filling import filled_arguments
from skill_selector.agent.gate import ToolGate
from skill_selector.agent.log import ExecutionLog
from skill_selector.agent.masking import mask
from skill_selector.agent.verdict import Verdict
from skill_selector.graph.errors import ExecutionLogError

Approve = Callable[[Verdict, Mapping[str, Any]], bool]
"""Called with why a call needs a person's yes, and its arguments; returns whether they agree."""

_logger = logging.getLogger(__name__)


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
        began = _Began(self, tool, arguments)
        if (refused := began.refusal()) is not None:
            return self._kept(refused)
        call = _call(tool, began.filled())
        found: list[tuple[ExecutionOutcome, Any]] = []

        def work() -> None:
            found.append(_settle_sync(tool, call))

        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(work,), name=f"tool {tool.name}", daemon=True)
        thread.start()
        try:
            thread.join(self.timeout)
        except BaseException:  # Ctrl-C
            self._kept(began.ended("aborted", "stopped while the tool was running"))
            raise
        return self._kept(began.ended(*found[0]) if found else began.ended("host_failure", self._late(tool)))

    async def arun(self, tool: BaseTool, arguments: Mapping[str, Any]) -> Execution:
        """Run the tool without blocking the event loop; cancelling, or the time being up, cancels it."""
        began = _Began(self, tool, arguments)
        refused = await asyncio.to_thread(began.refusal) if self.approve else began.refusal()
        if refused is not None:
            return await asyncio.to_thread(self._kept, refused)
        try:
            async with asyncio.timeout(self.timeout):
                outcome, value = await _settle(tool, _call(tool, began.filled()))
        except TimeoutError:
            outcome, value = "host_failure", self._late(tool)
        except asyncio.CancelledError:
            self._kept(began.ended("aborted", "cancelled while the tool was running"))
            raise
        return await asyncio.to_thread(self._kept, began.ended(outcome, value))

    def _late(self, tool: BaseTool) -> str:
        return f"{tool.name} did not answer within {self.timeout:g} seconds"

    def _kept(self, execution: Execution) -> Execution:
        if self.log is not None:
            try:
                self.log.append(execution.masked(tuple(self.caller.secrets.values())))
            except ExecutionLogError as error:
                # what was done counts, whether it can be written down or not
                _logger.warning("an execution of %s is not in the log: %s", execution.tool_name, error)
        return execution


class _Began:
    """A call that is under way."""

    def __init__(self, runner: ToolRunner, tool: BaseTool, arguments: Mapping[str, Any]) -> None:
        self._runner, self._tool, self._arguments = runner, tool, arguments
        self._start = time.perf_counter()
        caller = runner.caller
        self._record = Execution(
            tool_name=tool.name,
            args=dict(arguments),
            outcome="success",
            user_id=caller.user_id,
            group_id=caller.group_id,
        )

    def filled(self) -> dict[str, Any]:
        return filled_arguments(self._tool, self._arguments, self._runner.caller, self._runner.fill)

    def refusal(self) -> Execution | None:
        """Return the end of a call that may not run."""
        arguments = self.filled()
        verdict = self._runner.gate.check(self._tool, arguments)
        if verdict.approval and not (self._runner.approve and self._runner.approve(verdict, arguments)):
            verdict = replace(verdict, allowed=False, rule="refused_by_human")
        # what was filled in belongs to the record; secrets are masked before it is kept
        self._record = replace(self._record, args=arguments)
        return None if verdict.allowed else self.ended("denied", verdict.message)

    def ended(self, outcome: ExecutionOutcome, value: Any) -> Execution:
        known = tuple(self._runner.caller.secrets.values())
        success = outcome == "success"
        duration = round((time.perf_counter() - self._start) * 1000, 3)
        secret = {name for name, held in self._record.args.items() if held in known}
        args = {name: held for name, held in self._record.args.items() if name not in secret}
        shown = _without(value, known)
        return replace(
            self._record,
            args=args,
            outcome=outcome,
            result=shown if success else None,
            error=None if success else str(shown),
            duration=duration,
        )


def _without(value: Any, known: tuple[str, ...]) -> Any:
    """A result that repeats a secret of the caller's must not carry it to a model."""
    if not known or not any(secret and secret in str(value) for secret in known):
        return value
    return mask(value, known)


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
