"""A call on its way: what it is filled with, whether it may run, and the record of it."""

import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from langchain_core.tools import BaseTool

from skill_selector.agent.caller import DEFAULT_FILL, Caller
from skill_selector.agent.execution import Execution, ExecutionOutcome
from skill_selector.agent.filling import filled_arguments
from skill_selector.agent.gate import ToolGate
from skill_selector.agent.log import ExecutionLog
from skill_selector.agent.masking import mask
from skill_selector.agent.verdict import Verdict
from skill_selector.graph.errors import ExecutionLogError

_logger = logging.getLogger(__name__)


class Attempt:
    """One call by one caller; its clock runs from here."""

    def __init__(
        self,
        tool: BaseTool,
        arguments: Mapping[str, Any],
        *,
        caller: Caller,
        gate: ToolGate,
        fill: Mapping[str, str] = DEFAULT_FILL,
    ) -> None:
        self._start = time.perf_counter()
        self._tool, self._gate = tool, gate
        self._known = tuple(caller.secrets.values())
        self.arguments = filled_arguments(tool, arguments, caller, fill)
        """As the tool gets them."""
        self.shown_arguments = {name: held for name, held in self.arguments.items() if held not in self._known}
        """The same without secrets."""
        self._record = Execution(
            tool_name=tool.name,
            args=self.shown_arguments,
            outcome="success",
            user_id=caller.user_id,
            group_id=caller.group_id,
        )

    @cached_property
    def verdict(self) -> Verdict:
        """Whether it may run."""
        return self._gate.check(self._tool, self.arguments)

    def refused(self) -> Execution:
        """Return the record of a call that did not run."""
        return self.ended("denied", self.verdict.message)

    def ended(self, outcome: ExecutionOutcome, value: Any) -> Execution:
        """Return the record of a call that has ended with a result, or with the text of an error."""
        shown, success = self.without_secrets(value), outcome == "success"
        duration = round((time.perf_counter() - self._start) * 1000, 3)
        result, error = (shown, None) if success else (None, str(shown))
        return replace(self._record, outcome=outcome, result=result, error=error, duration=duration)

    def without_secrets(self, value: Any) -> Any:
        """Return a result that repeats none of the caller's secrets, so that it carries none to a model."""
        if not any(secret and secret in str(value) for secret in self._known):
            return value
        return mask(value, self._known)


def keep(execution: Execution, log: ExecutionLog | None, caller: Caller) -> None:
    """Write an execution to a log. A log that fails costs a warning: what was done counts, written down or not."""
    if log is None:
        return
    try:
        log.append(execution.masked(tuple(caller.secrets.values())))
    except ExecutionLogError as error:
        _logger.warning("an execution of %s is not in the log: %s", execution.tool_name, error)
