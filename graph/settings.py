"""Every setting: its environment name, its default, its range, and how the four sources are weighed.

An argument beats the environment, which beats `.env` in the working folder, which beats the default. Names and
defaults of the first group are those of source 000.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError

Convert = Callable[[Any], Any]

ReasonerName = Literal["auto", "llm", "local"]
OnAmbiguous = Literal["report", "ask"]
OnFailure = Literal["fallback", "raise"]
StructuredOutput = Literal["plain", "json_mode", "json_schema", "function_calling"]
Preference = Literal["none", "terse", "commented"]

ENDPOINT_PREFIX = "openai:"
"""What the model's name follows where embeddings come from an endpoint."""
ENDPOINT_MODEL = "text-embedding-3-small"
"""The model of an endpoint where none is named (source 003)."""
LOCAL_PREFIX = "sentence-transformers:"
"""The same for a model that runs here, in sentence-transformers."""
LOCAL_MODEL = "Qwen/Qwen3-Embedding-0.6B"
"""The model that runs here where none is named (source 003)."""


def _number(kind: type[int] | type[float], low: float, high: float) -> Convert:
    expected = f"a {'whole ' if kind is int else ''}number from {low:g} to {high:g}"

    def convert(value: Any) -> Any:
        try:
            number = kind(value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(expected) from None
        cut = isinstance(value, float) and number != value
        if isinstance(value, bool) or cut or not low <= number <= high:
            raise ValueError(expected)
        return number

    return convert


def _choice(*allowed: str) -> Convert:
    def convert(value: Any) -> str:
        if isinstance(value, str) and value.strip().lower() in allowed:
            return value.strip().lower()
        raise ValueError("one of " + ", ".join(allowed))

    return convert


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in {"1", "true", "yes", "on"}:
        return True
    if word in {"0", "false", "no", "off"}:
        return False
    raise ValueError("true or false")


def _text(value: Any) -> str:
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise ValueError("text that is not empty")


def _embeddings(value: Any) -> str:
    name = value.strip() if isinstance(value, str) else ""
    if name.lower() in {"bundled", "none"}:
        return name.lower()
    for prefix, model in ((ENDPOINT_PREFIX, ENDPOINT_MODEL), (LOCAL_PREFIX, LOCAL_MODEL)):
        if name.lower() == prefix.rstrip(":"):
            return prefix + model
        if name.startswith(prefix) and name.removeprefix(prefix).strip():
            return name
    raise ValueError(
        f"bundled, none, {ENDPOINT_PREFIX}MODEL for a model of an OpenAI-compatible endpoint, or {LOCAL_PREFIX}MODEL"
    )


def _setting(default: Any, env: str, convert: Convert, *, secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"env": env, "convert": convert})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The resolved settings of one run."""

    dashscope_api_key: str | None = _setting(None, "DASHSCOPE_API_KEY", _text, secret=True)
    llm_base_url: str = _setting("https://dashscope.aliyuncs.com/compatible-mode/v1", "LLM_BASE_URL", _text)
    llm_model: str = _setting("glm-5.2", "LLM_MODEL", _text)
    llm_temperature: float = _setting(0.2, "LLM_TEMPERATURE", _number(float, 0, 2))
    llm_max_tokens: int = _setting(2048, "LLM_MAX_TOKENS", _number(int, 1, 1_000_000))
    llm_enable_thinking: bool = _setting(False, "LLM_ENABLE_THINKING", _flag)
    fallback_model: str | None = _setting(None, "FALLBACK_MODEL", _text)
    top_k: int = _setting(5, "SELECTOR_TOP_K", _number(int, 1, 50))
    hit_threshold: float = _setting(60.0, "SELECTOR_HIT_THRESHOLD", _number(float, 0, 100))
    weight_action: float = _setting(0.4, "SELECTOR_WEIGHT_ACTION", _number(float, 0, 100))
    weight_domain: float = _setting(0.4, "SELECTOR_WEIGHT_DOMAIN", _number(float, 0, 100))
    weight_raw: float = _setting(0.2, "SELECTOR_WEIGHT_RAW", _number(float, 0, 100))

    min_gap: float = _setting(10.0, "SELECTOR_MIN_GAP", _number(float, 0, 100))
    max_attempts: int = _setting(2, "SELECTOR_MAX_ATTEMPTS", _number(int, 1, 10))
    strategy: str = _setting("react", "SELECTOR_STRATEGY", _text)
    reasoner: ReasonerName = _setting("auto", "SELECTOR_REASONER", _choice("auto", "llm", "local"))
    on_ambiguous: OnAmbiguous = _setting("report", "SELECTOR_ON_AMBIGUOUS", _choice("report", "ask"))
    on_failure: OnFailure = _setting("fallback", "SELECTOR_ON_FAILURE", _choice("fallback", "raise"))
    embeddings: str = _setting("bundled", "SELECTOR_EMBEDDINGS", _embeddings)
    embedding_base_url: str | None = _setting(None, "EMBEDDING_BASE_URL", _text)
    embedding_api_key: str | None = _setting(None, "EMBEDDING_API_KEY", _text, secret=True)
    project_directory: str | None = _setting(None, "SELECTOR_PROJECT_DIRECTORY", _text)
    strategies_file: str | None = _setting(None, "SELECTOR_STRATEGIES_FILE", _text)
    feedback_file: str | None = _setting(None, "SELECTOR_FEEDBACK_FILE", _text)
    feedback_prior: float = _setting(4.0, "SELECTOR_FEEDBACK_PRIOR", _number(float, 0, 1_000_000))
    feedback_shift: float = _setting(0.5, "SELECTOR_FEEDBACK_SHIFT", _number(float, 0, 0.9))
    log_file: str | None = _setting(None, "SELECTOR_LOG_FILE", _text)
    words_file: str | None = _setting(None, "SELECTOR_WORDS_FILE", _text)
    calibration: str | None = _setting(None, "SELECTOR_CALIBRATION", _text)
    cache_dir: str | None = _setting(None, "SELECTOR_CACHE_DIR", _text)
    catalog_max_tokens: int = _setting(8000, "SELECTOR_CATALOG_MAX_TOKENS", _number(int, 100, 10_000_000))
    skill_max_tokens: int = _setting(8000, "SELECTOR_SKILL_MAX_TOKENS", _number(int, 100, 10_000_000))
    context_budget: int = _setting(2000, "SELECTOR_CONTEXT_BUDGET", _number(int, 300, 1_000_000))
    route_timeout: float = _setting(2.0, "SELECTOR_ROUTE_TIMEOUT", _number(float, 0.01, 600))
    preference: Preference = _setting("none", "SELECTOR_PREFERENCE", _choice("none", "terse", "commented"))
    llm_timeout: float = _setting(60.0, "LLM_TIMEOUT", _number(float, 0.01, 3600))
    llm_max_retries: int = _setting(2, "LLM_MAX_RETRIES", _number(int, 0, 10))
    llm_time_budget: float = _setting(180.0, "LLM_TIME_BUDGET", _number(float, 0.01, 86_400))
    llm_prompt_tokens: int = _setting(2500, "LLM_PROMPT_TOKENS", _number(int, 2000, 1_000_000))
    llm_structured_output: StructuredOutput = _setting(
        "plain", "LLM_STRUCTURED_OUTPUT", _choice("plain", "json_mode", "json_schema", "function_calling")
    )


ENVIRONMENT_NAMES: dict[str, str] = {one.name: one.metadata["env"] for one in fields(Settings)}
"""The environment variable of each setting."""


def resolve_settings(
    context: SelectorContext | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    dotenv: Path | None = None,
    defaults: Callable[[Settings], Mapping[str, Any]] | None = None,
) -> Settings:
    """Return the settings of one run.

    Args:
        context: the run's own values; fields that are None are not set.
        environ: the environment; the process's own by default.
        dotenv: the file of settings; `.env` in the working folder by default. Reading it blocks.
        defaults: what holds of the settings that nobody set, given what the others are.

    Raises:
        SettingError: some values cannot be used; the message names every one of them with what it must be.
    """
    environ = os.environ if environ is None else environ
    from_file = _read_dotenv(Path(".env") if dotenv is None else dotenv)
    values: dict[str, Any] = {}
    faults: list[str] = []
    for one in fields(Settings):
        source, raw = _first_set(one.name, one.metadata["env"], context, environ, from_file)
        if source is None:
            continue
        try:
            values[one.name] = one.metadata["convert"](raw)
        except ValueError as expected:
            shown = f" is {raw!r}" if one.repr else ""
            faults.append(f"{source}{shown}: it must be {expected}; correct it or leave it out")
    if faults:
        raise SettingError("; ".join(faults))
    settings = Settings(**values)
    if defaults is not None:
        settings = Settings(**{**_checked_defaults(defaults(settings)), **values})
    if not (settings.weight_action or settings.weight_domain or settings.weight_raw):
        raise SettingError("SELECTOR_WEIGHT_ACTION, _DOMAIN and _RAW are all 0: at least one must be more than 0")
    return settings


def run_context(
    options: Mapping[str, Any],
    *,
    offline: bool,
    reasoner: object = None,
    embeddings: object = None,
    llm: object = None,
) -> SelectorContext:
    """Return the context of the options of a Python call.

    Args:
        options: by the names of `SelectorContext`.
        offline: reason locally, with the bundled embedder instead of an endpoint's.
        reasoner: the caller's own, or the name of one.
        embeddings: the caller's own, or the name of some.
        llm: the caller's own.

    Raises:
        SettingError: an option has no such name, or contradicts `offline`.
    """
    named = reasoner if isinstance(reasoner, str) else None
    if offline and not (reasoner is None or named == "local"):
        shown = repr(named) if named else "a reasoner of your own"
        raise SettingError(f"offline=True and reasoner={shown} contradict each other; leave one out")
    if offline and llm is not None:
        raise SettingError("offline=True and llm=… contradict each other, since offline asks no model; leave one out")
    values = {**options, "reasoner": "local" if offline else named}
    vectors = embeddings if isinstance(embeddings, str) else None
    return _offline_context(SelectorContext.from_options({**values, "embeddings": vectors}), offline)


def _offline_context(context: SelectorContext, offline: bool) -> SelectorContext:
    # An endpoint's embedder needs the network, and a model that runs here is fetched when it is first used.
    if not offline or not resolve_settings(context).embeddings.startswith((ENDPOINT_PREFIX, LOCAL_PREFIX)):
        return context
    if context.embeddings is not None:
        raise SettingError(f"offline=True and embeddings={context.embeddings!r} contradict each other; leave one out")
    return replace(context, embeddings="bundled")


def _checked_defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    kinds = {one.name: one.metadata["convert"] for one in fields(Settings)}
    checked = {}
    for name, value in given.items():
        try:
            checked[name] = kinds[name](value)
        except ValueError as expected:
            raise SettingError(f"the strategy's {name} is {value!r}: it must be {expected}") from None
    return checked


def _first_set(
    name: str,
    variable: str,
    context: SelectorContext | None,
    environ: Mapping[str, str],
    from_file: Mapping[str, str | None],
) -> tuple[str | None, Any]:
    argument = getattr(context, name, None)
    if argument is not None:
        return name, argument
    if environ.get(variable, "").strip():
        return variable, environ[variable]
    if (from_file.get(variable) or "").strip():
        return f"{variable} in .env", from_file[variable]
    return None, None


def _read_dotenv(path: Path) -> Mapping[str, str | None]:
    if not path.is_file():
        return {}
    from dotenv import dotenv_values  # noqa: PLC0415 - most runs have no such file

    try:
        return dotenv_values(path, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"{path.resolve()} cannot be read as UTF-8 settings: {error}") from error
