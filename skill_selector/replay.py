"""Two chat models: one that records what a real one answers, and one that plays it back without the real one."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import reduce
from operator import add
from pathlib import Path
from threading import Lock
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, message_chunk_to_message
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from skill_selector.recording import (
    Entry,
    RecordingError,
    append,
    digest_of,
    entry_of,
    load,
    message_from,
    missing,
)


def recorded_model(path: str | os.PathLike[str], make: Callable[[], BaseChatModel]) -> BaseChatModel:
    """Return a model that replays the file where there is one, and else one that makes it with the real model.

    Args:
        path: the file of exchanges; delete it to record anew.
        make: returns the real model; not called where the file exists, so that no key is needed then.

    Raises:
        RecordingError: the file is no recording.
    """
    return ReplayChatModel(path) if Path(path).exists() else RecordingChatModel(make(), path)


class _ExchangeModel(BaseChatModel):
    path: Path
    """The file of exchanges, JSONL."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Runnable[Any, AIMessage]:
        """Return the model with tools bound, in one form for all models, so that requests are known again."""
        return self.bind(tools=[convert_to_openai_tool(one) for one in tools], **options)


class ReplayChatModel(_ExchangeModel):
    """Answers what was recorded, by request, from any thread; it never calls anybody.

    A request that was recorded several times gets its answers in their order, the last one from then on. One that was
    not recorded raises `RecordingError`, which says how it differs from the nearest one.
    """

    _recorded: dict[str, list[Entry]] = PrivateAttr()
    _times: dict[str, int] = PrivateAttr(default_factory=dict)
    _lock: Lock = PrivateAttr(default_factory=Lock)

    def __init__(self, path: str | os.PathLike[str], **fields: Any) -> None:
        super().__init__(path=Path(path), **fields)
        self._recorded = load(self.path)

    @property
    def _llm_type(self) -> str:
        return "replay"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return _result(message_from(self._next(messages, stop, kwargs)["reply"]))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, stop, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        entry = self._next(messages, stop, kwargs)
        for one in entry.get("chunks") or [entry["reply"]]:
            chunk = _chunk(message_from(one))
            if run_manager:
                run_manager.on_llm_new_token(str(chunk.text), chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages, stop, **kwargs):
            if run_manager:
                await run_manager.on_llm_new_token(str(chunk.text), chunk=chunk)
            yield chunk

    def _next(self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]) -> Entry:
        request = digest_of(messages, stop, options)
        answers = self._recorded.get(request)
        if not answers:
            raise RecordingError(missing(self.path, request, messages, self._recorded))
        with self._lock:
            number = self._times.get(request, 0)
            self._times[request] = number + 1
        return answers[min(number, len(answers) - 1)]


class RecordingChatModel(_ExchangeModel):
    """Asks a real chat model and appends each exchange to the file.

    Never written: keys that the model holds, values of environment variables that are named like keys, and text that
    looks like a key. What the model raises goes to the caller and is not recorded, nor is a stream that nobody read to
    its end.
    """

    model: BaseChatModel
    """The real one."""

    def __init__(self, model: BaseChatModel, path: str | os.PathLike[str], **fields: Any) -> None:
        fields["model"] = model
        super().__init__(path=Path(path), **fields)

    @property
    def _llm_type(self) -> str:
        return "recording"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        reply = self._bound(kwargs).invoke(messages, _alone(), stop=stop)
        self._keep(messages, stop, kwargs, reply)
        return _result(reply)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        reply = await self._bound(kwargs).ainvoke(messages, _alone(), stop=stop)
        await asyncio.to_thread(self._keep, messages, stop, kwargs, reply)
        return _result(reply)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        chunks: list[BaseMessage] = []
        for message in self._bound(kwargs).stream(messages, _alone(), stop=stop):
            chunks.append(message)
            chunk = _chunk(message)
            if run_manager:
                run_manager.on_llm_new_token(str(chunk.text), chunk=chunk)
            yield chunk
        self._keep(messages, stop, kwargs, _merged(chunks), chunks)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        chunks: list[BaseMessage] = []
        async for message in self._bound(kwargs).astream(messages, _alone(), stop=stop):
            chunks.append(message)
            chunk = _chunk(message)
            if run_manager:
                await run_manager.on_llm_new_token(str(chunk.text), chunk=chunk)
            yield chunk
        await asyncio.to_thread(self._keep, messages, stop, kwargs, _merged(chunks), chunks)

    def _bound(self, options: dict[str, Any]) -> Runnable[Any, Any]:
        """Return the real model with the options, its tools in its own form."""
        others = {name: value for name, value in options.items() if name != "tools"}
        if "tools" in options:
            return self.model.bind_tools(options["tools"], **others)
        return self.model.bind(**others) if others else self.model

    def _keep(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None,
        options: dict[str, Any],
        reply: BaseMessage,
        chunks: Sequence[BaseMessage] = (),
    ) -> None:
        entry = entry_of(digest_of(messages, stop, options), messages, options, reply, chunks)
        append(self.path, entry, self.model)


def _alone() -> RunnableConfig:
    # whoever listens to this model must not hear the real one as a second one
    return {"callbacks": []}


def _result(message: BaseMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


def _chunk(message: BaseMessage) -> ChatGenerationChunk:
    if isinstance(message, AIMessageChunk):
        return ChatGenerationChunk(message=message)
    return ChatGenerationChunk(message=AIMessageChunk(**message.model_dump(exclude={"type"})))


def _merged(chunks: Sequence[Any]) -> BaseMessage:
    return message_chunk_to_message(reduce(add, chunks)) if chunks else AIMessage("")
