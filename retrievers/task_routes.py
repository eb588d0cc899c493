"""The routes over the words of the whole task: one for each kind of word, and one for their translations.

Their sum, at the default weights, is one BM25 score over several fields, divided by the root of the task's mass: that
neither favours long tasks nor depends on what else is found.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from skill_selector.graph.settings import Settings
from skill_selector.retrievers.glossary import Concepts, Gloss, load_glossary
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.query import ADDED_WEIGHT
from skill_selector.retrievers.rarity import idf_among, smoothed_idf
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.routes import Route
from skill_selector.retrievers.strategy import RouteSpec

_DEFAULTS = Settings()


class TaskRoute(Route):
    """Words of the task: Σ field weight · word weight · idf · BM25's frequency part, divided by `divisor`."""

    tokens: Mapping[str, float]
    fields: Mapping[str, float]
    divisor: float = Field(gt=0)

    def measure(self) -> NDArray[np.float32]:
        """Return each skill's score [skills], 0 or more."""
        total = np.zeros(len(self.index), dtype=np.float32)
        for field, share in self.fields.items():
            for token, weight in self.tokens.items():
                documents, frequencies = self.index.occurrences(field, token)
                if len(documents):
                    worth = share * weight * idf_among(self.index, token, documents)
                    total[documents] += np.float32(worth) * frequencies
        return total / np.float32(self.divisor)


class DictionaryRoute(Route):
    """Translations of the task's words, over the skills of the other language only.

    Each word is one concept: its best gloss counts, divided by √(number of glosses that are found at all), so that a
    word of many meanings says less. A gloss of several words needs all of them.
    """

    concepts: Concepts = Field(repr=False)
    weights: Mapping[str, float]
    """How much the words of `concepts` count; those that are not here, `ADDED_WEIGHT`."""
    others: NDArray[np.bool_] = Field(repr=False)
    """Which skills are of the other language."""
    fields: Mapping[str, float]
    divisor: float = Field(gt=0)

    def measure(self) -> NDArray[np.float32]:
        """Return each skill's score [skills], 0 or more."""
        total = np.zeros(len(self.index), dtype=np.float32)
        size = int(self.others.sum())
        for word, glosses in self.concepts.items():
            weight = self.weights.get(word, ADDED_WEIGHT)
            for field, share in self.fields.items():
                best, found = self._best(field, glosses, size)
                if found:
                    total += np.float32(share * weight / math.sqrt(found)) * best
        total[~self.others] = 0
        return total / np.float32(self.divisor)

    def _best(self, field: str, glosses: tuple[Gloss, ...], size: int) -> tuple[NDArray[np.float32], int]:
        """Return the best gloss's score [skills], and how many of them are found."""
        best = np.zeros(len(self.index), dtype=np.float32)
        found = 0
        for gloss in glosses:
            documents, frequencies = joint_occurrences(self.index, field, gloss.tokens)
            if len(documents):
                found += 1
                scores = np.float32(smoothed_idf(size, len(documents))) * frequencies
                best[documents] = np.maximum(best[documents], scores)
        return best, found


def joint_occurrences(
    index: SkillIndex, field: str, tokens: tuple[str, ...]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the skills that hold all of the tokens, and the least of their frequency parts."""
    documents, frequencies = index.occurrences(field, tokens[0])
    for token in tokens[1:]:
        if not len(documents):
            break
        others, theirs = index.occurrences(field, token)
        documents, left, right = np.intersect1d(documents, others, assume_unique=True, return_indices=True)
        frequencies = np.minimum(frequencies[left], theirs[right])
    return documents, frequencies


def task_route(request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
    """Build the route over the task's words of the kind that the spec's options name."""
    # The settings' defaults stand for the formula as it was measured; another weight counts in relation to them.
    unit = float(getattr(_DEFAULTS, spec.weight)) if isinstance(spec.weight, str) else 1.0
    tokens = request.query.of_kind(spec.options["kind"])
    return TaskRoute(tokens=tokens, fields=spec.fields, divisor=unit * math.sqrt(request.mass), **common)


def dictionary_route(request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
    """Build the route over the translations; the dictionary is read only where both languages meet."""
    query = request.query
    others = ~request.index.chinese if query.chinese else request.index.chinese
    return DictionaryRoute(
        concepts=load_glossary().concepts(request.task, query.weights) if others.any() else {},
        weights=query.weights,
        others=others,
        fields=spec.fields,
        divisor=math.sqrt(request.mass),
        **common,
    )
