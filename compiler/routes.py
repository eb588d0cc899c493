"""The ways that context is looked for, by name. Each is one search of the knowledge base."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from skill_selector.compiler.request import CompileRequest
from skill_selector.graph.errors import SettingError
from skill_selector.knowledge.search import LIMIT, Hit, KnowledgeSearch

SMALL_BASE = 20
"""Chunks."""

Route = Callable[[KnowledgeSearch, CompileRequest], list[Hit]]
"""Called in a thread of its own. It returns the best first, with scores from 0 to 1, and may raise."""


def by_tags(search: KnowledgeSearch, request: CompileRequest) -> list[Hit]:
    """Chunks tagged with the skill, those near the task first (route A of source 002)."""
    return search.by_tag(request.definition.id, query=request.query, limit=LIMIT)


def by_keywords(search: KnowledgeSearch, request: CompileRequest, limit: int = LIMIT) -> list[Hit]:
    """Chunks that hold the words of task and parameters (route B)."""
    return search.keyword(request.words, limit=limit)


def by_names(search: KnowledgeSearch, request: CompileRequest) -> list[Hit]:
    """Chunks about the names in the parameters, exactly (route C)."""
    return search.by_names(request.names, limit=LIMIT) if request.names else []


def by_error_codes(search: KnowledgeSearch, request: CompileRequest) -> list[Hit]:
    """Chunks about the error codes in parameters and task, exactly."""
    return search.by_codes(request.codes, limit=LIMIT) if request.codes else []


def by_meaning(search: KnowledgeSearch, request: CompileRequest, limit: int = LIMIT) -> list[Hit]:
    """Chunks nearer to the task in meaning than is usual in this base.

    Any two texts are somewhat near each other. So the score is not the cosine c but (c - u) / (1 - u), where u is the
    mean and one spread of all chunks' cosines; in a small base, of which the mean says little, u is n / (n + 20) of
    that. What lies below u is not found.

    Raises:
        EmbedderError: the embedder failed.
    """
    cosines = search.ask_meaning(request.query)
    known = cosines[cosines > 0]
    if not len(known):
        return []
    usual = float(known.mean() + known.std()) * len(known) / (len(known) + SMALL_BASE)
    scores = (cosines - usual) / max(1e-6, 1 - usual)
    found = np.argsort(-scores, kind="stable")[:limit]
    chunks = search.base.chunks
    return [Hit(chunks[at].id, min(1.0, float(scores[at]))) for at in found.tolist() if scores[at] > 0]


ROUTES: Mapping[str, Route] = MappingProxyType(
    {
        "tags": by_tags,
        "keywords": by_keywords,
        "names": by_names,
        "error_codes": by_error_codes,
        "semantic": by_meaning,
    }
)


def route_table(own: Mapping[str, Route] | None = None) -> dict[str, Route]:
    """Return our routes and a caller's, whose own take the place of ours of the same name.

    Raises:
        SettingError: one of them cannot be called.
    """
    for name, route in (own or {}).items():
        if not callable(route):
            raise SettingError(
                f"routes[{name!r}]={route!r} cannot be called; pass a function (search, request) -> hits"
            )
    return {**ROUTES, **(own or {})}


def has_question(name: str, request: CompileRequest) -> bool:
    """Say whether a route of ours has something to look for; those of a caller's always have."""
    if name == "names":
        return bool(request.names)
    return bool(request.codes) if name == "error_codes" else True
