"""What went wrong in a call of a chat model, as one of the two errors that callers know.

Works for any LangChain model: by the error classes that langchain-core gives to all of them, by the HTTP status that
client libraries put on their errors, and by Python's own classes.
"""

import math
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from langchain_core import exceptions as langchain

from skill_selector.graph.errors import ModelSetupError, ModelUnavailableError, SkillSelectorError
from skill_selector.graph.records import Degradation, Usage
from skill_selector.graph.settings import Settings
from skill_selector.prompts.fencing import one_line

OVERLOADED = 529
MOST_CHARACTERS = 200
MOST_TOLD_WAIT = 366 * 86_400.0
"""Seconds; whoever asks to wait longer means something else."""

_STATUS_OF_CLASS: dict[type[Exception], int] = {
    langchain.ModelAuthenticationError: 401,
    langchain.ModelPermissionDeniedError: 403,
    langchain.ModelNotFoundError: 404,
    langchain.ModelRateLimitError: 429,
    langchain.ModelAPIError: 500,
    langchain.ModelInvalidRequestError: 400,
}
_MISTAKES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NameError,
    RecursionError,
    TypeError,
)
_FILTER = re.compile(r"content[_ ]?filter|data_?inspection_?failed|inappropriate content|content_policy", re.IGNORECASE)
_FILTER_CLASSES = ("ContentFilterFinishReasonError", "OpenAIRefusalError")
_NO_MODEL = re.compile(
    r"model[_ ]not[_ ](?:found|exist)|(?:no such|unknown) model|model\b.{0,80}\b(?:not exist|not found|not supported)",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient_quota|quota|arrearage|balance", re.IGNORECASE)
_KEY = re.compile(r"\b(?:sk|pk|ak)-[\w*.-]{4,}|\bBearer\s+\S+", re.IGNORECASE)


class UnansweredError(ModelUnavailableError):
    """The model did not answer usably; `usage` is what the attempts cost, `degraded` what was changed on the way."""

    def __init__(self, message: str, usage: Usage, degraded: tuple[Degradation, ...] = ()) -> None:
        super().__init__(message)
        self.usage = usage
        self.degraded = degraded


class FilteredError(UnansweredError):
    """The model, or a filter before or behind it, refused what it was asked."""


def is_mistake(error: Exception) -> bool:
    """Tell whether the code of the model is wrong, rather than that it did not answer: no other try can help."""
    return isinstance(error, _MISTAKES)


def is_overload(error: Exception) -> bool:
    """Tell whether the endpoint said that it is overloaded."""
    return status_of(error) == OVERLOADED


def is_timeout(error: Exception) -> bool:
    """Tell whether the answer did not come in time."""
    return isinstance(error, TimeoutError | langchain.ModelTimeoutError) or "Timeout" in type(error).__name__


def is_filtered(error: Exception, settings: Settings) -> bool:
    """Tell whether a content filter refused the request or the answer."""
    if isinstance(error, langchain.ModelRefusalError) or type(error).__name__ in _FILTER_CLASSES:
        return True
    return status_of(error) in range(400, 500) and bool(_FILTER.search(heard(error, settings)))


def explain(error: Exception, settings: Settings, model: str, setting: str | None = "LLM_MODEL") -> SkillSelectorError:
    """Return the error that the caller is to see; the message never holds a key.

    Args:
        error: what the model's client raised.
        settings: those of the run.
        model: the name of the model that was called.
        setting: the setting that named it; None for a model of the caller's own, which no setting can correct.
    """
    if isinstance(error, SkillSelectorError):
        return error
    said = heard(error, settings)
    status = status_of(error)
    passing = _transport(error, settings, model, own=setting is None) or _refusal(error, settings, said, model)
    if passing is None and status is not None:
        passing = _passing_status(error, status, said, model)
        if passing is None:
            return ModelSetupError(_setup_status(status, said, model, setting))
    if passing is None and isinstance(error, ImportError | NotImplementedError):
        return ModelSetupError(f"{model} cannot be called: {said}")
    hint = "" if setting is None else "; is LLM_BASE_URL right?"
    return ModelUnavailableError(
        passing or f"no chat completion came back from {model}{hint} ({type(error).__name__}: {said})"
    )


def _transport(error: Exception, settings: Settings, model: str, *, own: bool) -> str | None:
    if is_timeout(error):
        limit = "the limit is its own" if own else f"LLM_TIMEOUT is {settings.llm_timeout:g} s"
        return f"{model} did not answer in time ({limit})"
    if isinstance(error, ConnectionError | langchain.ModelConnectionError):
        return f"{model} cannot be reached{_address(error)}: {heard(_root(error), settings)}"
    return None


def _refusal(error: Exception, settings: Settings, said: str, model: str) -> str | None:
    if isinstance(error, langchain.ContextOverflowError):
        return f"the request is too long for {model}: {said}"
    if is_filtered(error, settings):
        return f"a content filter refused the request to {model}: {said}"
    return None


def _passing_status(error: Exception, status: int, said: str, model: str) -> str | None:
    """Return what a status says that may be another one next time, or None."""
    http = _http(status, said)
    if status == OVERLOADED:
        return f"{model} is overloaded ({http})"
    if status == 429:
        if _QUOTA.search(said):
            return f"the quota of the key is used up ({http})"
        return f"{model} refuses more requests for now ({http}){_retry_after(error)}"
    if status in (408, 409) or status >= 500:
        return f"the endpoint of {model} failed ({http})"
    return None


def _setup_status(status: int, said: str, model: str, setting: str | None) -> str:
    http = _http(status, said)
    if status == 401:
        what, way_out = "refused the key", "correct DASHSCOPE_API_KEY, or select with --offline"
    elif status == 404 or _NO_MODEL.search(said):
        what = f"does not know the model {model}"
        way_out = f"correct {setting}, or LLM_BASE_URL if the address is wrong"
    elif status == 403:
        what = "forbids the request"
        way_out = f"check DASHSCOPE_API_KEY and that it may use the model {model} ({setting})"
    else:
        what, way_out = f"refused the request to {model}", f"check {setting} and LLM_BASE_URL"
        if "thinking" in said:
            way_out = "set LLM_ENABLE_THINKING to what the model allows"
    if setting is None:
        way_out = 'correct the model that was passed in as `llm`, or select with reasoner="local"'
    return f"the endpoint {what} ({http}): {way_out}"


def _http(status: int, said: str) -> str:
    return f"HTTP {status}: {said}" if said else f"HTTP {status}"


def status_of(error: Exception) -> int | None:
    """Return the HTTP status that an error stands for, whichever client raised it."""
    for source in (error, getattr(error, "response", None)):
        status = getattr(source, "status_code", None)
        if isinstance(status, int) and status >= 300:
            return status
    return next((status for kind, status in _STATUS_OF_CLASS.items() if isinstance(error, kind)), None)


def heard(error: BaseException, settings: Settings) -> str:
    """Return what the server or the client said, in one short line without keys."""
    body: Any = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(inner, dict):
        words = [str(inner[key]) for key in ("message", "code") if inner.get(key)]
        text = " ".join(words[:1] + [f"({word})" for word in words[1:] if word not in words[0]])
    elif isinstance(body, str) and body.strip():
        text = body
    else:
        text = str(getattr(error, "message", "") or error) or type(error).__name__
    text = re.sub(r"<[^<>]{0,200}>", " ", text)
    if settings.dashscope_api_key:
        text = text.replace(settings.dashscope_api_key, "***")
    text = one_line(_KEY.sub("***", text))
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _root(error: BaseException) -> BaseException:
    seen = {id(error)}
    while (cause := error.__cause__ or error.__context__) is not None and id(cause) not in seen:
        seen.add(id(cause))
        error = cause
    return error


def _address(error: Exception) -> str:
    url = getattr(getattr(error, "request", None), "url", None)
    host, port = getattr(url, "host", ""), getattr(url, "port", None)
    return (f" at {host}:{port}" if port else f" at {host}") if host else ""


def _retry_after(error: Exception) -> str:
    """Return when the server wants to be asked again, as it says it and as a time of the clock."""
    wait = retry_wait(getattr(getattr(error, "response", None), "headers", {}))
    if wait is None or not 1 <= wait <= MOST_TOLD_WAIT:
        return ""
    when = datetime.now(UTC) + timedelta(seconds=wait)
    return f"; it asks to wait {math.ceil(wait)} s, until {when:%Y-%m-%d %H:%M} UTC"


def retry_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, by the headers that clients obey; None where it names none."""
    for name, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(KeyError, ValueError):
            seconds = float(headers[name]) / divisor
            return seconds if 0 < seconds < math.inf else None
    with suppress(KeyError, ValueError, OverflowError, TypeError):
        seconds = parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time()
        return seconds if seconds > 0 else None
    return None
