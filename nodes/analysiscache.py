"""Analyses kept by a LangGraph cache: under which key, and which of them.

An analysis is a model's answer to a task, to what tied in the round before, and to nothing else; asked again, the model
need not be called. What a run is told besides, such as what it cost, is not the cache's to repeat.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.cache.base import BaseCache, FullKey, Namespace

from skill_selector.catalog.cache import code_version
from skill_selector.graph.settings import Settings
from skill_selector.graph.state import SelectorState
from skill_selector.reasoners.base import NO_USAGE, AnalysisRequest
from skill_selector.retrievers.words import WordLists

Writes = Sequence[tuple[str, Any]]
"""What a node wrote: names of state keys with their values."""

_TRANSPORT = {"llm_timeout", "llm_max_retries"}
"""Settings of the model that no answer depends on."""
_DECISION = {"reasoner", "strategy", "hit_threshold", "min_gap"}
"""What decides who is asked, and what a second analysis is told."""

_logger = logging.getLogger(__name__)


def model_key(settings: Settings, words: WordLists, asked: object) -> str:
    """Return a digest of who analyses and how: the model, its settings, the prompt with its words. Reads files.

    Args:
        settings: those of the run.
        words: the run's word lists.
        asked: the caller's own chat model or reasoner; None where the settings name the model. A reasoner goes by its
            class, its name and, where these do not tell two apart, its attribute `identity`.
    """
    names = sorted(one.name for one in fields(Settings) if one.name.startswith("llm_") or one.name in _DECISION)
    own = {name: getattr(settings, name) for name in names if name not in _TRANSPORT}
    return _digest(_code(), own, sorted(words.action), sorted(words.domain), _prompt(settings, words), _own(asked))


def analysis_key(state: SelectorState) -> str:
    """Return the key of the analysis that the state asks for. Does no input or output: it runs on the event loop."""
    last = state["rounds"][-1] if state["rounds"] else None
    told = [last["analysis"], last["ranked"]] if last else []
    return _digest(state["resolved_task"], state["model_key"], state["catalog"]["digest"], state["attempt"], told)


class AnalysisCache(BaseCache[Any]):
    """A cache of the caller's, for the node `analyze`: keeps what the model itself answered, and that only.

    An analysis that fell back is not kept: the next run shall ask the model again. A kept one comes back as a step that
    cost nothing. Where the cache fails, the run goes on without it, and says so in the log.
    """

    def __init__(self, cache: BaseCache[Any]) -> None:
        super().__init__(serde=cache.serde)
        self.cache = cache

    def get(self, keys: Sequence[FullKey]) -> dict[FullKey, Any]:
        """Return the analyses that are kept."""
        try:
            return _usable(self.cache.get(keys))
        except Exception as error:
            return _unread(error)

    async def aget(self, keys: Sequence[FullKey]) -> dict[FullKey, Any]:
        """Return the analyses that are kept."""
        try:
            return _usable(await self.cache.aget(keys))
        except Exception as error:
            return _unread(error)

    def set(self, pairs: Mapping[FullKey, tuple[Any, int | None]]) -> None:
        """Keep the analyses among them that did not fall back."""
        try:
            self.cache.set(_worth_keeping(pairs))
        except Exception as error:
            _unwritten(error)

    async def aset(self, pairs: Mapping[FullKey, tuple[Any, int | None]]) -> None:
        """Keep the analyses among them that did not fall back."""
        try:
            await self.cache.aset(_worth_keeping(pairs))
        except Exception as error:
            _unwritten(error)

    def clear(self, namespaces: Sequence[Namespace] | None = None) -> None:
        """Forget what is kept."""
        self.cache.clear(namespaces)

    async def aclear(self, namespaces: Sequence[Namespace] | None = None) -> None:
        """Forget what is kept."""
        await self.cache.aclear(namespaces)


def _worth_keeping(pairs: Mapping[FullKey, tuple[Any, int | None]]) -> dict[FullKey, tuple[list[Any], int | None]]:
    # `analyze` writes `degraded` only where another than the one that was asked answered, or something failed
    kept = {key: (list(writes), ttl) for key, (writes, ttl) in pairs.items()}
    return {key: pair for key, pair in kept.items() if all(name != "degraded" for name, _ in pair[0])}


def _usable(found: Mapping[FullKey, Any]) -> dict[FullKey, Any]:
    usable = {}
    for key, writes in found.items():
        try:
            usable[key] = [(name, _as_of_now(value) if name == "selector_trace" else value) for name, value in writes]
            complete = {"analysis", "attempt", "selector_trace"} <= {name for name, _ in usable[key]}
        except (TypeError, ValueError, KeyError):
            complete = False
        if not complete:
            usable.pop(key, None)
            _logger.warning("an analysis in the cache cannot be read; the model is asked again")
    return usable


def _as_of_now(entries: Any) -> list[dict[str, Any]]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    fresh = {"started": now, "seconds": 0.0, "cost": NO_USAGE.copy()}
    return [{**entry, "input": {**entry["input"], "cached": True}, **fresh} for entry in entries]


def _unread(error: Exception) -> dict[FullKey, Any]:
    _logger.warning("the cache of analyses cannot be read (%s); the model is asked", error)
    return {}


def _unwritten(error: Exception) -> None:
    _logger.warning("an analysis could not be kept in the cache: %s", error)


def _prompt(settings: Settings, words: WordLists) -> list[str]:
    from skill_selector.reasoners.messages import analysis_messages  # noqa: PLC0415 - most graphs keep nothing

    return [str(one.text) for one in analysis_messages(AnalysisRequest(task="", settings=settings, words=words))]


def _own(asked: object) -> list[str]:
    if asked is None:
        return []
    kind = f"{type(asked).__module__}.{type(asked).__qualname__}"
    if isinstance(asked, BaseChatModel):
        # its settings are fields; clients and keys are objects of their own, and left out
        plain = {name: getattr(asked, name) for name in type(asked).model_fields if _is_plain(getattr(asked, name))}
        return [kind, json.dumps(plain, sort_keys=True)]
    return [kind, *(str(getattr(asked, name, "")) for name in ("name", "identity"))]


def _is_plain(value: object) -> bool:
    try:
        json.dumps(value, sort_keys=True)
    except (TypeError, ValueError):
        return False
    return True


def _code() -> str:
    # what is kept are the writes of this code's graph
    return code_version(str(Path(__file__).parent), "skill-selector", "langgraph")


def _digest(*parts: object) -> str:
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()
