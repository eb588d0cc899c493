"""One question to a chat model until it is answered.

That takes one call, a second one where the answer had faults, and another way to ask where the endpoint refuses the
first: without a form that it does not know, with or without thinking, with another model where one is overloaded. What
had to change stands in `degraded`, where the later steps of the task find it and begin with it.

An exchange does no input or output itself, so that `ask` and `aask` share everything but the call.
"""

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig

from skill_selector.graph.errors import ModelUnavailableError
from skill_selector.graph.records import Degradation, Usage
from skill_selector.graph.settings import Settings, StructuredOutput
from skill_selector.prompts.fencing import one_line
from skill_selector.reasoners.base import NO_USAGE, AnalysisRequest, RankRequest
from skill_selector.reasoners.deadline import until
from skill_selector.reasoners.failure import (
    FilteredError,
    UnansweredError,
    explain,
    heard,
    is_filtered,
    is_mistake,
    is_overload,
    is_timeout,
)
from skill_selector.reasoners.manner import MANNERS, Adaptable, other_manner
from skill_selector.reasoners.messages import briefer, corrected
from skill_selector.reasoners.reply import Reply, ReplyFaultError, find_answer
from skill_selector.reasoners.schemas import Schema
from skill_selector.reasoners.structure import StructureError, held_to, is_refused, message_of

T = TypeVar("T")
LazyModel = BaseChatModel | Callable[[], BaseChatModel] | None

TRIES = 2
"""How often the model is asked: once, and once more with the faults named."""
MODEL, STRUCTURE, MANNER = "model", "structured_output", "thinking"
"""What `degraded` calls the three things that may change."""


@dataclass(frozen=True)
class Call:
    """One call that the caller of `Exchange.steps` is to make."""

    runnable: Runnable[Any, Any]
    messages: tuple[BaseMessage, ...]
    end: float
    """By when it must be over, as a reading of `time.monotonic`."""


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What came of an exchange."""

    value: T
    usage: Usage
    degraded: tuple[Degradation, ...]


Steps = Generator[Call, Any, Answer[T]]


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """What a question outside the two Reason steps is asked under."""

    settings: Settings
    attempt: int = 1
    degraded: tuple[Degradation, ...] = ()
    model_seconds: float = 0.0


@dataclass
class Exchange(Generic[T]):
    """One question.

    `read` turns a decoded JSON value into an answer as `reply.Read` describes; its second argument tells whether nobody
    will ask again.
    """

    step: str
    request: AnalysisRequest | RankRequest | Occasion
    model: BaseChatModel
    setting: str | None
    """The setting that names the model; None for a model of the caller's own."""
    fallback_model: LazyModel
    schema: Schema | None
    """The form of the answer, for endpoints that hold a model to one; without it none is asked to."""
    read: Callable[[Any, bool], T | None]
    usage: Usage = field(default_factory=NO_USAGE.copy)
    degraded: list[Degradation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.settings = self.request.settings
        self._end = time.monotonic() + self.settings.llm_time_budget - self.request.model_seconds
        self._method: StructuredOutput = self.settings.llm_structured_output if self.schema else "plain"
        self._handed_over = False
        self._adapted = False
        self._recall()

    def steps(self, messages: Sequence[BaseMessage]) -> Steps[T]:
        """Yield the calls to make, take what they return, and return the answer.

        What a call raises is to be thrown in.

        Raises:
            ModelSetupError: the model cannot work as it is set up.
            FilteredError: the model, or a filter, refused the question.
            UnansweredError: there was no usable answer.
            Exception: a mistake in the model's own code, unchanged.
        """
        question = tuple(messages)
        asked = question
        for attempt in range(1, TRIES + 1):
            reply = yield from self._call(asked)
            if reply.refusal:
                raise self._refused(reply.refusal)
            final = attempt == TRIES
            try:
                value = find_answer(reply, lambda decoded, final=final: self.read(decoded, final))  # type: ignore[misc]
            except ReplyFaultError as fault:
                faults = fault.faults
            else:
                return Answer(value, self.usage, tuple(self.degraded))
            if reply.refuses:
                raise self._refused(reply.text)
            if reply.cut_off:
                self.model = _with_more_room(self.model)
                asked = briefer(question)
            else:
                if not final and not reply.text.strip():
                    # forms of JSON are known to end in nothing
                    self._step_down(f"{model_name(self.model)} gave an empty answer under {self._method}")
                asked = corrected(question, reply.text, faults)
        name = model_name(self.model)
        raise self._unanswered(f"the reply of {name} could not be used, twice: {'; '.join(faults)[:300]}")

    def _call(self, messages: tuple[BaseMessage, ...]) -> Generator[Call, Any, Reply]:
        while True:
            runnable = self._runnable()
            if time.monotonic() >= self._end:
                raise self._too_late()
            self.usage["calls"] += 1
            try:
                result = yield Call(runnable, messages, self._end)
                reply = Reply.from_message(message_of(result))
            except Exception as error:
                cut_off = Reply.from_error(error)
                if cut_off is None:
                    self._recover(error)
                    continue
                reply = cut_off
            self.usage["prompt_tokens"] += reply.prompt_tokens
            self.usage["completion_tokens"] += reply.completion_tokens
            return reply

    def _runnable(self) -> Runnable[Any, Any]:
        try:
            return held_to(self.model, self._method, self.schema or {})
        except StructureError as error:
            self._step_down(f"{model_name(self.model)} offers no {self._method} ({one_line(str(error))[:200]})")
            return self.model

    def _recover(self, error: Exception) -> None:
        """Change how, or whom, the next call asks, or raise what the caller is to see."""
        name, said = model_name(self.model), heard(error, self.settings)
        filtered = is_filtered(error, self.settings)
        if self._method != "plain" and not filtered and is_refused(error, self.settings):
            self._step_down(f"{name} refuses {self._method} ({said})")
            return
        if is_mistake(error):
            raise error
        failure = explain(error, self.settings, name, self.setting)
        if not isinstance(failure, ModelUnavailableError):
            if self._adapt(said):
                return
            raise failure from self._cause(error)
        if is_timeout(error) and time.monotonic() >= self._end:
            raise self._too_late() from self._cause(error)
        if self.fallback_model is not None and not self._handed_over and is_overload(error):
            self._hand_over(str(failure))
            return
        kind = FilteredError if filtered else UnansweredError
        before = "".join(f"{one['why']}; then " for one in self.degraded if one["what"] == MODEL)
        raise self._unanswered(f"{before}{failure}", kind) from self._cause(error)

    def _recall(self) -> None:
        """Begin with what earlier steps of the task had to change."""
        for one in self.request.degraded:
            what, instead = one["what"], one["instead"]
            if what == STRUCTURE:
                self._method = "plain"
            elif what == MANNER and instead in MANNERS and isinstance(self.model, Adaptable):
                self.model = self.model.in_manner(MANNERS[instead])
            elif what == MODEL and self.fallback_model is not None and not self._handed_over:
                fallback = self._fallback()
                if model_name(fallback) == instead:
                    self._take(fallback)

    def _hand_over(self, why: str) -> None:
        self._take(self._fallback())
        self._note(MODEL, why, model_name(self.model))

    def _take(self, fallback: BaseChatModel) -> None:
        self.model, self.setting = fallback, "FALLBACK_MODEL"
        self._handed_over, self._adapted = True, False

    def _fallback(self) -> BaseChatModel:
        fallback = self.fallback_model
        assert fallback is not None  # noqa: S101 - callers look first
        return fallback if isinstance(fallback, BaseChatModel) else fallback()

    def _step_down(self, why: str) -> None:
        if self._method != "plain":
            self._method = "plain"
            self._note(STRUCTURE, why, "plain")

    def _adapt(self, said: str) -> bool:
        """Ask in the manner that the endpoint wants, once; tell whether there is one."""
        manner = None if self._adapted else other_manner(self.model, said)
        if manner is None or not isinstance(self.model, Adaptable):
            return False
        self._adapted = True
        self._note(
            MANNER, f"{model_name(self.model)} refuses to be asked with {self.model.manner} ({said})", str(manner)
        )
        self.model = self.model.in_manner(manner)
        return True

    def _note(self, what: str, why: str, instead: str) -> None:
        self.degraded.append(
            {"step": self.step, "round": self.request.attempt, "what": what, "why": why, "instead": instead}
        )

    def _cause(self, error: Exception) -> Exception | None:
        """Return the error for the traceback, unless the endpoint repeated the key in it."""
        key = self.settings.dashscope_api_key
        return None if key and key in str(error) else error

    def _refused(self, words: str) -> UnansweredError:
        return self._unanswered(f"{model_name(self.model)} refused to answer ({one_line(words)[:200]})", FilteredError)

    def _too_late(self) -> UnansweredError:
        budget = f"LLM_TIME_BUDGET is {self.settings.llm_time_budget:g} s"
        return self._unanswered(f"{model_name(self.model)} has not answered in the time for all model calls ({budget})")

    def _unanswered(self, why: str, kind: type[UnansweredError] = UnansweredError) -> UnansweredError:
        if self.settings.on_failure == "raise":
            why += "; try again, or let the local reasoner stand in (SELECTOR_ON_FAILURE=fallback)"
        return kind(why, self.usage, tuple(self.degraded))


def ask(steps: Steps[T]) -> Answer[T]:
    """Make the calls of an exchange and return its answer.

    A call that blocks ends by the model's own time limits: ours keep to `Call.end`, others know nothing of it.
    """
    try:
        call = next(steps)
        while True:
            try:
                with until(call.end):
                    result = call.runnable.invoke(list(call.messages), config=_config())
            except Exception as error:
                call = steps.throw(error)
            else:
                call = steps.send(result)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def aask(steps: Steps[T], timeout: float | None = None) -> Answer[T]:  # noqa: ASYNC109 - it bounds each call
    """Make the calls of an exchange and return its answer; cancelling it, or the end of its time, ends the call.

    `timeout` bounds each call, in seconds, where that is sooner.
    """
    try:
        call = next(steps)
        while True:
            try:
                end = call.end if timeout is None else min(call.end, time.monotonic() + timeout)
                with until(end):
                    async with asyncio.timeout(max(0.0, end - time.monotonic())):
                        result = await call.runnable.ainvoke(list(call.messages), config=_config())
            except Exception as error:
                call = steps.throw(error)
            else:
                call = steps.send(result)
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
