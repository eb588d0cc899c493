"""Several routes' hits as one list: the weighted mean of their scores (source 002)."""

from collections.abc import Callable, Mapping, Sequence
from typing import NotRequired

from typing_extensions import TypedDict

from skill_selector.knowledge.search import Hit

ChunkWeights = Callable[[str, Sequence[str]], Mapping[str, float]]
"""Takes a skill's id and chunk ids, and returns what to multiply the scores of some by, 0 or more: what was learnt from
outcomes. A chunk that is missing has 1. Where it has an attribute `digest`, compiled contexts are kept by that too."""


class FusedChunk(TypedDict):
    """A chunk that some route found."""

    id: str
    score: float
    """0 to 1."""
    routes: dict[str, float]
    """What each route that found it gave, 0 to 1, before weighing."""
    weight: NotRequired[float]
    """What outcomes multiply its score by; 1 where nothing was learnt."""
    unweighed: NotRequired[float]
    """Its score before that."""


def fuse(hits: Mapping[str, Sequence[Hit]], weights: Mapping[str, float]) -> list[FusedChunk]:
    """Return the chunks of all routes, the best first; of equal ones in the order of routes and hits.

    score = Σ weight × score of the route ÷ Σ weights, over the routes that answered; a route that did not find the
    chunk gives 0. So two routes that failed change no proportions among the others, and the score stays 0 to 1. Each
    route's scores are first divided by its best one: a cosine and a share of names are on scales of their own, and the
    weights are to say how much a route counts, not its scale.
    """
    total = sum(weights[name] for name in hits)
    found: dict[str, FusedChunk] = {}
    for name, listed in hits.items():
        best = max((hit.score for hit in listed), default=0.0)
        for hit in listed:
            one = found.setdefault(hit.chunk_id, {"id": hit.chunk_id, "score": 0.0, "routes": {}})
            share = hit.score / best
            one["routes"][name] = round(share, 4)
            one["score"] += weights[name] / total * share
    for one in found.values():
        one["score"] = round(min(1.0, one["score"]), 6)
    return sorted(found.values(), key=lambda one: -one["score"])


def weighed(chunks: Sequence[FusedChunk], factors: Mapping[str, float]) -> list[FusedChunk]:
    """Return the chunks with their scores multiplied, at most 1, in their new order."""
    return sorted((_weighed(one, factors[one["id"]]) if one["id"] in factors else one for one in chunks), key=_worst)


def _weighed(chunk: FusedChunk, factor: float) -> FusedChunk:
    weight = max(0.0, factor)
    score = round(min(1.0, chunk["score"] * weight), 6)
    return {**chunk, "score": score, "weight": weight, "unweighed": chunk["score"]}


def _worst(chunk: FusedChunk) -> float:
    return -chunk["score"]
