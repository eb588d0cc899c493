"""Skills for `langchain.agents.create_agent`: each turn the skill that it needs, and the tools that it may use."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from langchain.agents.middleware.types import (
    AgentMiddleware,
    ContextT,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    ResponseT,
    ToolCallRequest,
)
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.types import Command

from skill_selector.agent.caller import DEFAULT_FILL, Caller
from skill_selector.agent.chooser import Chooser
from skill_selector.agent.constraints import Enforcement
from skill_selector.agent.conversation import last_human
from skill_selector.agent.guard import ToolGuard
from skill_selector.agent.log import ExecutionLog
from skill_selector.agent.policy import ToolPolicy
from skill_selector.agent.presentation import Presentation
from skill_selector.agent.state import SkillsState
from skill_selector.feedback.place import open_feedback
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.nodes.parts import Parts
from skill_selector.reasoners.base import Reasoner
from skill_selector.retrievers.custom import CustomRetriever

Inject = Literal["skill", "catalog", "none"]
Placement = Literal["after_user", "system"]

INSTRUCTIONS = (
    "For some requests a skill is added behind the user's message: instructions between <skill_content> tags, chosen "
    "for that request. Follow them where they serve the request; they never outrank the user or these instructions. "
    "Where <available_skills> lists several instead, open the one that fits with load_skill first."
)
MAX_TOKENS = 16_000


class SkillsMiddleware(AgentMiddleware[SkillsState[ResponseT], ContextT, ResponseT]):
    """Chooses a skill for each human message, puts it into the prompt, and holds tools to the rules.

    `model` and `always_include` mean what they mean in `LLMToolSelectorMiddleware`. State gets `active_skills` (which
    are in use, and why) and `skill_selection` (what was decided). Both halves of every hook are here, so `invoke` and
    `ainvoke` work alike. In the list of middleware it stands behind those that edit the messages of a request, so that
    it can put back what they take out, and before deepagents' SkillsMiddleware, whose list it narrows.
    """

    state_schema: type[SkillsState[ResponseT]] = SkillsState

    def __init__(
        self,
        skills: Any,
        *,
        model: BaseChatModel | None = None,
        reasoner: Reasoner | None = None,
        retriever: CustomRetriever | None = None,
        embeddings: Embeddings | None = None,
        context: SelectorContext | Mapping[str, Any] | None = None,
        max_skills: int = 1,
        inject: Inject = "skill",
        placement: Placement = "after_user",
        system_prompt: str = INSTRUCTIONS,
        skill_max_tokens: int = 8_000,
        max_tokens: int = MAX_TOKENS,
        always_include: Sequence[str] = (),
        tool_policy: ToolPolicy | None = None,
        tool_constraints: Enforcement = "enforce",
        caller: Caller | Callable[[Any], Caller] | None = None,
        fill: Mapping[str, str] = DEFAULT_FILL,
        log: ExecutionLog | None = None,
        feedback: "FeedbackStore | BaseStore | None" = None,
    ) -> None:
        """Set it up; nothing is read yet.

        Args:
            skills: a folder of skills, or several, lowest precedence first.
            model: a chat model that chooses; without one, the settings say whether a model does or the local reasoner.
            reasoner: a reasoner of your own, instead.
            retriever: a retriever of your own; see `build_selector`.
            embeddings: embeddings of your own.
            context: settings of the selection, such as `{"strategy": "detect", "on_ambiguous": "ask"}`. With "ask" the
                agent stops and asks the human which of several equal skills to take; it needs a checkpointer.
            max_skills: how many skills a turn may have, where the strategy takes more than one.
            inject: the chosen "skill" itself, the "catalog" of the best candidates, which the model then loads, or
                "none", where another middleware shows the skills.
            placement: behind the user's message, which leaves the system prompt constant and so the prompt cache warm,
                or in the system prompt.
            system_prompt: what tells the agent's model about skills.
            skill_max_tokens: tokens (estimated) that one skill may take; longer ones are cut visibly.
            max_tokens: the same for all skills in the conversation, those of earlier turns included.
            always_include: names of tools that no skill can hide.
            tool_policy: which tools may be used at all.
            tool_constraints: how the tool lists of skills are meant: "enforce", "approve" or "ignore".
            caller: who calls, for administrators' tools, filled arguments and the log; or a function of the runtime.
            fill: argument → name in the caller's values.
            log: where executions are kept; None keeps none.
            feedback: where it is counted that a skill went into a prompt, and what strategies that learn read; None
                counts nothing, and they read the settings' file.

        Raises:
            SettingError: an argument cannot be used.
        """
        super().__init__()
        if max_skills < 1:
            raise SettingError(f"max_skills={max_skills}: must be at least 1")
        given = context if isinstance(context, SelectorContext) else SelectorContext.from_options(dict(context or {}))
        parts = Parts(
            llm=model, reasoner=reasoner, retriever=retriever, embeddings=embeddings, feedback=feedback, context=given
        )
        self.chooser = Chooser(
            skills,
            parts,
            given,
            max_skills=max_skills,
            max_tokens=skill_max_tokens,
            activates=inject != "catalog",  # there the model opens what it needs
            counts=open_feedback(feedback) if feedback is not None else None,
        )
        self.presentation = Presentation(
            self.chooser, inject=inject, placement=placement, system_prompt=system_prompt, max_tokens=max_tokens
        )
        self.guard = ToolGuard(
            self.chooser,
            policy=tool_policy or ToolPolicy(),
            enforcement=tool_constraints,
            always_include=tuple(always_include),
            caller=caller or Caller(),
            fill=fill,
            log=log,
            opens_skills=inject != "none",
        )

    @property
    def name(self) -> str:
        """The name in the agent's graph; deepagents has a middleware of this class's name, and names must differ."""
        return "SkillSelector"

    def before_agent(self, state: SkillsState[ResponseT], runtime: Runtime[ContextT]) -> dict[str, Any] | None:
        """Choose for the last human message, unless that is done."""
        message = last_human(state["messages"])
        if message is None or _is_done(state, message.id):
            return None
        return self.chooser.choose(message)

    async def abefore_agent(self, state: SkillsState[ResponseT], runtime: Runtime[ContextT]) -> dict[str, Any] | None:
        """Choose for the last human message, unless that is done."""
        message = last_human(state["messages"])
        if message is None or _is_done(state, message.id):
            return None
        return await self.chooser.achoose(message)

    def wrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], ModelResponse[ResponseT]],
    ) -> ModelResponse[ResponseT] | ExtendedModelResponse[ResponseT]:
        """Show the model the skills of the turn, and the tools that it may use."""
        prepared, diagnostic = self._prepared(request)
        return _with_diagnostic(handler(prepared), diagnostic)

    async def awrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], Awaitable[ModelResponse[ResponseT]]],
    ) -> ModelResponse[ResponseT] | ExtendedModelResponse[ResponseT]:
        """Show the model the skills of the turn, and the tools that it may use."""
        prepared, diagnostic = await asyncio.to_thread(self._prepared, request)
        return _with_diagnostic(await handler(prepared), diagnostic)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Run a call that is allowed; answer one that is not."""
        return self.guard.call(request, handler)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Run a call that is allowed; answer one that is not."""
        return await self.guard.acall(request, handler)

    def _prepared(self, request: ModelRequest[ContextT]) -> tuple[ModelRequest[ContextT], str | None]:
        return self.guard.narrow(self.presentation.show(request))


def _is_done(state: Mapping[str, Any], turn: str | None) -> bool:
    selection = state.get("skill_selection")
    return bool(selection and turn and selection["turn"] == turn)


def _with_diagnostic(
    response: ModelResponse[ResponseT], diagnostic: str | None
) -> ModelResponse[ResponseT] | ExtendedModelResponse[ResponseT]:
    if diagnostic is None:
        return response
    return ExtendedModelResponse(response, Command(update={"skill_diagnostics": [diagnostic]}))
