"""The chat model that the settings describe."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from skill_selector.graph.errors import ModelSetupError, SettingError
from skill_selector.graph.settings import Settings
from skill_selector.reasoners.manner import Manner

DASHSCOPE_HOSTS = ("aliyuncs.com",)
"""Hosts, with their subdomains, that understand `enable_thinking`."""


def make_model(settings: Settings) -> BaseChatModel:
    """Return a client for the OpenAI-compatible endpoint at `settings.llm_base_url`.

    `enable_thinking` goes along where the endpoint is DashScope's, whose models think unless told not to, or where
    thinking was turned on; other endpoints refuse fields that they do not know. Equal settings share one client, which
    threads and event loops may use at the same time.

    Raises:
        ModelSetupError: there is no key, or it cannot be one.
        SettingError: the address is no http(s) URL.
    """
    if settings.dashscope_api_key is None:
        raise ModelSetupError(
            "the chat model needs a key: set DASHSCOPE_API_KEY in the environment or in .env, "
            'or select without a model (--offline, or reasoner="local")'
        )
    if not all("!" <= one <= "~" for one in settings.dashscope_api_key):
        raise ModelSetupError(
            "DASHSCOPE_API_KEY holds characters that no key has, such as spaces or Chinese: copy the key once more, "
            'or select without a model (--offline, or reasoner="local")'
        )
    endpoint = _Endpoint(
        base_url=settings.llm_base_url,
        key=settings.dashscope_api_key,
        thinking=settings.llm_enable_thinking,
        timeout=settings.llm_timeout,
        retries=settings.llm_max_retries,
    )
    return _make(endpoint, settings.llm_model, settings.llm_temperature, settings.llm_max_tokens)


def make_fallback_model(settings: Settings) -> BaseChatModel | None:
    """Return a client for `settings.fallback_model`, or None where none is set or there is no key.

    Raises:
        SettingError: the address is no http(s) URL.
    """
    if settings.fallback_model is None or settings.dashscope_api_key is None:
        return None
    return make_model(replace(settings, llm_model=settings.fallback_model))


@dataclass(frozen=True, kw_only=True)
class _Endpoint:
    base_url: str
    key: str = field(repr=False)
    thinking: bool
    timeout: float
    retries: int


@lru_cache(maxsize=8)
def _make(endpoint: _Endpoint, model: str, temperature: float, max_tokens: int) -> BaseChatModel:
    host = _host(endpoint.base_url)
    from skill_selector.reasoners.endpoint import EndpointChatModel, http_clients  # noqa: PLC0415 - takes a second

    known = any(host == one or host.endswith(f".{one}") for one in DASHSCOPE_HOSTS)
    client, async_client = http_clients(endpoint.timeout)
    made = EndpointChatModel(
        base_url=endpoint.base_url,
        api_key=SecretStr(endpoint.key),
        model=model,
        temperature=temperature,
        max_completion_tokens=max_tokens,
        timeout=endpoint.timeout,
        max_retries=endpoint.retries,
        http_client=client,
        http_async_client=async_client,
        stream_usage=True,
        use_responses_api=False,
    )
    # Many endpoints let a model think only where its answer is streamed.
    thinking = endpoint.thinking if known or endpoint.thinking else None
    return made.in_manner(Manner(thinking, stream=endpoint.thinking))


def _host(base_url: str) -> str:
    try:
        url = urlsplit(base_url)
        host, _ = url.hostname, url.port
    except ValueError:
        host = None
    else:
        host = host if url.scheme in ("http", "https") else None
    if not host:
        raise SettingError(f"LLM_BASE_URL is {base_url!r}: it must be an address such as https://host/v1")
    return host
