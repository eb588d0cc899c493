"""Tools of an agent under the rules: which the model sees, which calls run, and the record of those."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from langchain.agents.middleware.types import ContextT, ModelRequest, ToolCallRequest
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp

from skill_selector.agent.caller import Caller
from skill_selector.agent.chooser import Chooser
from skill_selector.agent.constraints import Enforcement, ToolConstraints
from skill_selector.agent.filling import definition_of, fill_of
from skill_selector.agent.gate import ToolGate
from skill_selector.agent.guarded import OWN_TOOLS, Answer, GuardedCall
from skill_selector.agent.log import ExecutionLog
from skill_selector.agent.policy import ToolPolicy
from skill_selector.agent.traits import Tool
from skill_selector.graph.errors import SettingError
from skill_selector.injection.tools import skill_tools


class ToolGuard:
    """Stands before and behind every call."""

    def __init__(
        self,
        chooser: Chooser,
        *,
        policy: ToolPolicy,
        enforcement: Enforcement,
        always_include: tuple[str, ...],
        caller: Caller | Callable[[Any], Caller],
        fill: Mapping[str, str],
        log: ExecutionLog | None,
        opens_skills: bool,
    ) -> None:
        self._chooser = chooser
        self._policy = policy
        self._enforcement = enforcement
        self._always_include = always_include
        self._caller = caller
        self._fill = fill
        self._log = log
        self._opens_skills = opens_skills
        self._gate(Caller(), {})  # a wrong setting shows at once

    def narrow(self, request: ModelRequest[ContextT]) -> tuple[ModelRequest[ContextT], str | None]:
        """Return the request with the tools that the model may use, those that open skills among them. Blocks.

        Beside it, what is wrong with the tool lists of the active skills.
        """
        caller = self._called_by(request.runtime)
        taken = {one.name for one in request.tools if isinstance(one, BaseTool)} & set(OWN_TOOLS)
        if taken:
            raise SettingError(f"the agent has a tool {', '.join(taken)}: rename it, skills are opened by that name")
        gate = self._gate(caller, request.state)
        own = gate.narrow(self._own_tools(request.state)).tools
        narrowed = gate.narrow(request.tools)
        return request.override(
            tools=[*(self._shown(one, caller) for one in narrowed.tools), *own]
        ), narrowed.diagnostic

    def call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]) -> Answer:
        """Run the call if it is allowed, ask where a person must agree, and answer with an error where it is not."""
        call = self._guarded(request)
        if (refusal := call.refusal()) is not None:
            call.keep()
            return refusal
        try:
            answer = handler(call.request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            call.failed(error)
            call.keep()
            raise
        answer = call.settled(answer)
        self._keep(call)
        return answer

    async def acall(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answer]]) -> Answer:
        """Do as `call`, without blocking the event loop."""
        call = await asyncio.to_thread(self._guarded, request)
        if (refusal := call.refusal()) is not None:
            await asyncio.to_thread(call.keep)
            return refusal
        try:
            answer = await handler(call.request)
        except GraphBubbleUp:
            raise
        except asyncio.CancelledError:
            call.aborted()
            call.keep()
            raise
        except Exception as error:
            call.failed(error)
            await asyncio.to_thread(call.keep)
            raise
        answer = call.settled(answer)
        await asyncio.to_thread(self._keep, call)
        return answer

    def _keep(self, call: GuardedCall) -> None:
        call.keep()
        if call.opened is not None:
            self._chooser.count([call.opened], call.request.state["skill_selection"])

    def _guarded(self, request: ToolCallRequest) -> GuardedCall:
        caller = self._called_by(request.runtime)
        name = request.tool_call["name"]
        if name in OWN_TOOLS:
            own = {one.name: one for one in self._own_tools(request.state)}
            request = replace(request, tool=own.get(name))
        gate = self._gate(caller, request.state)
        return GuardedCall(request, gate=gate, caller=caller, fill=self._fill, log=self._log)

    def _called_by(self, runtime: Any) -> Caller:
        return self._caller(runtime) if callable(self._caller) else self._caller

    def _gate(self, caller: Caller, state: Mapping[str, Any]) -> ToolGate:
        return ToolGate(
            policy=self._policy.of(caller),
            constraints=self._constraints(state),
            enforcement=self._enforcement,
            own_tools=OWN_TOOLS,
            always_include=self._always_include,
        )

    def _constraints(self, state: Mapping[str, Any]) -> ToolConstraints:
        selection, active = state.get("skill_selection"), state.get("active_skills")
        if not selection or not active:
            return ToolConstraints()
        by_id = self._chooser.catalog(tuple(selection["roots"]), selection["digest"]).by_id
        return ToolConstraints.of(by_id[one["id"]] for one in active if one["id"] in by_id)

    def _own_tools(self, state: Mapping[str, Any]) -> list[BaseTool]:
        selection, ids = state.get("skill_selection"), self._chooser.openable(state)
        if not self._opens_skills or not selection or not ids:
            return []
        return skill_tools(self._chooser.loader(tuple(selection["roots"]), selection["digest"], ids))

    def _shown(self, tool: Tool, caller: Caller) -> Tool:
        """A tool as the caller's model may see it."""
        if isinstance(tool, dict):
            return tool
        return definition_of(tool, caller, self._fill) if fill_of(tool, self._fill) else tool
