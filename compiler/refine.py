"""The fifth step: what of the fused chunks is worth its room."""

import asyncio
from collections.abc import Sequence
from typing import Any

from skill_selector.compiler.needs import needs_of
from skill_selector.compiler.parts import CompilerParts
from skill_selector.compiler.refinement import Refinement, Refiner
from skill_selector.compiler.request import CompileRequest
from skill_selector.compiler.scorer import Scorer, ScorerError
from skill_selector.compiler.state import CompilerState
from skill_selector.graph.records import Degradation, Usage
from skill_selector.graph.settings import Settings
from skill_selector.knowledge.chunk import Chunk
from skill_selector.nodes.trace import Stopwatch
from skill_selector.reasoners.base import NO_USAGE
from skill_selector.retrievers.words import load_words

Scores = tuple[list[float], Usage, list[Degradation]]


class RefineChunks:
    """Merges, settles conflicts, reranks, cuts, rescues."""

    def __init__(self, parts: CompilerParts) -> None:
        self._parts = parts

    def run(self, state: CompilerState) -> dict[str, Any]:
        """Return the update with what is kept and what is dropped."""
        watch = Stopwatch("refine")
        refiner, chunks, settings = self._prepare(state)
        scorer = self._parts.scorer
        scores: Scores | None = None
        if scorer is not None and chunks:
            try:
                values, usage = scorer.score(state["compile_request"]["query"], _texts(chunks), settings)
                scores = values, usage, []
            except ScorerError as error:
                scores = self._instead(refiner, chunks, scorer, error)
        if scores is None:
            scores = _local(refiner, chunks)
        return self._update(state, watch, chunks, scores, refiner)

    async def arun(self, state: CompilerState) -> dict[str, Any]:
        """Do the same without blocking the event loop."""
        watch = Stopwatch("refine")
        refiner, chunks, settings = await asyncio.to_thread(self._prepare, state)
        scorer = self._parts.scorer
        scores: Scores | None = None
        if scorer is not None and chunks:
            try:
                values, usage = await scorer.ascore(state["compile_request"]["query"], _texts(chunks), settings)
                scores = values, usage, []
            except ScorerError as error:
                scores = self._instead(refiner, chunks, scorer, error)
        if scores is None:
            scores = await asyncio.to_thread(_local, refiner, chunks)
        return await asyncio.to_thread(self._update, state, watch, chunks, scores, refiner)

    def _prepare(self, state: CompilerState) -> tuple[Refiner, list[Chunk], Settings]:
        request = CompileRequest.from_dict(state["compile_request"])
        settings = self._parts.shared.settings()
        search = self._parts.recall(request, settings)
        needs = needs_of(request, load_words(settings.words_file))
        refiner = Refiner(request, search, needs, state["near_chunks"])
        return refiner, refiner.gathered(state["fused_chunks"]), settings  # type: ignore[arg-type]

    def _instead(self, refiner: Refiner, chunks: Sequence[Chunk], scorer: Scorer, error: ScorerError) -> Scores:
        what: Degradation = {
            "step": "refine",
            "round": 0,
            "what": f"scorer {scorer.name}",
            "why": str(error),
            "instead": "the local scorer",
        }
        return refiner.local_scores(chunks), NO_USAGE.copy(), [what]

    def _update(
        self, state: CompilerState, watch: Stopwatch, chunks: Sequence[Chunk], scores: Scores, refiner: Refiner
    ) -> dict[str, Any]:
        values, usage, degraded = scores
        refined: Refinement = refiner.finished(chunks, values)
        made = {
            "kept": len(refined.kept),
            "dropped": len(refined.dropped),
            "conflicts": len(refined.conflicts),
            "rescued": len(refined.foreign),
        }
        scorer = self._parts.scorer.name if self._parts.scorer and not degraded else "local"
        entry = watch.entry(0, given={"chunks": len(state["fused_chunks"]), "scorer": scorer}, made=made, cost=usage)
        return {
            "refined_chunks": refined.to_dict(),
            "compile_degraded": [*state["compile_degraded"], *degraded],
            "compiler_trace": [entry],
        }


def _local(refiner: Refiner, chunks: Sequence[Chunk]) -> Scores:
    return refiner.local_scores(chunks), NO_USAGE.copy(), []


def _texts(chunks: Sequence[Chunk]) -> list[str]:
    return [f"{chunk.title}\n{chunk.text}".strip() for chunk in chunks]
