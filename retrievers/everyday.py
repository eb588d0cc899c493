"""Everyday words: too common in tasks of every kind to say much about what one is for."""

from functools import lru_cache
from importlib.resources import files

from skill_selector.retrievers.text import has_chinese, word_tokens


@lru_cache(maxsize=1)
def everyday_tokens() -> frozenset[str]:
    """Return the search tokens of the words in `data/everyday.txt`."""
    text = (files("skill_selector.retrievers") / "data" / "everyday.txt").read_text(encoding="utf-8")
    words = [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
    # Chinese words are tokens as they stand; English ones are stemmed.
    return frozenset(token for word in words for token in ((word,) if has_chinese(word) else word_tokens(word)))
