"""What outcomes say of chunks: how often contexts that held one worked, and how that shifts its weight (source 002)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skill_selector.compiler.result import ManifestEntry
from skill_selector.feedback.counts import Counts, Subject
from skill_selector.feedback.store import FeedbackStore
from skill_selector.knowledge.chunk import digest_of

CHUNK, CONTEXT = "chunk", "context"
"""Kinds of records: a chunk for one skill, and all contexts of one skill."""
PRIOR = 4.0
"""Judgements that are assumed of every chunk, half of them good."""
SHIFT = 0.5
"""The most that a weight is raised or lowered by, as a share of itself."""
LIKED, DISLIKED = 4, 2
"""A person's score, 1 to 5, from which on it counts as good, and down to which as bad; 3 counts as neither."""


def weight_of(counts: Counts, prior: float = PRIOR, shift: float = SHIFT) -> float:
    """Return what to multiply a chunk's score by, from 1 - shift to 1 + shift.

    weight = 1 + shift × (good - bad) ÷ (good + bad + prior)

    That is 1 + shift × (2e - 1), with e the share of good judgements under a prior of so many, half of them good
    (Agresti and Coull 1998). So nothing known gives 1, one judgement moves little, and neither side ever locks in: what
    was bad four times is back at 1 once it was good four times. A `shift` of 0 gives 1 for all.
    """
    judged = counts.good + counts.bad
    if not judged:
        return 1.0
    return 1.0 + shift * (counts.good - counts.bad) / (judged + prior)


def chunk_subject(skill_id: str, chunk_id: str, label: str = "") -> Subject:
    """Return what is counted of a chunk: what helps one skill may hinder another, so each has counts of its own."""
    return Subject(kind=CHUNK, names=(f"{skill_id} {chunk_id}",), label=label)


def context_subject(skill_id: str) -> Subject:
    """Return what is counted of all contexts of a skill."""
    return Subject(kind=CONTEXT, names=(skill_id,), label=skill_id)


def chunk_subjects(skill_id: str, entries: Sequence[ManifestEntry]) -> list[Subject]:
    """Return the subjects of the chunks that a context held, with those whose duplicate each is."""
    found: dict[str, str] = {}
    for one in entries:
        found |= dict.fromkeys((one.chunk_id, *one.merged_ids), one.source)
    return [chunk_subject(skill_id, name, label) for name, label in found.items()]


@dataclass(frozen=True)
class LearntWeights:
    """The weights of chunks by their outcomes, as the context compiler takes them. Blocks: it reads the store."""

    store: FeedbackStore
    prior: float = PRIOR
    shift: float = SHIFT

    def __call__(self, skill_id: str, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the weights of those chunks that something was counted of.

        Raises:
            FeedbackError: the counts cannot be read.
        """
        if not self.shift:
            return {}
        counts = self.store.counts(CHUNK)
        names = {one: chunk_subject(skill_id, one).names[0] for one in chunk_ids}
        return {one: weight_of(counts[name], self.prior, self.shift) for one, name in names.items() if name in counts}

    @property
    def digest(self) -> str:
        """Of the counts and the rule: a compiled context is kept by it, so that feedback has effect at once."""
        if not self.shift:
            return ""
        counts = sorted((name, one.good, one.bad) for name, one in self.store.counts(CHUNK).items())
        return digest_of(repr((counts, self.prior, self.shift))) if counts else ""
