"""Act: from an analysed task to the candidates that Reason #2 judges."""

from math import ceil

from skill_selector.graph.errors import SettingError
from skill_selector.graph.records import Candidate
from skill_selector.retrievers.effectiveness import effectiveness_route
from skill_selector.retrievers.fusion import ScoreFusionRetriever
from skill_selector.retrievers.project import context_route
from skill_selector.retrievers.ranks import add_ranks
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.routes import LIMIT, Route, build_route, register_route
from skill_selector.retrievers.semantic import semantic_route
from skill_selector.retrievers.similarity import similarity_route
from skill_selector.retrievers.standing import add_standings
from skill_selector.retrievers.steps import run_steps
from skill_selector.retrievers.substrings import find_by_substrings
from skill_selector.retrievers.task_routes import dictionary_route, task_route
from skill_selector.retrievers.text import tokenize
from skill_selector.retrievers.triggers import trigger_route

FEWEST = 50
DEPTH = 4
"""Each route brings up this many times `top_k`, and at least `FEWEST`."""
SPARE = 1.5
"""The same for a limit beyond `top_k`, whose order is looked at but not judged: enough to make up for copies."""

register_route("task", task_route)
register_route("dictionary", dictionary_route)
register_route("semantic", semantic_route)
register_route("similarity", similarity_route)
register_route("triggers", trigger_route)
register_route("context", context_route)
register_route("effectiveness", effectiveness_route)

__all__ = ["SearchRequest", "build_retriever", "search"]


def search(request: SearchRequest, limit: int | None = None) -> list[Candidate]:
    """Return the candidates for a task, best first.

    Never empty unless the pool is: where no route overlaps, substrings decide, and the candidates are marked as
    `fallback`. Skills that their authors keep out of automatic selection are never among them.

    Args:
        request: the task, its analysis and the pool.
        limit: how many at most; `top_k` of the settings by default.

    Raises:
        SettingError: the strategy names a route or step that is not there, or all its weights are 0.
    """
    most = request.settings.top_k if limit is None else limit
    if not request.index.mask(request.skills).any():
        return []
    depth = max(FEWEST, request.settings.top_k * DEPTH, ceil(most * SPARE))
    retriever = build_retriever(request, limit=depth)
    # Signs have a meaning to an encoder, but nobody can say that a skill fits "???".
    documents = retriever.invoke(request.task) if tokenize(request.task) or request.analysis["keywords"] else []
    candidates: list[Candidate] = [
        {
            "id": document.metadata["id"],
            "score": document.metadata["score"],
            "routes": document.metadata["routes"],
            "fallback": False,
            "copies": [],
        }
        for document in documents
    ]
    add_standings(candidates, retriever.totals(), request)
    found = run_steps(candidates or find_by_substrings(request, depth), request)[:most]
    add_ranks(found[: request.settings.top_k], retriever)
    return [_noted(one, retriever, request) for one in found]


def _noted(candidate: Candidate, retriever: ScoreFusionRetriever, request: SearchRequest) -> Candidate:
    at = request.index.position(candidate["id"])
    routes = [child for child in retriever.retrievers if isinstance(child, Route)]
    notes = {child.get_name(): child.note(at) for child in routes}
    written = {name: note for name, note in notes.items() if note}
    return {**candidate, "notes": written} if written and not candidate["fallback"] else candidate


def build_retriever(request: SearchRequest, *, limit: int = LIMIT) -> ScoreFusionRetriever:
    """Return the strategy's routes, fused, as a retriever that is bound to the request.

    Raises:
        SettingError: the strategy names a route that is not there, or all its weights are 0.
    """
    strategy = request.strategy
    weights = [spec.weight_in(request.settings) for spec in strategy.routes]
    if not any(weights):
        held = ", ".join(spec.weight if isinstance(spec.weight, str) else spec.name for spec in strategy.routes)
        raise SettingError(f"strategy {strategy.name!r}: all weights are 0 ({held}); make one of them more than 0")
    used = [(spec, weight) for spec, weight in zip(strategy.routes, weights, strict=True) if weight]
    return ScoreFusionRetriever(
        retrievers=[build_route(request, spec, limit=limit) for spec, _ in used],
        weights=[weight for _, weight in used],
        combine=strategy.combine,
    )
