"""How much a chunk counts: its relevance to the request, and what its type, author and age add or take away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from skill_selector.compiler.needs import Need, searchable
from skill_selector.compiler.request import CompileRequest
from skill_selector.knowledge.chunk import Chunk, ChunkType
from skill_selector.knowledge.search import KnowledgeSearch

FUSED, TOUCHING, ABOUT = 0.3, 0.3, 0.4
"""Shares of the local relevance: the routes, the parameters that the chunk names, its words and its meaning."""
LEAST_TRUST = 0.4
"""What is left of the score of a chunk without any authority; from there on it grows with authority to 1."""
OLD = 0.9
"""Of the score of the oldest of the dated chunks; the newest keeps all."""
LIKED, DISLIKED = 1.15, 0.85
"""Of the score of types that the person's preference favours, or the other one does."""

EXPLAINING: frozenset[ChunkType] = frozenset({"api_documentation", "document", "solution_article"})
SHOWING: frozenset[ChunkType] = frozenset({"code_snippet", "example", "sql_example", "query_pattern", "config_snippet"})
PREFERENCES: Mapping[str, tuple[frozenset[ChunkType], frozenset[ChunkType]]] = {
    "none": (frozenset(), frozenset()),
    "terse": (SHOWING, EXPLAINING),
    "commented": (EXPLAINING, frozenset()),
}
"""By a person's preference: types that are favoured, and types that are not (source 002: who likes comments gets more
explanation, who likes it short denser examples)."""


@dataclass(frozen=True)
class Relevance:
    """The local scorer of one request."""

    request: CompileRequest
    search: KnowledgeSearch
    needs: Sequence[Need]
    fused: Mapping[str, float]
    """By chunk id."""
    near: Mapping[str, float]
    """By chunk id: nearness in meaning, 0 to 1."""

    def of(self, chunks: Sequence[Chunk]) -> list[float]:
        """Return the relevance of each chunk, 0 to 1: 0.3 routes + 0.3 parameters + 0.4 words and meaning."""
        about = self._about(chunks)
        texts = [searchable(chunk) for chunk in chunks]
        touching = [touched(text, self.needs) for text in texts]
        rarity = self._rarity(touching)
        mass = sum(rarity.values())
        found = []
        for chunk, names, share in zip(chunks, touching, about, strict=True):
            named = sum(rarity[name] for name in names) / mass if mass else 0.0
            found.append(FUSED * self.fused.get(chunk.id, 0.0) + TOUCHING * named + ABOUT * share)
        return found

    def _about(self, chunks: Sequence[Chunk]) -> list[float]:
        """Return the root mean square of words and meaning, each a share of its best; words alone without vectors."""
        index = self.search.index
        scores = index.keyword_scores(self.request.words)
        words = _shares([float(scores[index.words.position(one.id)]) for one in chunks])
        if not self.near:
            return words
        near = _shares([self.near.get(one.id, 0.0) for one in chunks])
        return [((one**2 + other**2) / 2) ** 0.5 for one, other in zip(words, near, strict=True)]

    def _rarity(self, touching: Sequence[Sequence[str]]) -> dict[str, float]:
        """Return how telling each need is among these chunks; 0 for one that nobody covers."""
        count = len(touching)
        found = {}
        for need in self.needs:
            if need.parameter:
                holding = sum(need.text in names for names in touching)
                found[need.text] = float(np.log1p((count - holding + 0.5) / (holding + 0.5))) if holding else 0.0
        return found


def _shares(values: Sequence[float]) -> list[float]:
    best = max(values, default=0.0)
    return [one / best if best else 0.0 for one in values]


def touched(text: str, needs: Sequence[Need]) -> list[str]:
    """Return which needs of the parameters a normalised text covers."""
    return [need.text for need in needs if need.parameter and need.covered_by(text)]


def standing(chunks: Sequence[Chunk], preference: str) -> list[float]:
    """Return what each chunk's relevance is multiplied by for its author, its age and a key of `PREFERENCES`."""
    liked, disliked = PREFERENCES[preference]
    dates = sorted({chunk.date for chunk in chunks if chunk.date})
    ages = {date: OLD + (1 - OLD) * at / max(1, len(dates) - 1) for at, date in enumerate(dates)}
    found = []
    for chunk in chunks:
        factor = LEAST_TRUST + (1 - LEAST_TRUST) * chunk.authority
        factor *= ages[chunk.date] if chunk.date and len(dates) > 1 else 1.0
        factor *= LIKED if chunk.type in liked else DISLIKED if chunk.type in disliked else 1.0
        found.append(factor)
    return found
