"""Which English words a Chinese one stands for, and the reverse: a bundled dictionary and a list of technical terms."""

import gzip
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import NamedTuple

from skill_selector.retrievers.everyday import everyday_tokens
from skill_selector.retrievers.text import has_chinese, normalize, tokenize

LONGEST = 8
"""Characters of the longest Chinese term that is looked for across the words of a task."""
SHORTEST_RUN = 3
"""Shorter ones count only where the task's text is cut at them."""
MOST_REVERSED = 40
"""How many Chinese words an English one stands for at most."""

_HAN_RUN = re.compile(r"[\u4e00-\u9fff]+")
_WORD = re.compile(r"[a-z]+")


class Gloss(NamedTuple):
    """What a word may be called in the other language."""

    text: str
    tokens: tuple[str, ...]
    """Its search tokens; a text that speaks of it holds all of them."""
    source: str = ""
    """The English word that it is a gloss of, as the dictionary has it; empty for glosses of Chinese words."""


Concepts = Mapping[str, tuple[Gloss, ...]]
"""The words of a task that have glosses, with them."""


class Glossary:
    """Chinese terms with their English glosses."""

    def __init__(self, terms: Mapping[str, Sequence[str]]) -> None:
        self._terms = terms

    def glosses(self, word: str) -> tuple[Gloss, ...]:
        """Return the English glosses of a Chinese word."""
        found: dict[frozenset[str], Gloss] = {}
        for text in self._terms.get(word, ()):
            tokens = tuple(dict.fromkeys(tokenize(text.replace("-", " "))))
            if tokens:
                found.setdefault(frozenset(tokens), Gloss(text, tokens))
        return tuple(found.values())

    def concepts(self, task: str, tokens: Collection[str]) -> Concepts:
        """Return the glosses of what a task speaks of.

        Args:
            task: its text. One with any Chinese is looked up in Chinese, any other in English.
            tokens: its search tokens.
        """
        if has_chinese(task):
            terms = dict.fromkeys([*(token for token in tokens if token in self._terms), *self._long_terms(task)])
            return {term: glosses for term in terms if (glosses := self.glosses(term))}
        telling = [token for token in tokens if token not in everyday_tokens()]
        return {token: self._reversed[token] for token in telling if token in self._reversed} | self._phrases_in(task)

    def _long_terms(self, task: str) -> Iterator[str]:
        """Yield the longest term that begins at each character, also across the words of the task."""
        for run in _HAN_RUN.findall(normalize(task)):
            for start in range(len(run)):
                for length in range(min(LONGEST, len(run) - start), SHORTEST_RUN - 1, -1):
                    if run[start : start + length] in self._terms:
                        yield run[start : start + length]
                        break

    def _phrases_in(self, task: str) -> dict[str, tuple[Gloss, ...]]:
        tokens = tokenize(task.replace("-", " "))
        found: dict[str, tuple[Gloss, ...]] = {}
        for at, token in enumerate(tokens):
            for text, phrase, glosses in self._phrases.get(token, ()):
                if tuple(tokens[at : at + len(phrase)]) == phrase:
                    found[text] = glosses
        return found

    @cached_property
    def _reversed(self) -> Mapping[str, tuple[Gloss, ...]]:
        """The Chinese words by the one English token that stands for them."""
        import Stemmer  # noqa: PLC0415 - one call for all words takes a tenth of the time of one call a word

        pairs = [(text, word) for word, texts in self._terms.items() for text in texts if _WORD.fullmatch(text)]
        stems = Stemmer.Stemmer("english").stemWords([text for text, _ in pairs])
        found: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for stem, (text, word) in zip(stems, pairs, strict=True):
            found[stem].setdefault(word, text)
        return {
            stem: tuple(Gloss(word, (word,), text) for word, text in [*words.items()][:MOST_REVERSED])
            for stem, words in found.items()
        }

    @cached_property
    def _phrases(self) -> Mapping[str, list[tuple[str, tuple[str, ...], tuple[Gloss, ...]]]]:
        """English phrases of the list of terms, by their first token: text, tokens, the Chinese terms."""
        found: defaultdict[str, list[tuple[str, tuple[str, ...], tuple[Gloss, ...]]]] = defaultdict(list)
        terms: defaultdict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
        for word in load_terms():
            for text in self._terms.get(word, ()):
                tokens = tuple(tokenize(text.replace("-", " ")))
                if len(tokens) > 1:
                    terms[tokens].setdefault(word, text)
        for tokens, words in terms.items():
            glosses = tuple(Gloss(word, (word,), text) for word, text in words.items())
            found[tokens[0]].append((next(iter(words.values())), tokens, glosses))
        return found


@lru_cache(maxsize=1)
def load_terms() -> Mapping[str, tuple[str, ...]]:
    """Return the technical terms of `data/glossary.txt`."""
    text = (files("skill_selector.retrievers") / "data" / "glossary.txt").read_text(encoding="utf-8")
    entries = (line.partition(":") for line in text.splitlines() if line and not line.startswith("#"))
    return {word.strip(): tuple(part.strip() for part in glosses.split(",")) for word, _, glosses in entries}


@lru_cache(maxsize=1)
def load_glossary() -> Glossary:
    """Return the whole glossary; the technical terms come before what CC-CEDICT says of the same word."""
    raw = (files("skill_selector.retrievers") / "data" / "cc-cedict.tsv.gz").read_bytes()
    lines = (line.partition("\t") for line in gzip.decompress(raw).decode("utf-8").splitlines())
    return Glossary({**{word: glosses.split("/") for word, _, glosses in lines}, **load_terms()})
