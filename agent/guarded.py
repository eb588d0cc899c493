"""One call that an agent's model made, from the check to the record."""

from collections.abc import Mapping
from typing import Any

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command, interrupt

from skill_selector.agent.attempt import Attempt, keep
from skill_selector.agent.caller import Caller
from skill_selector.agent.conversation import holds_skill
from skill_selector.agent.execution import Execution
from skill_selector.agent.gate import ToolGate
from skill_selector.agent.log import ExecutionLog
from skill_selector.agent.state import ActiveSkill
from skill_selector.agent.verdict import Verdict

OWN_TOOLS = ("load_skill", "read_skill_file")
AGREED = frozenset({"yes", "approve", "approved", "true", "是", "同意"})
Answer = ToolMessage | Command[Any]


class GuardedCall:
    """What is to be run, and what became of it."""

    def __init__(
        self,
        request: ToolCallRequest,
        *,
        gate: ToolGate,
        caller: Caller,
        fill: Mapping[str, str],
        log: ExecutionLog | None,
    ) -> None:
        self.request = request
        self._caller = caller
        self._log = log
        self._record: Execution | None = None
        self._attempt: Attempt | None = None
        self.opened: ActiveSkill | None = None
        """The skill that the call opened."""
        if request.tool is not None:
            self._attempt = Attempt(request.tool, request.tool_call["args"], caller=caller, gate=gate, fill=fill)
            self.request = request.override(tool_call={**request.tool_call, "args": self._attempt.arguments})

    def refusal(self) -> ToolMessage | None:
        """Return the answer to a call that does not run, or None. May stop the run to ask a person."""
        if self._attempt is None:
            if self.request.tool_call["name"] in OWN_TOOLS:
                return self._error("no skill can be opened in this turn")
            return None  # the agent itself answers calls of tools that there are not
        verdict = self._attempt.verdict
        if (verdict.approval and not _agrees(verdict, self._attempt.shown_arguments)) or not verdict.allowed:
            self._record = self._attempt.refused()
            return self._error(verdict.message)
        if (loaded := self._loaded_already()) is not None:
            self._record = self._attempt.ended("success", loaded)
            return self._message(loaded)
        return None

    def settled(self, answer: Answer) -> Answer:
        """Return the answer as the model gets it, and note a skill that was opened."""
        if self._attempt is None:
            return answer
        if not isinstance(answer, ToolMessage):
            self._record = self._attempt.ended("success", "updated the state")
            return answer
        answer = answer.model_copy(update={"content": self._attempt.without_secrets(answer.content)})
        failed = answer.status == "error"
        self._record = self._attempt.ended("tool_failure" if failed else "success", answer.content)
        opened = answer.artifact if self.request.tool_call["name"] == "load_skill" and not failed else None
        return answer if not isinstance(opened, dict) else self._opened(answer, opened)

    def failed(self, error: Exception) -> None:
        """Note that the tool raised."""
        if self._attempt is not None:
            self._record = self._attempt.ended("tool_failure", str(error) or type(error).__name__)

    def aborted(self) -> None:
        """Note that the run was cancelled."""
        if self._attempt is not None:
            self._record = self._attempt.ended("aborted", "cancelled while the tool was running")

    def keep(self) -> None:
        """Write the record to the log. Blocks."""
        if self._record is not None:
            keep(self._record, self._log, self._caller)

    def _loaded_already(self) -> str | None:
        """A skill goes into a conversation once."""
        call = self.request.tool_call
        if call["name"] != "load_skill" or call["args"].get("offset"):
            return None
        state: Mapping[str, Any] = self.request.state
        for one in state.get("active_skills") or ():
            there = one["how"] == "selected" or holds_skill(state["messages"], one["tool_call"])
            if one["id"] == call["args"].get("id") and there:
                return f"the skill {one['id']} is in the conversation already"
        return None

    def _opened(self, answer: ToolMessage, opened: Mapping[str, Any]) -> Command[Any]:
        state: Mapping[str, Any] = self.request.state
        selection = state["skill_selection"]
        named = {one["id"]: one for one in selection["candidates"]}.get(opened["id"], {})
        entry: ActiveSkill = {
            "id": opened["id"],
            "name": named.get("name", opened["id"]),
            "path": opened["path"].rpartition("/")[0],
            "turn": selection["turn"],
            "how": "loaded",
            "why": "opened by the model with load_skill",
            "score": named.get("score"),
            "tool_call": answer.tool_call_id,
        }
        self.opened = entry
        return Command(update={"messages": [answer], "active_skills": [entry], "skill_history": [entry]})

    def _error(self, text: str) -> ToolMessage:
        return self._message(f"error: {text}", status="error")

    def _message(self, text: str, **options: Any) -> ToolMessage:
        call = self.request.tool_call
        return ToolMessage(text, name=call["name"], tool_call_id=call["id"], **options)


def _agrees(verdict: Verdict, arguments: Mapping[str, Any]) -> bool:
    answer = interrupt(
        {
            "question": "The active skill does not list this tool. May it be called?",
            "tool": verdict.tool,
            "args": dict(arguments),
            "reason": verdict.message,
            "answer": "yes or no",
        }
    )
    return answer is True or (isinstance(answer, str) and answer.strip().lower() in AGREED)
