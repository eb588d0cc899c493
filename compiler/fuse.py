"""The fourth step: one list of all routes' hits."""

from collections.abc import Mapping, Sequence
from typing import Any

from skill_selector.compiler.fusion import FusedChunk, fuse, weighed
from skill_selector.compiler.parts import CompilerParts
from skill_selector.compiler.references import follow
from skill_selector.compiler.request import CompileRequest
from skill_selector.compiler.retrieve import PLAIN
from skill_selector.compiler.state import CompilerState
from skill_selector.knowledge.search import Hit
from skill_selector.nodes.trace import Stopwatch

MOST_FUSED = 200
"""Chunks that the state carries on."""
MOST_NEAR = 10
"""Chunks nearest to the task in meaning that are looked at although the strategy's routes did not find them."""


def near_ones(near: Mapping[str, float], fused: Sequence[FusedChunk]) -> list[FusedChunk]:
    """Return the chunks nearest in meaning that no route found: they are looked at, and have no score of a route's."""
    known = {one["id"] for one in fused}
    nearest = sorted(near.items(), key=lambda pair: -pair[1])[:MOST_NEAR]
    return [{"id": name, "score": 0.0, "routes": {PLAIN: score}} for name, score in nearest if name not in known]


class FuseHits:
    """Weighs the routes by the strategy, and the chunks by what was learnt of them."""

    def __init__(self, parts: CompilerParts) -> None:
        self._parts = parts

    def run(self, state: CompilerState) -> dict[str, Any]:
        """Return the update with the fused chunks, the best first."""
        watch = Stopwatch("fuse")
        hits = {name: [Hit(one[0], one[1]) for one in found] for name, found in state["route_hits"].items()}
        weights = {**state["compile_strategy"]["routes"], PLAIN: 1.0}
        request = CompileRequest.from_dict(state["compile_request"])
        settings = self._parts.shared.settings()
        search = self._parts.recall(request, settings)
        fused = follow(fuse(hits, weights)[:MOST_FUSED], search)
        fused += near_ones(state["near_chunks"], fused)
        if fused:
            learnt = self._parts.weights(settings)
            fused = weighed(fused, learnt(request.definition.id, [one["id"] for one in fused]))
        made = {"chunks": len(fused), "best": fused[0]["score"] if fused else None}
        entry = watch.entry(0, given={"weights": {name: weights[name] for name in hits}}, made=made)
        return {"fused_chunks": fused, "compiler_trace": [entry]}
