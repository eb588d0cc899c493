"""The third step: all routes at once, and what stands in for them when none answers."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from skill_selector.compiler.parts import CompilerParts
from skill_selector.compiler.request import CompileRequest
from skill_selector.compiler.retrieval import Outcomes
from skill_selector.compiler.routes import by_keywords, by_meaning
from skill_selector.compiler.state import CompilerState
from skill_selector.graph.records import Degradation
from skill_selector.graph.settings import Settings
from skill_selector.knowledge.search import Hit, KnowledgeSearch
from skill_selector.nodes.trace import Stopwatch

PLAIN = "plain"
"""As the search that stands in for all routes is called in results."""

Work = dict[str, Callable[[], list[Hit]]]


class RetrieveChunks:
    """Runs the routes side by side, each within the time limit."""

    def __init__(self, parts: CompilerParts) -> None:
        self._parts = parts

    def run(self, state: CompilerState) -> dict[str, Any]:
        """Return the update with each route's hits."""
        watch = Stopwatch("retrieve")
        request, search, settings = self._prepare(state)
        outcomes = self._parts.runner.run(self._work(state, request, search), settings.route_timeout)
        plain = self._plain(state, outcomes, request, search)
        second = self._parts.runner.run(plain, settings.route_timeout) if plain else None
        return _update(state, watch, outcomes, second, search)

    async def arun(self, state: CompilerState) -> dict[str, Any]:
        """Do the same without blocking the event loop."""
        import asyncio  # noqa: PLC0415 - the sync half does without

        watch = Stopwatch("retrieve")
        request, search, settings = await asyncio.to_thread(self._prepare, state)
        outcomes = await self._parts.runner.arun(self._work(state, request, search), settings.route_timeout)
        plain = self._plain(state, outcomes, request, search)
        second = await self._parts.runner.arun(plain, settings.route_timeout) if plain else None
        return _update(state, watch, outcomes, second, search)

    def _prepare(self, state: CompilerState) -> tuple[CompileRequest, KnowledgeSearch, Settings]:
        request = CompileRequest.from_dict(state["compile_request"])
        settings = self._parts.shared.settings()
        return request, self._parts.recall(request, settings), settings

    def _work(self, state: CompilerState, request: CompileRequest, search: KnowledgeSearch) -> Work:
        return {name: partial(self._parts.routes[name], search, request) for name in state["compile_strategy"]["asked"]}

    def _plain(
        self, state: CompilerState, outcomes: Outcomes, request: CompileRequest, search: KnowledgeSearch
    ) -> Work | None:
        """Return the plain search where no route found anything, unless it was one of them and just failed."""
        if any(outcomes.hits.values()):
            return None
        meaning = by_meaning if search.has_meaning else by_keywords
        name = "semantic" if search.has_meaning else "keywords"
        own = self._parts.routes.get(name) is meaning
        if own and name in state["compile_strategy"]["asked"]:
            return None
        return {PLAIN: partial(meaning, search, request)}


def _update(
    state: CompilerState, watch: Stopwatch, outcomes: Outcomes, second: Outcomes | None, search: KnowledgeSearch
) -> dict[str, Any]:
    strategy = dict(state["compile_strategy"])
    degraded = [*state["compile_degraded"], *_failures(outcomes.failures, outcomes.hits, second)]
    hits: Mapping[str, Sequence[Hit]] = outcomes.hits
    seconds = dict(outcomes.seconds)
    if second is not None:
        hits = second.hits
        seconds |= second.seconds
        degraded += _failures(second.failures, {}, None)
    strategy["reason"] = _reason(outcomes, second, hits)
    if search.missing_vectors and "semantic" in strategy["asked"]:
        degraded.append(_missing(search.missing_vectors))
    made = {"hits": {name: len(found) for name, found in hits.items()}, "seconds": seconds, "failed": outcomes.failures}
    entry = watch.entry(0, given={"routes": strategy["asked"]}, made=made)
    return {
        "compile_strategy": strategy,
        "route_hits": {name: [[hit.chunk_id, hit.score] for hit in found] for name, found in hits.items()},
        "compile_degraded": degraded,
        "compiler_trace": [entry],
    }


def _reason(outcomes: Outcomes, second: Outcomes | None, hits: Mapping[str, Sequence[Hit]]) -> str:
    if any(hits.values()):
        return "fallback" if second is not None and not outcomes.hits else "compiled"
    answered = second.hits if second is not None else outcomes.hits
    return "nothing_found" if answered else "search_failed"


def _failures(
    failures: Mapping[str, str], answered: Mapping[str, Sequence[Hit]], second: Outcomes | None
) -> list[Degradation]:
    others = ", ".join(answered) or ("the plain search" if second is not None else "an empty context")
    return [
        {"step": "retrieve", "round": 0, "what": f"route {name}", "why": why, "instead": others}
        for name, why in failures.items()
    ]


def _missing(count: int) -> Degradation:
    return {
        "step": "retrieve",
        "round": 0,
        "what": "vectors",
        "why": f"{count:,} chunks have none yet; skill-selector knowledge index makes them",
        "instead": "those chunks are not found by meaning",
    }
