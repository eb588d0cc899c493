"""Act: bring up the candidates."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Literal

from skill_selector.graph.records import Candidate, Degradation, TraceEntry
from skill_selector.graph.settings import Settings
from skill_selector.graph.state import SelectorState
from skill_selector.nodes.parts import Parts, stream_progress
from skill_selector.nodes.trace import Stopwatch
from skill_selector.reasoners.exclusion import excluded_by_task, is_excluded
from skill_selector.retrievers.custom import search_custom
from skill_selector.retrievers.library import Library
from skill_selector.retrievers.search import SearchRequest, search
from skill_selector.retrievers.strategy import choose_strategy
from skill_selector.retrievers.words import load_words

RETRIEVED = 50
"""How many ids of the order of retrieval are kept beside the candidates, for whoever measures it."""


_TRACED: tuple[Literal["id", "score", "routes", "fallback", "copies"], ...] = (
    "id",
    "score",
    "routes",
    "fallback",
    "copies",
)


class Retrieve:
    """Runs the strategy's routes over the catalogue, or the caller's own retriever."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def run(self, state: SelectorState) -> dict[str, Any]:
        """Return the update with the candidates, best first.

        Raises:
            RetrieverError: the caller's retriever returned something that cannot be used.
            EmbedderError: the embedder cannot be used, or failed where no fallback is wanted.
        """
        watch = Stopwatch("retrieve")
        settings = self._parts.settings()
        library = self._parts.library_of(state)
        analysis = state["analysis"]
        assert analysis is not None  # noqa: S101 - `analyze` ran before
        if self._parts.retriever is None and _analysed_before(state):
            # The same words over the same skills find the same.
            return {"selector_trace": [_entry(state, settings, watch, state["candidates"], state["excluded"])]}
        strategy = choose_strategy(settings)
        meaning = self._parts.meaning_of(library, settings)
        request = SearchRequest(
            task=state["resolved_task"],
            # a matcher of the caller's own gets it, and must not change the state
            analysis=deepcopy(analysis),
            skills=library.skills,
            index=library.index(stream_progress(), strategy.fields),
            settings=settings,
            words=load_words(settings.words_file),
            strategy=strategy,
            meaning=meaning,
            feedback=self._parts.feedback_of(settings),
            project=self._parts.project_directory or settings.project_directory,
        )
        own = self._parts.retriever
        most = max(RETRIEVED, settings.top_k)
        found = search(request, limit=most) if own is None else search_custom(own, request, limit=most)
        if own is None and strategy.judge == "rubric" and len(library.skills) <= settings.top_k:
            found += _rest(found, library)
        phrases = excluded_by_task(state["resolved_task"])
        excluded = [one for one in found if is_excluded(phrases, library.catalog.by_id[one["id"]])]
        found = [one for one in found if one not in excluded]
        candidates = found[: settings.top_k]
        return {
            "candidates": candidates,
            "excluded": excluded,
            "retrieved": [one["id"] for one in found],
            "degraded": [
                *state["degraded"],
                *_new([*(meaning.faults if meaning else ()), *request.faults], state["degraded"]),
            ],
            "selector_trace": [_entry(state, settings, watch, candidates, excluded)],
        }


def _rest(found: Sequence[Candidate], library: Library) -> list[Candidate]:
    """Return the skills that no route found: of so few, Reason #2 can look at each."""
    held = {one["id"] for one in found}.union(*(one["copies"] for one in found))
    return [
        {"id": skill.id, "score": 0.0, "routes": {}, "fallback": True, "copies": []}
        for skill in library.skills
        if skill.id not in held
    ]


def _analysed_before(state: SelectorState) -> bool:
    """Tell whether the round before asked for the same."""
    return bool(state["rounds"]) and state["rounds"][-1]["analysis"] == state["analysis"]


def _entry(
    state: SelectorState,
    settings: Settings,
    watch: Stopwatch,
    candidates: Sequence[Candidate],
    excluded: Sequence[Candidate],
) -> TraceEntry:
    """Return the step's record."""
    return watch.entry(
        state["attempt"],
        given={"catalog": state["catalog"]["digest"], "strategy": settings.strategy, "top_k": settings.top_k},
        made={
            "candidates": [{name: one[name] for name in _TRACED} for one in candidates],
            **({"excluded by user": [one["id"] for one in excluded]} if excluded else {}),
        },
    )


def _new(faults: Sequence[Degradation], known: Sequence[Degradation]) -> list[Degradation]:
    """Return the faults that no earlier round met."""
    return [one for one in faults if one not in known]
