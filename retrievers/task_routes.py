"""The routes over the words of the whole task: one for each kind of word, and one for their translations.

Their sum, at the default weights, is one BM25 score over several fields, divided by the root of the task's mass: that
neither favours long tasks nor depends on what else is found.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, SkipValidation

from skill_selector.graph.settings import Settings
from skill_selector.retrievers.glossary import Concepts
from skill_selector.retrievers.postings import Matches
from skill_selector.retrievers.query import ADDED_WEIGHT
from skill_selector.retrievers.rarity import idf_among, smoothed_idf
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.routes import Route
from skill_selector.retrievers.strategy import RouteSpec

_DEFAULTS = Settings()


class TaskRoute(Route):
    """Words of the task: Σ field weight · word weight · idf · BM25's frequency part, divided by `divisor`."""

    tokens: SkipValidation[Mapping[str, float]]
    fields: Mapping[str, float]
    divisor: float = Field(gt=0)

    def measure(self) -> NDArray[np.float32]:
        """Return each skill's score [skills], 0 or more."""
        total = np.zeros(len(self.index), dtype=np.float32)
        for field, share in self.fields.items():
            for token, (documents, frequencies) in self.index.matches(field, self.tokens).items():
                worth = share * self.tokens[token] * idf_among(self.index, token, documents)
                total[documents] += np.float32(worth) * frequencies
        return total / np.float32(self.divisor)


class DictionaryRoute(Route):
    """Translations of the task's words, over the skills of the other language only.

    Each word is one concept: its best gloss counts, divided by √(number of glosses that are found at all), so that a
    word of many meanings says less. A gloss of several words needs all of them.
    """

    concepts: SkipValidation[Concepts] = Field(repr=False)
    weights: SkipValidation[Mapping[str, float]]
    """How much the words of `concepts` count; those that are not here, `ADDED_WEIGHT`."""
    others: NDArray[np.bool_] = Field(repr=False)
    """Which skills are of the other language."""
    fields: Mapping[str, float]
    divisor: float = Field(gt=0)

    def measure(self) -> NDArray[np.float32]:
        """Return each skill's score [skills], 0 or more."""
        total = np.zeros(len(self.index), dtype=np.float32)
        best = np.zeros_like(total)
        size = int(self.others.sum())
        tokens = {token for glosses in self.concepts.values() for gloss in glosses for token in gloss.tokens}
        matches = {field: self.index.matches(field, tokens) for field in self.fields}
        for word, glosses in self.concepts.items():
            weight = self.weights.get(word, ADDED_WEIGHT)
            for field, share in self.fields.items():
                found = [one for gloss in glosses if (one := joint_matches(matches[field], gloss.tokens))]
                if not found:
                    continue
                factor = np.float32(share * weight / math.sqrt(len(found)))
                for documents, frequencies in found:
                    scores = np.float32(smoothed_idf(size, len(documents))) * frequencies
                    best[documents] = np.maximum(best[documents], scores)
                touched = np.concatenate([documents for documents, _ in found])
                # A skill that several glosses found is there several times, and gets the same sum each time.
                total[touched] += factor * best[touched]
                best[touched] = 0
        total[~self.others] = 0
        return total / np.float32(self.divisor)


def joint_matches(matches: Matches, tokens: tuple[str, ...]) -> tuple[NDArray[np.int32], NDArray[np.float32]] | None:
    """Return the skills that hold all of the tokens, and the least of their frequency parts; None where none does."""
    held = [matches[token] for token in tokens if token in matches]
    if len(held) < len(tokens):
        return None
    documents, frequencies = held[0]
    for others, theirs in held[1:]:
        documents, left, right = np.intersect1d(documents, others, assume_unique=True, return_indices=True)
        frequencies = np.minimum(frequencies[left], theirs[right])
    return (documents, frequencies) if len(documents) else None


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
        concepts=request.concepts if others.any() else {},
        weights=query.weights,
        others=others,
        fields=spec.fields,
        divisor=math.sqrt(request.mass),
        **common,
    )
