from typing import Any

import pytest
from langchain_core import exceptions as langchain

from skill_selector.graph.errors import ModelSetupError, ModelUnavailableError, SettingError
from skill_selector.graph.settings import Settings
from skill_selector.reasoners.failure import MOST_CHARACTERS, explain, is_overload


class StatusError(Exception):
    """As client libraries raise them."""

    def __init__(self, status: int, message: str = "", body: Any = None) -> None:
        super().__init__(message)
        self.status_code = status
        self.body = body


class ReadTimeout(Exception):  # noqa: N818 - the name that clients give it
    """A time-out that is no TimeoutError."""


def told(error: Exception, settings: Settings | None = None) -> str:
    return str(explain(error, settings or Settings(), "model-x"))


@pytest.mark.parametrize(
    "error",
    [
        langchain.ModelAuthenticationError("a"),
        langchain.ModelPermissionDeniedError("b"),
        langchain.ModelNotFoundError("c"),
        langchain.ModelInvalidRequestError("d"),
        StatusError(402, "pay first"),
        StatusError(413, "too large"),
        ImportError("no package"),
        NotImplementedError("no async"),
    ],
)
def test_what_the_caller_must_correct(error: Exception) -> None:
    assert isinstance(explain(error, Settings(), "model-x"), ModelSetupError)


@pytest.mark.parametrize(
    "error",
    [
        langchain.ModelRateLimitError("a"),
        langchain.ModelAPIError("b"),
        langchain.ModelConnectionError("c"),
        langchain.ModelTimeoutError("d"),
        langchain.ModelRefusalError("e"),
        langchain.ContextOverflowError("f"),
        StatusError(429),
        StatusError(599),
        TimeoutError(),
        ReadTimeout(),
        ConnectionResetError(),
        ValueError("no choices"),
    ],
)
def test_what_may_pass(error: Exception) -> None:
    assert isinstance(explain(error, Settings(), "model-x"), ModelUnavailableError)


def test_our_own_errors_stay_what_they_are() -> None:
    error = SettingError("LLM_BASE_URL is wrong")

    assert explain(error, Settings(), "model-x") is error


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429, 500, 529])
def test_no_setting_is_blamed_for_a_model_of_the_callers_own(status: int) -> None:
    for error in (StatusError(status, "no thinking"), TimeoutError(), ValueError("x"), ConnectionResetError()):
        message = str(explain(error, Settings(), "model-x", None))

        assert "LLM_" not in message
        assert "DASHSCOPE" not in message


def test_only_status_529_is_an_overload() -> None:
    assert is_overload(StatusError(529))
    assert not is_overload(StatusError(503))
    assert not is_overload(ValueError("529"))


def test_the_words_of_the_server_come_from_wherever_it_put_them() -> None:
    assert "said: so" not in told(StatusError(400, "plain"))
    assert "HTTP 400: plain" in told(StatusError(400, "plain"))
    assert "HTTP 400: inner (code_1)" in told(StatusError(400, "outer", {"message": "inner", "code": "code_1"}))
    assert "HTTP 400: deep" in told(StatusError(400, "outer", {"error": {"message": "deep"}}))


def test_messages_are_one_short_line() -> None:
    message = told(StatusError(500, "line one\nline two\x1b[31m " + "x" * 5000))

    assert "\n" not in message
    assert "\x1b" not in message
    assert len(message) < MOST_CHARACTERS + 100


@pytest.mark.parametrize("secret", ["sk-abcdef0123456789", "sk-ab***yz", "Bearer abc.def", "my-own-secret"])
def test_no_message_holds_a_key(secret: str) -> None:
    settings = Settings(dashscope_api_key="my-own-secret")

    for error in (StatusError(401, f"bad {secret}"), StatusError(500, f"x {secret}"), ValueError(secret)):
        assert secret not in told(error, settings)


def test_the_root_of_a_connection_error_is_told() -> None:
    error = langchain.ModelConnectionError("Connection error.")
    error.__cause__ = OSError("[Errno -2] Name or service not known")

    assert "Name or service not known" in told(error)
