"""The ways that context is looked for, by name. Each is one search of the knowledge base."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from skill_selector.compiler.request import CompileRequest
from skill_selector.graph.errors import SettingError
from skill_selector.knowledge.search import LIMIT, Hit, KnowledgeSearch

Route = Callable[[KnowledgeSearch, CompileRequest], list[Hit]]
"""Called in a thread of its own. It returns the best first, with scores from 0 to 1, and may raise."""


def by_tags(search: KnowledgeSearch, request: CompileRequest) -> list[Hit]:
    """Chunks tagged with the skill, those near the task first (route A of source 002)."""
    return search.by_tag(request.definition.id, query=request.query, limit=LIMIT)


def by_keywords(search: KnowledgeSearch, request: CompileRequest, limit: int = LIMIT) -> list[Hit]:
    """Chunks that hold the words of task and parameters (route B)."""
    return search.keyword(request.query, limit=limit)


def by_names(search: KnowledgeSearch, request: CompileRequest) -> list[Hit]:
    """Chunks about the names in the parameters, exactly (route C)."""
    return search.by_names(request.names, limit=LIMIT) if request.names else []


def by_error_codes(search: KnowledgeSearch, request: CompileRequest) -> list[Hit]:
    """Chunks about the error codes in parameters and task, exactly."""
    return search.by_codes(request.codes, limit=LIMIT) if request.codes else []


def by_meaning(search: KnowledgeSearch, request: CompileRequest, limit: int = LIMIT) -> list[Hit]:
    """Chunks near the task in meaning.

    Raises:
        EmbedderError: the embedder failed.
    """
    return search.semantic(request.query, limit=limit, strict=True)


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
            raise SettingError(f"routes[{name!r}]={route!r} cannot be called; pass a function (search, request) -> hits")
    return {**ROUTES, **(own or {})}


def has_question(name: str, request: CompileRequest) -> bool:
    """Say whether a route of ours has something to look for; those of a caller's always have."""
    if name == "names":
        return bool(request.names)
    return bool(request.codes) if name == "error_codes" else True
