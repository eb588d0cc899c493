"""One question to a chat model until it is answered.

That takes one call, a second one where the answer had faults, and another model where the first is overloaded. An
exchange does no input or output itself, so that `ask` and `aask` share everything but the call.
"""

import asyncio
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig

from skill_selector.graph.errors import ModelUnavailableError
from skill_selector.graph.records import Degradation, Usage
from skill_selector.graph.settings import Settings
from skill_selector.prompts.fencing import one_line
from skill_selector.reasoners.base import NO_USAGE
from skill_selector.reasoners.failure import UnansweredError, explain, is_mistake, is_overload
from skill_selector.reasoners.messages import briefer, corrected
from skill_selector.reasoners.reply import Reply, ReplyFaultError, find_answer

T = TypeVar("T")
LazyModel = BaseChatModel | Callable[[], BaseChatModel] | None

TRIES = 2
"""How often the model is asked: once, and once more with the faults named."""


@dataclass(frozen=True)
class Call:
    """One call that the caller of `Exchange.steps` is to make."""

    model: BaseChatModel
    messages: tuple[BaseMessage, ...]


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What came of an exchange."""

    value: T
    usage: Usage
    degraded: tuple[Degradation, ...]


Steps = Generator[Call, BaseMessage, Answer[T]]


@dataclass
class Exchange(Generic[T]):
    """One question.

    `read` turns a decoded JSON value into an answer as `reply.Read` describes; its second argument tells whether nobody
    will ask again.
    """

    step: str
    round_number: int
    model: BaseChatModel
    setting: str | None
    """The setting that names the model; None for a model of the caller's own."""
    fallback_model: LazyModel
    settings: Settings
    read: Callable[[Any, bool], T | None]
    usage: Usage = field(default_factory=NO_USAGE.copy)
    degraded: list[Degradation] = field(default_factory=list)

    def steps(self, messages: Sequence[BaseMessage]) -> Steps[T]:
        """Yield the calls to make, take their messages, and return the answer.

        What a call raises is to be thrown in.

        Raises:
            ModelSetupError: the model cannot work as it is set up.
            UnansweredError: there was no usable answer.
            Exception: a mistake in the model's own code, unchanged.
        """
        question = tuple(messages)
        asked = question
        for attempt in range(1, TRIES + 1):
            reply = yield from self._call(asked)
            if reply.refusal:
                raise self._unanswered(f"{model_name(self.model)} refused to answer ({one_line(reply.refusal)[:200]})")
            final = attempt == TRIES
            try:
                value = find_answer(reply, lambda decoded, final=final: self.read(decoded, final))  # type: ignore[misc]
            except ReplyFaultError as fault:
                faults = fault.faults
            else:
                return Answer(value, self.usage, tuple(self.degraded))
            if reply.cut_off:
                self.model = _with_more_room(self.model)
                asked = briefer(question)
            else:
                asked = corrected(question, reply.text, faults)
        name = model_name(self.model)
        raise self._unanswered(f"the reply of {name} could not be used, twice: {'; '.join(faults)[:300]}")

    def _call(self, messages: tuple[BaseMessage, ...]) -> Generator[Call, BaseMessage, Reply]:
        self.usage["calls"] += 1
        try:
            message = yield Call(self.model, messages)
            reply = Reply.from_message(message)
        except Exception as error:
            self._recover(error)
            return (yield from self._call(messages))
        self.usage["prompt_tokens"] += reply.prompt_tokens
        self.usage["completion_tokens"] += reply.completion_tokens
        return reply

    def _recover(self, error: Exception) -> None:
        """Let the fallback model take over, or raise what the caller is to see."""
        if is_mistake(error):
            raise error
        name = model_name(self.model)
        failure = explain(error, self.settings, name, self.setting)
        if not isinstance(failure, ModelUnavailableError):
            raise failure from self._cause(error)
        fallback = None if self.degraded else self.fallback_model
        if fallback is None or not is_overload(error):
            before = "".join(f"{one['why']}; then " for one in self.degraded)
            raise self._unanswered(f"{before}{failure}") from self._cause(error)
        self.model = fallback if isinstance(fallback, BaseChatModel) else fallback()
        self.setting = "FALLBACK_MODEL"
        self.degraded.append(
            {
                "step": self.step,
                "round": self.round_number,
                "what": "model",
                "why": str(failure),
                "instead": model_name(self.model),
            }
        )

    def _cause(self, error: Exception) -> Exception | None:
        """Return the error for the traceback, unless the endpoint repeated the key in it."""
        key = self.settings.dashscope_api_key
        return None if key and key in str(error) else error

    def _unanswered(self, why: str) -> UnansweredError:
        if self.settings.on_failure == "raise":
            why += "; try again, or let the local reasoner stand in (SELECTOR_ON_FAILURE=fallback)"
        return UnansweredError(why, self.usage)


def ask(steps: Steps[T]) -> Answer[T]:
    """Make the calls of an exchange and return its answer."""
    try:
        call = next(steps)
        while True:
            try:
                message = call.model.invoke(list(call.messages), config=_config())
            except Exception as error:
                call = steps.throw(error)
            else:
                call = steps.send(message)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def aask(steps: Steps[T], timeout: float | None = None) -> Answer[T]:  # noqa: ASYNC109 - it bounds each call
    """Make the calls of an exchange, each within `timeout` seconds where one is given, and return its answer."""
    try:
        call = next(steps)
        while True:
            try:
                asked = call.model.ainvoke(list(call.messages), config=_config())
                message = await asyncio.wait_for(asked, timeout)
            except Exception as error:
                call = steps.throw(error)
            else:
                call = steps.send(message)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def model_name(model: BaseChatModel) -> str:
    """Return the name by which messages and traces call a model."""
    for attribute in ("model_name", "model", "model_id"):
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(model).__name__


def _config() -> RunnableConfig:
    # The tag keeps the raw JSON out of the message stream of a graph that embeds the selector.
    return {"tags": ["nostream"]}


def _with_more_room(model: BaseChatModel) -> BaseChatModel:
    limit = getattr(model, "max_tokens", None)
    if isinstance(limit, int):
        return model.model_copy(update={"max_tokens": limit * 2})
    return model
