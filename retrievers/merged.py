"""Several postings searched as one, so that a small change of a large catalogue costs little."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skill_selector.retrievers.postings import Matches, Postings, idf, inverse_frequencies, length_damping, saturated

MOST_HELD = 4_000_000
"""How many postings are held ready; 32 MB."""


class Part(NamedTuple):
    """Postings, and which of the whole's documents theirs are."""

    postings: Postings
    places: NDArray[np.int32]
    """[its documents], the position in the whole; -1 for a document that no longer counts."""


@dataclass(frozen=True)
class _Found:
    """The postings of one token in the whole."""

    documents: NDArray[np.int32]
    counts: NDArray[np.uint16]
    impacts: NDArray[np.float32]


class MergedPostings:
    """The same as `Postings` over all documents that count, with the same scores to the last bit."""

    def __init__(self, parts: Sequence[Part], size: int) -> None:
        """Take parts that hold each of `size` documents once."""
        self.parts = tuple(parts)
        self.lengths = np.zeros(size, dtype=np.int32)
        for postings, places in self.parts:
            alive = places >= 0
            self.lengths[places[alive]] = postings.lengths[alive]
        self._damping = length_damping(self.lengths)
        self._held: OrderedDict[str, _Found] = OrderedDict()
        self._held_postings = 0
        self._lock = Lock()

    @property
    def size(self) -> int:
        """How many documents there are."""
        return len(self.lengths)

    def document_frequency(self, token: str) -> int:
        """Return how many documents hold the token."""
        return len(self._find(token).documents)

    def idf(self, token: str) -> float:
        """Return the token's inverse document frequency, more than 0."""
        return idf(self.size, self.document_frequency(token))

    def count(self, position: int, token: str) -> int:
        """Return how often the token occurs in the document."""
        found = self._find(token)
        at = np.flatnonzero(found.documents == position)
        return int(found.counts[at[0]]) if len(at) else 0

    def occurrences(self, token: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the documents that hold the token, and the term frequency part of BM25 of each."""
        found = self._find(token)
        return found.documents, saturated(found.counts, self._damping[found.documents])

    def matches(self, tokens: Iterable[str]) -> Matches:
        """Return the `occurrences` of those tokens that any document holds."""
        found = ((token, self.occurrences(token)) for token in tokens)
        return {token: one for token, one in found if len(one[0])}

    def held(self, position: int, tokens: Iterable[str]) -> set[str]:
        """Return which of the tokens the document holds."""
        return {token for token in tokens if (self._find(token).documents == position).any()}

    def scores(self, query: Mapping[str, float]) -> NDArray[np.float32]:
        """Return the documents' BM25 scores [documents], 0 or more, of tokens with their weights."""
        total = np.zeros(self.size, dtype=np.float32)
        for token, weight in query.items():
            found = self._find(token)
            total[found.documents] += found.impacts * np.float32(weight)
        return total

    def overlap(self, tokens: Iterable[str]) -> NDArray[np.bool_]:
        """Return which documents hold any of the tokens [documents]."""
        overlapping = np.zeros(self.size, dtype=bool)
        for token in tokens:
            overlapping[self._find(token).documents] = True
        return overlapping

    def _find(self, token: str) -> _Found:
        with self._lock:
            found = self._held.get(token)
            if found is None:
                found = self._held[token] = self._collect(token)
                self._held_postings += len(found.documents) + 1
            self._held.move_to_end(token)
            while self._held_postings > MOST_HELD and len(self._held) > 1:
                _, oldest = self._held.popitem(last=False)
                self._held_postings -= len(oldest.documents) + 1
            return found

    def _collect(self, token: str) -> _Found:
        documents, counts = [], []
        for postings, places in self.parts:
            found, times = postings.find(token)
            at = places[found]
            alive = at >= 0
            documents.append(at[alive])
            counts.append(times[alive])
        holding = np.concatenate(documents) if documents else np.empty(0, dtype=np.int32)
        times = np.concatenate(counts) if counts else np.empty(0, dtype=np.uint16)
        weight = inverse_frequencies(self.size, np.array([len(holding)]))[0]
        return _Found(holding, times, weight * saturated(times, self._damping[holding]))


def merge(parts: Sequence[Part], size: int) -> Postings:
    """Return one postings of the documents that count, as if it had been built of their texts."""
    numbers: dict[str, int] = {}
    triples: list[list[NDArray[np.int32]]] = [[], [], []]
    lengths = np.zeros(size, dtype=np.int32)
    for postings, places in parts:
        token_numbers = np.array(
            [numbers.setdefault(token, len(numbers)) for token in postings.vocabulary], dtype=np.int32
        )
        documents = places[postings.documents]
        alive = documents >= 0
        triples[0].append(np.repeat(token_numbers, np.diff(postings.offsets))[alive])
        triples[1].append(documents[alive])
        triples[2].append(postings.counts[alive].astype(np.int32))
        counted = places >= 0
        lengths[places[counted]] = postings.lengths[counted]
    joined = [np.concatenate(one) if one else np.empty(0, dtype=np.int32) for one in triples]
    order = np.argsort(joined[1], kind="stable")
    tokens, *others = [one[order] for one in joined]
    # Tokens that only documents without a place hold are left out.
    used, renumbered = np.unique(tokens, return_inverse=True)
    names = list(numbers)
    vocabulary = {names[number]: at for at, number in enumerate(used.tolist())}
    return Postings.of_triples(vocabulary, [renumbered.astype(np.int32), *others], size, lengths)
