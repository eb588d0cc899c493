"""ChatOpenAI for endpoints that are compatible with OpenAI's rather than OpenAI's own.

Import it where it is used: it brings the OpenAI client along.
"""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

import openai
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI

from skill_selector.reasoners.deadline import seconds_left
from skill_selector.reasoners.failure import retry_wait
from skill_selector.reasoners.manner import Manner

if TYPE_CHECKING or int(openai.__version__.split(".")[0]) >= 3:
    import httpx2 as httpx
else:
    import httpx

Hooks = dict[str, list[Callable[..., Any]]]

OPENAI_HOST = "api.openai.com"
_RETRIES = "x-stainless-retry-count"
_END, _WATCH = "skill_selector_end", "skill_selector_watch"
_TOO_SLOW = "the answer took too long"
MOST_WAIT = 60.0
"""Seconds between two tries at most; the client does not obey a server that asks for more."""
_THINKING = "enable_thinking"
_USED_UP = (b"insufficient_quota", b"exceeded your current quota", b"Arrearage")


def _is_usage(usage: Any) -> bool:
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")] if isinstance(usage, dict) else [""]
    return all(isinstance(count, int) for count in counts)


class NoCompletionError(ValueError):
    """The endpoint answered with something else than a chat completion."""


class EndpointChatModel(ChatOpenAI):
    """A ChatOpenAI that names the limit of tokens as other endpoints do, and keeps what they say beside the answer."""

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        # ChatOpenAI renames the field for OpenAI's newest models; elsewhere the old name is the one that works.
        if OPENAI_HOST not in (self.openai_api_base or "") and "max_completion_tokens" in payload:
            payload["max_tokens"] = payload.pop("max_completion_tokens")
        if "response_format" in payload:
            # ChatOpenAI would have the client parse the answer, which drops what it cannot read and what it cost.
            more = payload.get("extra_body") or {}
            payload["extra_body"] = {**more, "response_format": payload.pop("response_format")}
        return payload

    @property
    def manner(self) -> Manner:
        """How the model is asked: with thinking or without, streamed or not."""
        return Manner((self.extra_body or {}).get(_THINKING), stream=self.streaming)

    def in_manner(self, manner: Manner) -> Self:
        """Return the model as it is asked in another manner."""
        more = {name: value for name, value in (self.extra_body or {}).items() if name != _THINKING}
        if manner.thinking is not None:
            more[_THINKING] = manner.thinking
        return self.model_copy(
            update={
                "extra_body": more or None,
                "streaming": manner.stream,
                # Otherwise replies are read whole, also where a graph that embeds the selector streams messages.
                "disable_streaming": not manner.stream,
            }
        )

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        usage = chunk.get("usage")
        if usage and not _is_usage(usage):
            chunk = {**chunk, "usage": None}
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        choices = chunk.get("choices") or [{}]
        reasoning = (choices[0].get("delta") or {}).get("reasoning_content")
        if made is not None and isinstance(reasoning, str) and reasoning:
            made.message.additional_kwargs["reasoning_content"] = reasoning
        return made

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        if not isinstance(getattr(response, "usage", None), openai.BaseModel | None):
            response.usage = None  # type: ignore[union-attr]
        try:
            result = super()._create_chat_result(response, generation_info)
        except (AttributeError, LookupError, TypeError) as error:
            raise NoCompletionError(str(error)) from error
        if not result.generations:
            result.generations.append(ChatGeneration(message=AIMessage("")))
        for choice, generation in zip(getattr(response, "choices", None) or [], result.generations, strict=False):
            # Not part of OpenAI's schema, so ChatOpenAI drops it.
            reasoning = getattr(choice.message, "reasoning_content", None)
            if isinstance(reasoning, str) and reasoning:
                generation.message.additional_kwargs["reasoning_content"] = reasoning
        return result


class _Client(openai.DefaultHttpxClient):
    """Waits `seconds` for an answer, less where the time of all model calls ends before."""

    seconds: float

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        watch = _Watch(request, _limit(request, self.seconds))
        try:
            return super().send(request, **options)
        except httpx.TransportError as error:
            watch.cancel()
            raise _verdict(request, error, late=watch.over) from error

    def __del__(self) -> None:
        if not self.is_closed:
            self.close()


class _AsyncClient(openai.DefaultAsyncHttpxClient):
    seconds: float

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        seconds = _limit(request, self.seconds)
        request.extensions[_END] = time.monotonic() + seconds
        try:
            async with asyncio.timeout(seconds):
                return await super().send(request, **options)
        except TimeoutError as error:
            raise httpx.ReadTimeout(_TOO_SLOW, request=request) from error
        except httpx.TransportError as error:
            raise _verdict(request, error, late=False) from error


def http_clients(timeout: float) -> tuple[httpx.Client, httpx.AsyncClient]:
    """Return the two clients of one model.

    `timeout`, in seconds, bounds the whole answer, beyond what httpx does: a server that sends a byte now and then is
    not waited for. Nothing takes longer than `deadline.seconds_left` says. A request that the quota no longer covers is
    not repeated, nor one that the server wants to have again only after that, or in more than `MOST_WAIT`; a connection
    that cannot be made is tried once more. Connections are not kept: an asynchronous one would outlive its event loop.
    """
    limits = httpx.Limits(max_connections=1000, max_keepalive_connections=0)

    def answered(response: httpx.Response) -> None:
        stream = response.stream
        if isinstance(stream, httpx.SyncByteStream):
            response.stream = _Watched(stream, response.request)
        _mark_too_long(response)
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            _mark_used_up(response, response.read())

    async def aanswered(response: httpx.Response) -> None:
        stream = response.stream
        if isinstance(stream, httpx.AsyncByteStream):
            response.stream = _AsyncDeadline(stream, response.request)
        _mark_too_long(response)
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            _mark_used_up(response, await response.aread())

    hooks: Hooks = {"response": [answered]}
    async_hooks: Hooks = {"response": [aanswered]}
    client = _Client(timeout=timeout, limits=limits, event_hooks=hooks)
    async_client = _AsyncClient(timeout=timeout, limits=limits, event_hooks=async_hooks)
    client.seconds = async_client.seconds = timeout
    return client, async_client


def _limit(request: httpx.Request, timeout: float) -> float:
    """Return the seconds that the request may take, and hold each of its waits to them.

    Raises:
        APITimeoutError: none are left; of all errors, the client repeats only those that are not its own.
    """
    seconds = min(timeout, seconds_left())
    if seconds <= 0:
        raise openai.APITimeoutError(request=request)
    request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
    return seconds


def _verdict(request: httpx.Request, error: httpx.TransportError, *, late: bool) -> Exception:
    """Return what the client is to see: its retries end after the first connection that could not be made."""
    if late:
        return httpx.ReadTimeout(_TOO_SLOW, request=request)
    if isinstance(error, httpx.ConnectError) and request.headers.get(_RETRIES, "0") != "0":
        return openai.APIConnectionError(request=request)
    return error


def _mark_too_long(response: httpx.Response) -> None:
    wait = retry_wait(response.headers)
    if wait is not None and wait > min(MOST_WAIT, seconds_left()):
        response.headers["x-should-retry"] = "false"


def _mark_used_up(response: httpx.Response, body: bytes) -> None:
    if any(words in body for words in _USED_UP):
        response.headers["x-should-retry"] = "false"


class _Watch:
    """Cuts the connection of a request when its time is over: nothing else ends a read that blocks."""

    def __init__(self, request: httpx.Request, seconds: float) -> None:
        self.over = False
        self._socket: Any = None
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True
        request.extensions |= {"trace": self._trace, _WATCH: self}
        self._timer.start()

    def cancel(self) -> None:
        """Do nothing any more."""
        self._timer.cancel()

    def _trace(self, event: str, about: dict[str, Any]) -> None:
        if event.endswith("connect_tcp.complete"):
            self._socket = about["return_value"].get_extra_info("socket")
            if self.over:
                self._shut()

    def _cut(self) -> None:
        self.over = True
        self._shut()

    def _shut(self) -> None:
        with suppress(OSError, AttributeError):
            self._socket.shutdown(socket.SHUT_RDWR)


class _Watched(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, request: httpx.Request) -> None:
        self.stream = stream
        self.request = request
        self.watch: _Watch = request.extensions[_WATCH]

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self.stream
        except httpx.TransportError as error:
            raise _verdict(self.request, error, late=self.watch.over) from error
        if self.watch.over:
            # an answer without a stated length looks complete when it is cut
            raise httpx.ReadTimeout(_TOO_SLOW, request=self.request)

    def close(self) -> None:
        self.watch.cancel()
        self.stream.close()


class _AsyncDeadline(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, request: httpx.Request) -> None:
        self.stream = stream
        self.request = request
        self.end: float = request.extensions[_END]

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = self.stream.__aiter__()
        while True:
            try:
                async with asyncio.timeout(max(0.0, self.end - time.monotonic())):
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise httpx.ReadTimeout(_TOO_SLOW, request=self.request) from error
            yield chunk

    async def aclose(self) -> None:
        await self.stream.aclose()
