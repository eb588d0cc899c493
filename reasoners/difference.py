"""The words by which texts that look alike differ."""

from collections import Counter
from collections.abc import Sequence

from skill_selector.retrievers.text import word_tokens, words

MOST_WORDS = 8
"""Words that are named of each text."""


def own_words(texts: Sequence[str]) -> list[list[str]]:
    """Return of each text the words that no other of the texts has, in order and as they are written there.

    Inflections of one word count as the same; stop words are left out.
    """
    found = [_words(text) for text in texts]
    holders = Counter(token for one in found for token in one)
    own = (dict.fromkeys(word for token, word in one.items() if holders[token] == 1) for one in found)
    return [list(one)[:MOST_WORDS] for one in own]


def _words(text: str) -> dict[str, str]:
    """Return the first word of the text for each search token."""
    first: dict[str, str] = {}
    for word in words(text):
        for token in word_tokens(word):
            first.setdefault(token, word)
    return first
