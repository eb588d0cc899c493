"""The third step: all routes at once, and beside them the plain search that stands in when none of them answers."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from skill_selector.compiler.once import SearchOnce
from skill_selector.compiler.parts import CompilerParts
from skill_selector.compiler.request import CompileRequest
from skill_selector.compiler.result import CompileReason
from skill_selector.compiler.retrieval import Outcomes
from skill_selector.compiler.routes import by_keywords, by_meaning
from skill_selector.compiler.state import CompilerState
from skill_selector.graph.records import Degradation
from skill_selector.graph.settings import Settings
from skill_selector.knowledge.search import Hit, KnowledgeSearch
from skill_selector.nodes.trace import Stopwatch

PLAIN = "plain"
"""As the search is called that knows nothing of the strategy: by meaning, or by words where there is no embedder.

Where the strategy does not take it as a route, its hits are no candidates; they help to rerank those that are.
"""
MOST_PLAIN = 200
"""Its hits."""


class RetrieveChunks:
    """Runs the routes side by side, each within the time limit."""

    def __init__(self, parts: CompilerParts) -> None:
        self._parts = parts

    def run(self, state: CompilerState) -> dict[str, Any]:
        """Return the update with each route's hits."""
        watch = Stopwatch("retrieve")
        work, search, settings = self._prepare(state)
        return _update(state, watch, self._parts.runner.run(work, settings.route_timeout), search)

    async def arun(self, state: CompilerState) -> dict[str, Any]:
        """Do the same without blocking the event loop."""
        watch = Stopwatch("retrieve")
        work, search, settings = await asyncio.to_thread(self._prepare, state)
        return _update(state, watch, await self._parts.runner.arun(work, settings.route_timeout), search)

    def _prepare(self, state: CompilerState) -> tuple[dict[str, Callable[[], list[Hit]]], KnowledgeSearch, Settings]:
        request = CompileRequest.from_dict(state["compile_request"])
        settings = self._parts.shared.settings()
        search = SearchOnce(self._parts.recall(request, settings), self._parts.embedder(settings))
        routes = {name: self._parts.routes[name] for name in state["compile_strategy"]["asked"]}
        work: dict[str, Callable[[], list[Hit]]] = {
            name: partial(route, search, request) for name, route in routes.items()
        }
        plain = by_meaning if search.has_meaning else by_keywords
        if plain not in routes.values():
            work[PLAIN] = partial(plain, search, request, MOST_PLAIN)
        return work, search, settings


def _update(state: CompilerState, watch: Stopwatch, outcomes: Outcomes, search: KnowledgeSearch) -> dict[str, Any]:
    strategy = dict(state["compile_strategy"])
    hits = {name: found for name, found in outcomes.hits.items() if name != PLAIN}
    plain = outcomes.hits.get(PLAIN)
    strategy["reason"] = _reason(hits, plain)
    if not any(hits.values()) and plain:
        hits = {PLAIN: plain}
    degraded = [*state["compile_degraded"], *_failures(outcomes, hits)]
    if search.missing_vectors:
        degraded.append(_missing(search.missing_vectors))
    made = {
        "hits": {name: len(found) for name, found in outcomes.hits.items()},
        "seconds": outcomes.seconds,
        "failed": outcomes.failures,
    }
    entry = watch.entry(0, given={"routes": strategy["asked"]}, made=made)
    near = outcomes.hits.get("semantic") or (plain if search.has_meaning else None) or []
    return {
        "compile_strategy": strategy,
        "route_hits": {name: [[hit.chunk_id, hit.score] for hit in found] for name, found in hits.items()},
        "near_chunks": {hit.chunk_id: round(hit.score, 4) for hit in near},
        "compile_degraded": degraded,
        "compiler_trace": [entry],
    }


def _reason(hits: dict[str, list[Hit]], plain: list[Hit] | None) -> CompileReason:
    """Return what the hits amount to, those of the plain search apart."""
    if any(hits.values()):
        return "compiled"
    if plain:
        return "fallback"
    return "nothing_found" if hits or plain is not None else "search_failed"


def _failures(outcomes: Outcomes, hits: dict[str, list[Hit]]) -> list[Degradation]:
    others = ", ".join("the plain search" if name == PLAIN else f"route {name}" for name in hits) or "an empty context"
    return [
        {
            "step": "retrieve",
            "round": 0,
            "what": "the plain search" if name == PLAIN else f"route {name}",
            "why": why,
            "instead": others,
        }
        for name, why in outcomes.failures.items()
    ]


def _missing(count: int) -> Degradation:
    return {
        "step": "retrieve",
        "round": 0,
        "what": "vectors",
        "why": f"{count:,} chunks have none yet; skill-selector knowledge index makes them",
        "instead": "those chunks are not found by meaning",
    }
