"""The semantic route: how near the task, its sentences and its intent are to each skill in meaning."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from skill_selector.retrievers.meaning import Meaning
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.routes import Route
from skill_selector.retrievers.strategy import RouteSpec

WHOLE, SENTENCES, INTENT = 4.0, 4.0, 2.0
"""Weights of the three cosines, against a lexical score that is divided by the root of the task's mass."""
SHARPNESS = 10.0
"""How much the nearest sentence counts beyond the others: 0 would be their mean, infinity the nearest alone."""
MOST_SENTENCES = 16
LEAST_SENTENCE = 8
"""Characters of a sentence that says anything."""
LONGEST = 4_000
"""Characters of a task that are embedded: the vector is a mean, which further ones hardly move."""

_ENDS = re.compile(r"(?<=[。！？!?；;])|(?<=[.!?])\s+|\n+")


class SemanticRoute(Route):
    """Score = 4 · cos(task) + 4 · log-mean-exp of the sentences' cosines + 2 · cos(intent).

    A skill without a vector gets the mean of the others: not knowing must neither help nor hurt it.
    """

    meaning: Meaning | None = Field(repr=False)
    """None where vectors are switched off."""
    texts: tuple[str, ...]
    """The task, its intent, its sentences."""

    def measure(self) -> NDArray[np.float32]:
        """Return each skill's score [skills], up to 10; all 0 where there are no vectors."""
        cosines = self.meaning.cosines(self.texts) if self.meaning else None
        if cosines is None:
            return np.zeros(len(self.index), dtype=np.float32)
        spread = np.exp(np.float32(SHARPNESS) * cosines[:, 2:]).mean(axis=1)
        total = WHOLE * cosines[:, 0] + INTENT * cosines[:, 1] + (SENTENCES / SHARPNESS) * np.log(spread)
        scores: NDArray[np.float32] = np.maximum(total, 0).astype(np.float32)
        missing = np.isnan(cosines[:, 0])
        scores[missing] = scores[~missing].mean()
        return scores


def semantic_route(request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
    """Build the route over the request's vectors."""
    del spec  # it has no fields and no options
    task = " ".join(request.task.split())[:LONGEST]
    intent = request.analysis["intent"].strip() or task
    return SemanticRoute(meaning=request.meaning, texts=(task, intent, *sentences(request.task)), **common)


def sentences(task: str) -> list[str]:
    """Return the first sentences or lines of a task that say anything; the whole where none does."""
    parts = [part.strip() for part in _ENDS.split(task)]
    return [part[:LONGEST] for part in parts if len(part) >= LEAST_SENTENCE][:MOST_SENTENCES] or [task[:LONGEST]]
