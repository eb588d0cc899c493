"""Searching a knowledge base: by tag, by names, by error codes, by meaning, by words."""

import asyncio
import re
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from skill_selector.graph.errors import EmbedderError
from skill_selector.knowledge.base import KnowledgeBase
from skill_selector.knowledge.entities import error_codes_in
from skill_selector.knowledge.index import KnowledgeIndex
from skill_selector.knowledge.tags import TagTable
from skill_selector.retrievers.embedder import Embedder
from skill_selector.retrievers.meaning import ON_THE_SPOT
from skill_selector.retrievers.text import is_chinese

LIMIT = 50
LEAST_OF_LANGUAGE = 10
"""Chunks of each language from which on their mean is one."""
LONGEST_QUERY = 4_000
"""Characters of a query."""

_IDENTIFIER = re.compile(r"[A-Za-z_][\w]*(?:[.-]\w+)*", re.ASCII)
_T = TypeVar("_T")


class Hit(NamedTuple):
    """A chunk that was found."""

    chunk_id: str
    score: float
    """More than 0, at most 1; comparable within one way to search."""


class KnowledgeSearch:
    """The ways to search. Each returns the best first, of equal ones in the order of the base.

    `limit` bounds the hits; `types` leaves only chunks of these types. Threads may share it, and each way has an
    async half that keeps off the event loop.
    """

    def __init__(self, index: KnowledgeIndex, tags: TagTable, embedder: Embedder | None = None) -> None:
        self.index = index
        self.tags = tags
        self._embedder = embedder
        self.missing_vectors = 0
        """Chunks without a vector, known once `semantic` was asked: they cannot be found by it."""

    @property
    def base(self) -> KnowledgeBase:
        """What is searched."""
        return self.index.base

    @property
    def has_meaning(self) -> bool:
        """Whether there is an embedder, so that `semantic` can find something."""
        return self._embedder is not None

    def by_tag(
        self, skill_id: str, *, query: str = "", limit: int = LIMIT, types: Collection[str] | None = None
    ) -> list[Hit]:
        """Return chunks tagged with a skill; the score is the tag's confidence, times nearness where a query is given.

        Nearness is the mean of 1 and of the better of the semantic and the keyword score, so that the tag stays what
        counts.

        Raises:
            DefinitionError: there is no such skill.
        """
        scores = self.tags.confidence(skill_id).copy()
        if query.strip():
            scores *= (1 + np.maximum(self._meaning(query), self.index.keyword_scores(query[:LONGEST_QUERY]))) / 2
        return self._best(scores, limit, types)

    def by_names(self, names: Sequence[str], *, limit: int = LIMIT, types: Collection[str] | None = None) -> list[Hit]:
        """Return chunks about names (of tables, columns, functions, settings …), however they are capitalised.

        The score is the share of the names that are known, weighted by rarity: 1 for a chunk that defines them all.
        """
        return self._best(self.index.name_scores(names), limit, types)

    def by_codes(self, codes: Sequence[str], *, limit: int = LIMIT, types: Collection[str] | None = None) -> list[Hit]:
        """Return chunks about error codes or exceptions, exactly; 1 where they are the subject, 0.6 where mentioned."""
        return self._best(self.index.code_scores(codes), limit, types)

    def semantic(self, query: str, *, limit: int = LIMIT, types: Collection[str] | None = None) -> list[Hit]:
        """Return chunks near a text in meaning; the score is the cosine, both languages brought to the same mean.

        Without an embedder, or where it fails, nothing is found; `ask_meaning` raises instead.
        """
        return self._best(self._meaning(query), limit, types)

    def keyword(self, query: str, *, limit: int = LIMIT, types: Collection[str] | None = None) -> list[Hit]:
        """Return chunks that hold a text's words; see `KnowledgeIndex.keyword_scores`."""
        return self._best(self.index.keyword_scores(query[:LONGEST_QUERY]), limit, types)

    async def aby_tag(
        self, skill_id: str, *, query: str = "", limit: int = LIMIT, types: Collection[str] | None = None
    ) -> list[Hit]:
        """Do the same as `by_tag`."""
        return await _away(lambda: self.by_tag(skill_id, query=query, limit=limit, types=types))

    async def aby_names(
        self, names: Sequence[str], *, limit: int = LIMIT, types: Collection[str] | None = None
    ) -> list[Hit]:
        """Do the same as `by_names`."""
        return await _away(lambda: self.by_names(names, limit=limit, types=types))

    async def aby_codes(
        self, codes: Sequence[str], *, limit: int = LIMIT, types: Collection[str] | None = None
    ) -> list[Hit]:
        """Do the same as `by_codes`."""
        return await _away(lambda: self.by_codes(codes, limit=limit, types=types))

    async def asemantic(self, query: str, *, limit: int = LIMIT, types: Collection[str] | None = None) -> list[Hit]:
        """Do the same as `semantic`."""
        return await _away(lambda: self.semantic(query, limit=limit, types=types))

    async def akeyword(self, query: str, *, limit: int = LIMIT, types: Collection[str] | None = None) -> list[Hit]:
        """Do the same as `keyword`."""
        return await _away(lambda: self.keyword(query, limit=limit, types=types))

    def names_in(self, text: str) -> list[str]:
        """Return the identifiers in a text that are names of something in the base, each once, in order."""
        found = dict.fromkeys(_IDENTIFIER.findall(text))
        return [name for name in found if name.casefold() in self.index.names]

    def codes_in(self, text: str) -> list[str]:
        """Return the error codes in a text, known to the base or not, each once, in order."""
        found = dict.fromkeys(error_codes_in(text))
        return list(found)

    def ask_meaning(self, query: str) -> NDArray[np.float32]:
        """Return each chunk's nearness to a text [chunks], 0 to 1; all 0 where there are no vectors.

        Raises:
            EmbedderError: the embedder failed.
        """
        zeros = np.zeros(len(self.index), dtype=np.float32)
        if self._embedder is None or not query.strip() or not len(zeros):
            return zeros
        vectors = self.index.vectors(self._embedder)
        self.missing_vectors = vectors.complete(most=ON_THE_SPOT)
        if not vectors.known.any():
            return zeros
        cosines = vectors.cosines(self._embedder.queries([" ".join(query.split())[:LONGEST_QUERY]]))[:, 0]
        return self._levelled(cosines, is_chinese(query))

    def _meaning(self, query: str) -> NDArray[np.float32]:
        try:
            return self.ask_meaning(query)
        except EmbedderError:
            return np.zeros(len(self.index), dtype=np.float32)

    def _levelled(self, cosines: NDArray[np.float32], chinese: bool) -> NDArray[np.float32]:
        """Bring the other language's chunks to the mean of the query's own: any model finds the same language near."""
        known = ~np.isnan(cosines)
        own = self.index.words.chinese == chinese
        same, other = cosines[known & own], cosines[known & ~own]
        scores = np.nan_to_num(cosines, nan=0.0)
        if min(len(same), len(other)) >= LEAST_OF_LANGUAGE:
            scores[known & ~own] += max(0.0, float(same.mean() - other.mean()))
        levelled: NDArray[np.float32] = np.clip(scores, 0, 1)
        return levelled

    def _best(self, scores: NDArray[np.float32], limit: int, types: Collection[str] | None) -> list[Hit]:
        if types is not None:
            allowed = frozenset(types)
            scores = np.where([chunk.type in allowed for chunk in self.base.chunks], scores, np.float32(0))
        found = np.flatnonzero(scores > 0)
        if len(found) > limit:
            # every chunk that ties with the last one stays, so that the order of the base decides among them
            least = np.partition(scores[found], len(found) - limit)[len(found) - limit]
            found = found[scores[found] >= least]
        order = found[np.argsort(-scores[found], kind="stable")][: max(0, limit)]
        chunks = self.base.chunks
        return [Hit(chunks[at].id, min(1.0, float(scores[at]))) for at in order.tolist()]


async def _away(work: Callable[[], _T]) -> _T:
    return await asyncio.to_thread(work)
