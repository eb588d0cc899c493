"""What was learnt from outcomes: counts of each chunk under each skill, and the factors that they give."""

import asyncio
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Literal

from skill_selector.compiler.result import CompiledContext
from skill_selector.feedback.counts import NO_COUNTS, Subject
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.errors import FeedbackError
from skill_selector.knowledge.runs import Run, RunStore

Outcome = Literal["worked", "failed"]
CHUNK, SKILL = "chunk", "definition"
"""Kinds of records."""
SCORES = ("relevance", "completeness", "usability")
"""What a person judges, each from 1 to 5 (source 002)."""
GOOD, BAD = 4.0, 2.0
"""A mean of a person's scores from the first on counts as good, up to the second as bad; between, as a use only."""
SWING = 0.3
"""How far a factor goes at most, up or down."""
PRIOR = 4.0
"""Uses that are assumed of every chunk, half of them good."""


class ChunkExperience:
    """The factors for `chunk_weights=`: 1 + 0.3 · (2 · effectiveness - 1), so from 0.7 to 1.3.

    effectiveness = (good + prior / 2) / (uses + prior), 0.5 where nothing is known, so that the factor is 1. With a
    prior of 0 one use decides; with a large one many are needed.
    """

    def __init__(self, store: FeedbackStore, *, prior: float = PRIOR) -> None:
        self.store = store
        self.prior = prior

    @property
    def digest(self) -> str:
        """Changes when what was learnt does, so that no compiled context outlives it."""
        records = self.store.records(CHUNK)
        text = repr([(one.id, one.counts) for one in records])
        return blake2b(f"{self.prior} {text}".encode(), digest_size=16).hexdigest()

    def __call__(self, skill_id: str, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the factors of the chunks that something is known of."""
        known = self.store.counts(CHUNK)
        found: dict[str, float] = {}
        for chunk_id in chunk_ids:
            [name] = chunk_subject(skill_id, chunk_id).names
            counts = known.get(name, NO_COUNTS)
            if counts != NO_COUNTS:
                found[chunk_id] = 1 + SWING * (2 * counts.effectiveness(self.prior) - 1)
        return found


def record_outcome(
    context: CompiledContext,
    store: FeedbackStore,
    *,
    outcome: Outcome | None = None,
    note: str = "",
    runs: RunStore | None = None,
    **scores: int,
) -> int:
    """Count a compiled context as used, and say what came of it; return the number of chunks counted. Blocks.

    Args:
        context: what was compiled.
        store: see `feedback.place.open_feedback`.
        outcome: whether the task worked; what a person's scores say counts where it is None.
        note: why, in words.
        runs: keeps task and parameters too, so that a definition can be proposed from what worked.
        **scores: a person's `relevance`, `completeness` and `usability`, each from 1 to 5.

    Raises:
        FeedbackError: the outcome or a score cannot be used, or the counts cannot be kept.
    """
    good, bad = _verdict(outcome, scores)
    if context.skill_id is None:
        raise FeedbackError("this context was compiled for no skill, so that there is nothing to count")
    said = "; ".join([*(f"{name} {value}" for name, value in scores.items()), *([note] if note else [])])
    mean = sum(scores.values()) / len(scores) if scores else None
    remark = ("outcome" if outcome else "person", mean, said) if said else None
    chunks = [chunk_subject(context.skill_id, one.chunk_id, one.source) for one in context.kept]
    if chunks:
        store.count(chunks, injected=1, good=good, bad=bad)
    skill = Subject(kind=SKILL, names=(context.skill_id,), label=context.skill_id)
    store.count([skill], injected=1, good=good, bad=bad, note=remark)
    if runs is not None:
        run = Run(skill=context.skill_id, task=context.task, parameters=context.parameters, worked=bool(good))
        runs.add(run)
    return len(chunks)


async def arecord_outcome(
    context: CompiledContext,
    store: FeedbackStore,
    *,
    outcome: Outcome | None = None,
    note: str = "",
    runs: RunStore | None = None,
    **scores: int,
) -> int:
    """Do as `record_outcome`, off the event loop."""
    given: dict[str, Any] = {"outcome": outcome, "note": note, "runs": runs, **scores}
    return await asyncio.to_thread(lambda: record_outcome(context, store, **given))


def chunk_subject(skill_id: str, chunk_id: str, source: str = "") -> Subject:
    """Return what a chunk is to the counts: under each skill another thing."""
    name = blake2b(f"{skill_id}\0{chunk_id}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return Subject(kind=CHUNK, names=(name,), label=f"{skill_id} {source}".strip())


def _verdict(outcome: str | None, scores: Mapping[str, int]) -> tuple[int, int]:
    if outcome not in (None, "worked", "failed"):
        raise FeedbackError(f"outcome={outcome!r}: it must be worked or failed")
    for name, value in scores.items():
        if name not in SCORES:
            raise FeedbackError(f"there is no score {name!r}; there are {', '.join(SCORES)}")
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 5:
            raise FeedbackError(f"{name}={value!r}: it must be a whole number from 1 to 5")
    if outcome is not None:
        return int(outcome == "worked"), int(outcome == "failed")
    if not scores:
        raise FeedbackError("say what came of it: outcome='worked' or 'failed', or a person's scores")
    mean = sum(scores.values()) / len(scores)
    return int(mean >= GOOD), int(mean <= BAD)
