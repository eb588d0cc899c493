"""A scripted chat model that knows nothing but its prompt: it believes the first wording of a fact that it reads."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from skill_selector.evaluation.context_score import comparable, first_said
from skill_selector.evaluation.context_task import ContextTask, Fact

UNKNOWN = ""
"""Its answer where the prompt says nothing of a fact."""


class PromptBoundModel(BaseChatModel):
    """Answers a JSON list with one wording for each fact, right or wrong, that stands first in its prompt.

    It stands for the executing model in an ablation: what the context does not say it cannot know, and of two values it
    believes the one that comes first.
    """

    _facts: tuple[Fact, ...] = PrivateAttr()

    def __init__(self, facts: Sequence[Fact], **fields: Any) -> None:
        super().__init__(**fields)
        self._facts = tuple(facts)

    @property
    def _llm_type(self) -> str:
        return "prompt-bound"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        prompt = comparable("\n".join(message.text for message in messages))
        answers = [_believed(prompt, fact) for fact in self._facts]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(json.dumps(answers, ensure_ascii=False)))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await asyncio.to_thread(self._generate, messages)


def _believed(prompt: str, fact: Fact) -> str:
    # of two that start at one place the longer says more; a right one wins a tie, as it is listed first
    found = [(at, -len(one), one) for one in (*fact.any, *fact.wrong) if (at := first_said(prompt, [one])) is not None]
    return min(found, key=lambda one: one[:2])[2] if found else UNKNOWN


def succeeds(task: ContextTask, prompt: str) -> bool:
    """Run a task with the model and say whether it got every fact right."""
    return _is_right(task, PromptBoundModel(task.facts).invoke([HumanMessage(prompt)]).text)


async def asucceeds(task: ContextTask, prompt: str) -> bool:
    """Do the same without blocking the event loop."""
    reply = await PromptBoundModel(task.facts).ainvoke([HumanMessage(prompt)])
    return _is_right(task, reply.text)


def _is_right(task: ContextTask, reply: str) -> bool:
    answers = json.loads(reply)
    return all(answer in fact.any for answer, fact in zip(answers, task.facts, strict=True))
