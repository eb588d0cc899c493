"""The routes of Act: each a LangChain retriever over the shared index, built per run and bound to the analysis."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from numpy.typing import NDArray
from pydantic import ConfigDict, Field

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import SettingError
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.strategy import RouteSpec
from skill_selector.retrievers.text import tokenize

ACTION_WORD_WEIGHT = 3
"""How often an action word counts on the action route (source 000)."""
LEAST_QUERY_LENGTH = 3
"""Scores of shorter queries, in tokens, are divided by this (source 000)."""
LIMIT = 200
"""The most documents of one route."""


class Route(BaseRetriever):
    """One way to score every skill of an index for one run.

    It is bound to its query: what `invoke` is called with serves tracing only. Its documents hold the skill's name and
    description, and `metadata` of `id`, `score` (more than 0) and `route`; best first, equal ones in catalogue order.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str
    index: SkillIndex = Field(repr=False)
    eligible: NDArray[np.bool_] | None = Field(default=None, repr=False)
    """Which skills may be found [skills]; None for those of the index that may be chosen automatically."""
    limit: int = Field(default=LIMIT, ge=1)

    @abstractmethod
    def measure(self) -> NDArray[np.float32]:
        """Return each skill's score [skills]; 0 or less where the route has nothing to say for it."""

    @cached_property
    def applies(self) -> NDArray[np.bool_] | None:
        """Of which skills the route can say anything [skills]; None for all. It counts in a mean only."""
        return None

    def note(self, at: int) -> str | None:
        """Return in words what made the score of the skill at a position, where the number alone says little."""
        del at
        return None

    @cached_property
    def scores(self) -> NDArray[np.float32]:
        """Each skill's score [skills]; 0 for those that may not be found."""
        eligible = self.index.automatic if self.eligible is None else self.eligible
        return np.where(eligible, np.maximum(self.measure(), 0), np.float32(0))

    def score_of(self, skill_id: str) -> float:
        """Return the skill's exact score, 0 where it was not found, whatever the limit."""
        return float(self.scores[self.index.position(skill_id)]) if skill_id in self.index else 0.0

    def document(self, at: int) -> Document:
        """Return the document of the skill at a position."""
        skill = self.index.skills[at]
        metadata = {"id": skill.id, "score": float(self.scores[at]), "route": self.name}
        return make_document(skill_text(skill), metadata)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [self.document(at) for at in best_positions(self.scores, self.limit)]


def best_positions(scores: NDArray[np.float32], limit: int) -> list[int]:
    """Return where the highest scores above 0 are, best first, equal ones in order, at most `limit`."""
    found = np.flatnonzero(scores > 0)
    if len(found) > limit:
        # Everything that ties with the last place stays in until the stable sort, which then decides by order.
        last = np.partition(scores[found], -limit)[-limit]
        found = found[scores[found] >= last]
    order = np.argsort(-scores[found], kind="stable")[:limit]
    return [int(at) for at in found[order]]


def skill_text(skill: Skill) -> str:
    """Return what a skill's document holds."""
    return f"{skill.name}: {skill.description}"


def make_document(page_content: str, metadata: dict[str, Any], document_id: str | None = None) -> Document:
    """Return a document of parts that are known to be right: checking hundreds takes longer than scoring thousands."""
    return Document.model_construct(id=document_id, page_content=page_content, metadata=metadata, type="Document")


class LexicalRoute(Route):
    """BM25 over fields of the index: raw score / max(3, n), n the query's tokens before any repetition (source 000)."""

    tokens: Mapping[str, float]
    """The query: tokens with how often each counts."""
    length: int
    """How many tokens the query has before any repetition."""
    fields: Mapping[str, float] = Field(default_factory=lambda: {"source": 1.0})
    """Fields of the index with their weights."""

    def measure(self) -> NDArray[np.float32]:
        """Return each skill's normalised score [skills]."""
        total = np.zeros(len(self.index), dtype=np.float32)
        for field, weight in self.fields.items():
            if weight:
                total += np.float32(weight) * self.index.scores(field, self.tokens)
        return total / np.float32(max(LEAST_QUERY_LENGTH, self.length))


RouteBuilder = Callable[[SearchRequest, RouteSpec, Mapping[str, Any]], Route]
"""Builds a route from what is asked, its spec, and the keyword arguments that every `Route` takes."""


def _action_route(request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
    texts = [*request.analysis["keywords"], request.analysis["intent"]]
    tokens = [token for text in texts for token in _tokens(request.words.find_action(text))]
    return _lexical(tokens, spec, common, repeat=ACTION_WORD_WEIGHT)


def _domain_route(request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
    tokens = tokenize(request.analysis["when_to_use"])
    for keyword in request.analysis["keywords"]:
        actions = set(_tokens(request.words.find_action(keyword)))
        domains = set(_tokens(request.words.find_domain(keyword)))
        # Source 000 takes domain words only; what is in neither list, such as a product's name, would then be lost.
        tokens += [token for token in tokenize(keyword) if token in domains or token not in actions]
    return _lexical(tokens, spec, common)


def _raw_route(request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
    return _lexical(tokenize(request.task), spec, common)


def _lexical(tokens: Collection[str], spec: RouteSpec, common: Mapping[str, Any], *, repeat: int = 1) -> LexicalRoute:
    query = {token: float(times * repeat) for token, times in Counter(tokens).items()}
    return LexicalRoute(tokens=query, length=len(tokens), fields=spec.fields, **common)


def _tokens(phrases: Iterable[str]) -> list[str]:
    return [token for phrase in phrases for token in tokenize(phrase)]


ROUTES: dict[str, RouteBuilder] = {"action": _action_route, "domain": _domain_route, "raw": _raw_route}
"""The ways to build a route, by name; `register_route` adds to them."""

_registering = Lock()


def register_route(name: str, builder: RouteBuilder, *, replace: bool = False) -> None:
    """Make a builder known to strategies by its name.

    Raises:
        SettingError: the name is taken and `replace` is not given.
    """
    with _registering:
        if name in ROUTES and not replace:
            raise SettingError(f"there is a route {name!r} already; pass replace=True to take its place")
        ROUTES[name] = builder


def build_route(request: SearchRequest, spec: RouteSpec, *, limit: int = LIMIT) -> Route:
    """Return the route that a spec describes, bound to the request.

    Raises:
        SettingError: its builder is not known; the message lists the known ones.
    """
    builder = ROUTES.get(spec.builder or spec.name)
    if builder is None:
        known = ", ".join(sorted(ROUTES))
        raise SettingError(f"route {spec.name!r}: there is no builder {spec.builder or spec.name!r}; known are {known}")
    common = {
        "name": spec.name,
        "index": request.index,
        "eligible": request.index.mask(request.skills),
        "limit": limit,
    }
    return builder(request, spec, common)
