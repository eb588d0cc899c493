"""ChatOpenAI for endpoints that are compatible with OpenAI's rather than OpenAI's own.

Import it where it is used: it brings the OpenAI client along.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import openai
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_openai import ChatOpenAI

if TYPE_CHECKING or int(openai.__version__.split(".")[0]) >= 3:
    import httpx2 as httpx
else:
    import httpx

Hooks = dict[str, list[Callable[..., Any]]]

OPENAI_HOST = "api.openai.com"
_RETRIES = "x-stainless-retry-count"
_STARTED = "skill_selector_started"
_USED_UP = (b"insufficient_quota", b"exceeded your current quota", b"Arrearage")


class NoCompletionError(ValueError):
    """The endpoint answered with something else than a chat completion."""


class EndpointChatModel(ChatOpenAI):
    """A ChatOpenAI that names the limit of tokens as other endpoints do, and keeps what they say beside the answer."""

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        # ChatOpenAI renames the field for OpenAI's newest models; elsewhere the old name is the one that works.
        if OPENAI_HOST not in (self.openai_api_base or "") and "max_completion_tokens" in payload:
            payload["max_tokens"] = payload.pop("max_completion_tokens")
        return payload

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
    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        try:
            return super().send(request, **options)
        except httpx.ConnectError as error:
            _give_up(request, error)
            raise

    def __del__(self) -> None:
        if not self.is_closed:
            self.close()


class _AsyncClient(openai.DefaultAsyncHttpxClient):
    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        try:
            return await super().send(request, **options)
        except httpx.ConnectError as error:
            _give_up(request, error)
            raise


def http_clients(timeout: float) -> tuple[httpx.Client, httpx.AsyncClient]:
    """Return the two clients of one model.

    `timeout`, in seconds, bounds each wait and, beyond what httpx does, the whole answer: a server that sends a byte
    now and then is not waited for. A request that the quota no longer covers is not repeated, nor one that the server
    wants to have again only after more than `timeout`; a connection that cannot be made is tried once more. Connections
    are not kept: an asynchronous one would outlive its event loop.
    """
    limits = httpx.Limits(max_connections=1000, max_keepalive_connections=0)

    def started(request: httpx.Request) -> None:
        request.extensions[_STARTED] = time.monotonic()

    async def astarted(request: httpx.Request) -> None:
        started(request)

    def answered(response: httpx.Response) -> None:
        stream = response.stream
        if isinstance(stream, httpx.SyncByteStream):
            response.stream = _Deadline(stream, response.request, timeout)
        _mark_too_long(response, timeout)
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            _mark_used_up(response, response.read())

    async def aanswered(response: httpx.Response) -> None:
        stream = response.stream
        if isinstance(stream, httpx.AsyncByteStream):
            response.stream = _AsyncDeadline(stream, response.request, timeout)
        _mark_too_long(response, timeout)
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            _mark_used_up(response, await response.aread())

    hooks: Hooks = {"request": [started], "response": [answered]}
    async_hooks: Hooks = {"request": [astarted], "response": [aanswered]}
    return (
        _Client(timeout=timeout, limits=limits, event_hooks=hooks),
        _AsyncClient(timeout=timeout, limits=limits, event_hooks=async_hooks),
    )


def _give_up(request: httpx.Request, error: httpx.ConnectError) -> None:
    """End the client's retries after the first: it repeats every error but its own."""
    if request.headers.get(_RETRIES, "0") != "0":
        raise openai.APIConnectionError(request=request) from error


def _mark_too_long(response: httpx.Response, timeout: float) -> None:
    if _wait(response.headers) > timeout:
        response.headers["x-should-retry"] = "false"


def _wait(headers: httpx.Headers) -> float:
    """Return the seconds that a server asks to wait, by the headers that the client obeys."""
    for name, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(KeyError, ValueError):
            return float(headers[name]) / divisor
    with suppress(KeyError, ValueError, OverflowError):
        return parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time()
    return 0.0


def _mark_used_up(response: httpx.Response, body: bytes) -> None:
    if any(words in body for words in _USED_UP):
        response.headers["x-should-retry"] = "false"


class _Deadline(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, request: httpx.Request, timeout: float) -> None:
        self.stream = stream
        self.request = request
        self.end = request.extensions[_STARTED] + timeout

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self.stream:
            yield chunk
            _check(self.end, self.request)

    def close(self) -> None:
        self.stream.close()


class _AsyncDeadline(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, request: httpx.Request, timeout: float) -> None:
        self.stream = stream
        self.request = request
        self.end = request.extensions[_STARTED] + timeout

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self.stream:
            yield chunk
            _check(self.end, self.request)

    async def aclose(self) -> None:
        await self.stream.aclose()


def _check(end: float, request: httpx.Request) -> None:
    if time.monotonic() > end:
        raise httpx.ReadTimeout("the answer took too long", request=request)
