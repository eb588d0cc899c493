"""ChatOpenAI for endpoints that are compatible with OpenAI's rather than OpenAI's own.

Import it where it is used: it brings the OpenAI client along.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterator
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
_STARTED = "skill_selector_started"
_USED_UP = (b"insufficient_quota", b"exceeded your current quota", b"Arrearage")


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
        result = super()._create_chat_result(response, generation_info)
        if not result.generations:
            result.generations.append(ChatGeneration(message=AIMessage("")))
        for choice, generation in zip(getattr(response, "choices", None) or [], result.generations, strict=False):
            # Not part of OpenAI's schema, so ChatOpenAI drops it.
            reasoning = getattr(choice.message, "reasoning_content", None)
            if isinstance(reasoning, str) and reasoning:
                generation.message.additional_kwargs["reasoning_content"] = reasoning
        return result


class _Client(openai.DefaultHttpxClient):
    def __del__(self) -> None:
        if not self.is_closed:
            self.close()


def http_clients(timeout: float) -> tuple[httpx.Client, httpx.AsyncClient]:
    """Return the two clients of one model.

    `timeout`, in seconds, bounds each wait and, beyond what httpx does, the whole answer: a server that sends a byte
    now and then is not waited for. A request that the quota no longer covers is not repeated. Connections are not
    kept: an asynchronous one would outlive its event loop.
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
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            _mark_used_up(response, response.read())

    async def aanswered(response: httpx.Response) -> None:
        stream = response.stream
        if isinstance(stream, httpx.AsyncByteStream):
            response.stream = _AsyncDeadline(stream, response.request, timeout)
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            _mark_used_up(response, await response.aread())

    hooks: Hooks = {"request": [started], "response": [answered]}
    async_hooks: Hooks = {"request": [astarted], "response": [aanswered]}
    return (
        _Client(timeout=timeout, limits=limits, event_hooks=hooks),
        openai.DefaultAsyncHttpxClient(timeout=timeout, limits=limits, event_hooks=async_hooks),
    )


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
