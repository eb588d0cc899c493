"""How far a candidate's score stands out from those of the whole catalogue."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from skill_selector.graph.records import Candidate
from skill_selector.retrievers.request import SearchRequest

Prior = tuple[int, float, float]
PRIOR: Prior = (3000, 0.2, 0.25)
PRIOR_SEMANTIC: Prior = (100, 0.8, 0.55)
"""Skills that are added to the catalogue's, so that a small one has a mean and a spread too: how many, and the mean and
the spread of their scores, without and with a semantic route."""
CHANCE = 0.6
"""What each e-fold of the catalogue's size takes off: the best of many skills stands out further by chance alone.

These constants were chosen by cross-validation over catalogues of 10 to 13,452 skills (`benchmarks/fit_rubric.py`)."""
SEMANTIC = "semantic"


def add_standings(candidates: Sequence[Candidate], totals: NDArray[np.float32] | None, request: SearchRequest) -> None:
    """Set `standing` of new candidates.

    Args:
        candidates: those that were just made, with their fused scores.
        totals: the fused scores of all skills [skills]; None where there are none.
        request: the pool counts, not what else the index holds.
    """
    if totals is None or not request.strategy.calibrated:
        return
    semantic = any(one["routes"].get(SEMANTIC) for one in candidates)
    standing = Standing.among(totals[request.index.mask(request.skills)], PRIOR_SEMANTIC if semantic else PRIOR)
    for one in candidates:
        one["standing"] = standing.of(one["score"])


@dataclass(frozen=True)
class Standing:
    """Where scores stand among those of a catalogue."""

    size: int
    mean: float
    spread: float

    @classmethod
    def among(cls, scores: NDArray[np.float32], prior: Prior) -> Self:
        """Return it for the scores of all skills that may be found [skills]."""
        return cls(len(scores), *smoothed_moments(scores, *prior))

    def of(self, score: float) -> float:
        """Return how many spreads the score lies above the mean, less what chance gives to the best of so many."""
        return (score - self.mean) / self.spread - CHANCE * math.log(max(self.size, 1))


def smoothed_moments(scores: NDArray[np.float32], count: int, mean: float, spread: float) -> tuple[float, float]:
    """Return mean and standard deviation of scores together with those of the prior."""
    size = len(scores) + count
    middle = (float(scores.sum(dtype=np.float64)) + count * mean) / size
    squares = float(np.square(scores - np.float32(middle), dtype=np.float64).sum())
    squares += count * (spread**2 + (mean - middle) ** 2)
    return middle, math.sqrt(squares / size)
