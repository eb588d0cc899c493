"""BM25 over one field of a catalogue, as plain numpy arrays."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import Self

import numpy as np
from numpy.typing import NDArray

from skill_selector.retrievers.counting import Integers, Numbers, WordCounts

K1 = 1.5
B = 0.75
MOST_COUNTED = np.iinfo(np.uint16).max

Progress = Callable[[int, int], None]
Matches = dict[str, tuple[NDArray[np.int32], NDArray[np.float32]]]
"""By token, the documents that hold it, and the term frequency part of BM25 of each."""


@dataclass(frozen=True, eq=False)
class Postings:
    """Which documents hold which token, how often, and what that is worth.

    The postings of token t are the slice `offsets[t]:offsets[t + 1]` of the arrays by posting, ordered by document.
    Arrays and vocabulary are never changed, so that they may be mapped from a file.
    """

    vocabulary: Mapping[str, int]
    """The number of each token; lists them by number."""
    offsets: NDArray[np.int64]
    """[tokens + 1]"""
    documents: NDArray[np.int32]
    """[postings], positions of documents."""
    counts: NDArray[np.uint16]
    """[postings], how often the token occurs there, as far as it counts; stops at 65,535."""
    impacts: NDArray[np.float32]
    """[postings], the BM25 score that the token gives the document; more than 0."""
    lengths: NDArray[np.int32]
    """[documents], tokens in each."""

    @classmethod
    def build(cls, documents: Iterable[list[str]], size: int, progress: Progress | None = None) -> Self:
        """Return the postings of documents given as lists of `text.words`.

        Args:
            documents: the words of each, in order of position.
            size: how many documents there are.
            progress: called with how many are done, and `size`.
        """
        counts = WordCounts(Numbers())
        for done, document in enumerate(documents, 1):
            counts.add(document)
            if progress and (done % 256 == 0 or done == size):
                progress(done, size)
        return cls.of_triples(*counts.triples(), size)

    @classmethod
    def of_triples(
        cls,
        vocabulary: Mapping[str, int],
        triples: list[NDArray[np.int32]],
        size: int,
        lengths: NDArray[np.int32] | None = None,
    ) -> Self:
        """Return the postings of tokens, positions and counts by posting, ordered by position.

        Args:
            vocabulary: the number of each token.
            triples: the three arrays; the list is emptied, since they are large.
            size: how many documents there are.
            lengths: tokens in each document, where the counts do not add up to them.
        """
        tokens, positions, counts = _sorted_by_token(triples)
        first = np.ones(len(tokens), dtype=bool)
        first[1:] = (tokens[1:] != tokens[:-1]) | (positions[1:] != positions[:-1])
        starts = np.flatnonzero(first)
        counts = np.add.reduceat(counts, starts, dtype=np.int32) if len(starts) else counts
        tokens, positions = tokens[starts], positions[starts]
        offsets = np.searchsorted(tokens, np.arange(len(vocabulary) + 1, dtype=np.int32)).astype(np.int64)
        if lengths is None:
            lengths = np.bincount(positions, weights=counts, minlength=size).astype(np.int32)
        kept = np.minimum(counts, MOST_COUNTED).astype(np.uint16)
        return cls(
            vocabulary=vocabulary,
            offsets=offsets,
            documents=positions,
            counts=kept,
            impacts=_impacts(offsets, positions, kept, lengths),
            lengths=lengths,
        )

    @property
    def size(self) -> int:
        """How many documents there are."""
        return len(self.lengths)

    def document_frequency(self, token: str) -> int:
        """Return how many documents hold the token."""
        start, end = self._slice(token)
        return end - start

    def idf(self, token: str) -> float:
        """Return the token's inverse document frequency, ln(1 + (N - n + 0.5)/(n + 0.5)): more than 0 at any size."""
        return idf(self.size, self.document_frequency(token))

    def count(self, position: int, token: str) -> int:
        """Return how often the token occurs in the document."""
        documents, counts = self.find(token)
        at = int(np.searchsorted(documents, position))
        return int(counts[at]) if at < len(documents) and documents[at] == position else 0

    def find(self, token: str) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return the documents that hold the token, in order, and how often each does."""
        start, end = self._slice(token)
        return self.documents[start:end], self.counts[start:end]

    def occurrences(self, token: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the documents that hold the token, in order, and the term frequency part of BM25 of each."""
        start, end = self._slice(token)
        return self.documents[start:end], self.impacts[start:end] / np.float32(idf(self.size, end - start))

    def matches(self, tokens: Iterable[str]) -> Matches:
        """Return the `occurrences` of those tokens that any document holds."""
        found: Matches = {}
        for token in tokens:
            start, end = self._slice(token)
            if start < end:
                rarity = np.float32(idf(self.size, end - start))
                found[token] = self.documents[start:end], self.impacts[start:end] / rarity
        return found

    def held(self, position: int, tokens: Iterable[str]) -> set[str]:
        """Return which of the tokens the document holds."""
        found = set()
        for token in tokens:
            start, end = self._slice(token)
            documents = self.documents[start:end]
            at = documents.searchsorted(position)
            if at < len(documents) and documents[at] == position:
                found.add(token)
        return found

    def scores(self, query: Mapping[str, float]) -> NDArray[np.float32]:
        """Return the documents' BM25 scores [documents], 0 or more, of tokens with their weights."""
        total = np.zeros(self.size, dtype=np.float32)
        for token, weight in query.items():
            start, end = self._slice(token)
            # A token has one posting a document, so that no position occurs twice here.
            total[self.documents[start:end]] += self.impacts[start:end] * np.float32(weight)
        return total

    def overlap(self, tokens: Iterable[str]) -> NDArray[np.bool_]:
        """Return which documents hold any of the tokens [documents]."""
        found = np.zeros(self.size, dtype=bool)
        for token in tokens:
            start, end = self._slice(token)
            found[self.documents[start:end]] = True
        return found

    def _slice(self, token: str) -> tuple[int, int]:
        """Return where the token's postings begin and end; whoever maps arrays from a file checks them here."""
        at = self.vocabulary.get(token)
        return (0, 0) if at is None else (int(self.offsets[at]), int(self.offsets[at + 1]))


def idf(size: int, found: int) -> float:
    """Return the inverse document frequency of a token that `found` of `size` documents hold."""
    return log(1 + (size - found + 0.5) / (found + 0.5))


def _sorted_by_token(triples: list[NDArray[np.int32]]) -> list[NDArray[np.int32]]:
    # The stable sort keeps the order by position within each token. One array at a time: they are large.
    order = np.argsort(triples[0], kind="stable")
    return [triples.pop(0)[order] for _ in range(3)]


def inverse_frequencies(size: int, frequencies: Integers) -> NDArray[np.float32]:
    """Return `idf` for many tokens."""
    return np.log1p((size - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)


def length_damping(lengths: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return what a document's length adds to the denominator of BM25 [documents]."""
    mean = float(lengths.mean()) if len(lengths) else 0.0
    return (K1 * (1 - B + B * lengths / (mean or 1.0))).astype(np.float32)


def saturated(counts: NDArray[np.uint16], damping: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the term frequency part of BM25, by posting."""
    found = counts.astype(np.float32)
    return found * np.float32(K1 + 1) / (found + damping)


def _impacts(
    offsets: NDArray[np.int64], documents: NDArray[np.int32], counts: NDArray[np.uint16], lengths: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Return the Okapi BM25 weight of every posting, as in rank_bm25 but for the IDF."""
    frequencies = np.diff(offsets)
    idf = inverse_frequencies(len(lengths), frequencies)
    return np.repeat(idf, frequencies) * saturated(counts, length_damping(lengths)[documents])
