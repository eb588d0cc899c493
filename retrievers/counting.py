"""From words to what postings are made of: words are numbered and counted, and cut into tokens once for all texts."""

from array import array
from collections import Counter
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skill_selector.retrievers.text import word_tokens

Integers = NDArray[np.signedinteger]


class TokenTable(NamedTuple):
    """The tokens of numbered words: those of word w are `tokens[starts[w]:starts[w + 1]]`."""

    names: tuple[str, ...]
    """By number."""
    starts: Integers
    tokens: Integers


class Numbers(dict[str, int]):
    """Numbers strings in order of appearance."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number

    @cached_property
    def table(self) -> TokenTable:
        """The tokens of the words, made when first asked for: no word may come after that."""
        token_ids = Numbers()
        tokens, ends = array("i"), array("i", [0])
        for word in self:
            tokens.extend(map(token_ids.__getitem__, word_tokens(word)))
            ends.append(len(tokens))
        return TokenTable(tuple(token_ids), _numpy(ends), _numpy(tokens))


class WordCounts:
    """How often each word occurs in each of some texts, which are added in order."""

    def __init__(self, numbers: Numbers) -> None:
        """Take the numbers of the words, which several counts may share."""
        self._numbers = numbers
        self._words, self._counts, self._ends = array("i"), array("i"), array("q", [0])

    def add(self, words: list[str]) -> None:
        """Count the words of the next text."""
        counted = Counter(words)
        self._words.fromlist(list(map(self._numbers.__getitem__, counted)))
        self._counts.fromlist(list(counted.values()))
        self._ends.append(len(self._words))

    def triples(self) -> tuple[dict[str, int], list[NDArray[np.int32]]]:
        """Return the number of each token, and tokens, positions and counts by posting, ordered by position."""
        names, starts, tokens = self._numbers.table
        per_document = np.diff(_numpy(self._ends))
        words = _numpy(self._words)
        per_word = np.diff(starts)[words]
        before = np.cumsum(per_word, dtype=np.int32) - per_word
        picked = np.repeat(starts[:-1][words] - before, per_word)
        picked += np.arange(len(picked), dtype=picked.dtype)
        found = tokens[picked]
        del picked, before, words
        positions = np.repeat(np.arange(len(per_document), dtype=np.int32), per_document)
        vocabulary, found = _own_numbers(names, found)
        return vocabulary, [found, np.repeat(positions, per_word), np.repeat(_numpy(self._counts), per_word)]


def _own_numbers(names: tuple[str, ...], tokens: NDArray[np.int32]) -> tuple[dict[str, int], NDArray[np.int32]]:
    """Number the tokens that occur from 0 on: other texts may hold others."""
    used = np.zeros(len(names), dtype=bool)
    used[tokens] = True
    numbers = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return {names[at]: place for place, at in enumerate(np.flatnonzero(used).tolist())}, numbers[tokens]


def _numpy(numbers: "array[int]") -> Integers:
    return np.frombuffer(numbers, dtype=f"i{numbers.itemsize}") if numbers else np.empty(0, f"i{numbers.itemsize}")
