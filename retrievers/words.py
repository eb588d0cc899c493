"""Action words and domain words: the one home that prompts, retrievers and reasoners share.

The words stand in `data/*.txt`. A user's own file has the same format: `[action]` and `[domain]` sections, one word or
phrase a line in its base form, `#` starts a comment, UTF-8. What it says of a shipped word holds.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from os import PathLike, fspath, stat
from stat import S_ISREG
from typing import Literal

from skill_selector.graph.errors import SettingError
from skill_selector.retrievers.inflections import noun_forms, verb_forms
from skill_selector.retrievers.text import has_chinese, normalize

Kind = Literal["action", "domain"]

DATA_FILES = ("action-en.txt", "action-zh.txt", "domain-en.txt", "domain-zh.txt")

LARGEST_FILE = 1_000_000
"""Bytes of a user's own list."""

_TOKEN = re.compile(r"[a-z0-9_]+[+#]*|[\u3400-\u9fff]")
_GAP = re.compile(r"[ \-/.]?")


class _Finder:
    """Finds known words and phrases in a text: Latin ones by whole words, Chinese ones by the longest match."""

    def __init__(self, words: Iterable[str], *, verbs: bool) -> None:
        self.canonical: dict[str, str] = {}
        for word in sorted(words):
            for form in _forms(word, verbs=verbs):
                self.canonical.setdefault(_key(form), word)
        # A base form means itself, even where it looks like another word's inflection.
        self.canonical.update({_key(word): word for word in words})
        self.longest: dict[str, int] = {}
        """Of each first token, how many tokens the longest phrase has that begins with it."""
        for key in self.canonical:
            first, *more = key.split()
            self.longest[first] = max(self.longest.get(first, 0), 1 + len(more))

    def find(self, text: str) -> Iterator[str]:
        tokens = list(_TOKEN.finditer(normalize(text)))
        at = 0
        while at < len(tokens):
            found, length = self._match(tokens, at)
            if found:
                yield found
            at += length

    def _match(self, tokens: list[re.Match[str]], at: int) -> tuple[str | None, int]:
        most = self.longest.get(tokens[at].group(), 0)
        end = at + 1
        while end < min(len(tokens), at + most) and _adjacent(tokens[end - 1], tokens[end]):
            end += 1
        for stop in range(end, at, -1) if most else ():
            found = self.canonical.get(" ".join(token.group() for token in tokens[at:stop]))
            if found:
                return found, stop - at
        return None, 1


def _adjacent(left: re.Match[str], right: re.Match[str]) -> bool:
    return _GAP.fullmatch(left.string, left.end(), right.start()) is not None


@lru_cache(maxsize=1 << 14)
def _key(word: str) -> str:
    return " ".join(_TOKEN.findall(word))


def _forms(word: str, *, verbs: bool) -> Iterator[str]:
    if has_chinese(word):
        yield word
        return
    head, _, tail = word.partition(" ")
    if verbs:
        yield from (f"{form} {tail}".rstrip() for form in verb_forms(head))
    if tail or not verbs:
        start, _, last = word.rpartition(" ")
        yield from (f"{start} {form}".lstrip() for form in noun_forms(last))


@dataclass(frozen=True)
class WordLists:
    """The two lists, normalised and in base form. No word is in both."""

    action: frozenset[str]
    domain: frozenset[str]
    order: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """Every word in the order of its file, for `examples`; alphabetical where empty."""

    @cached_property
    def _actions(self) -> _Finder:
        return _Finder(self.action, verbs=True)

    @cached_property
    def _domains(self) -> _Finder:
        return _Finder(self.domain, verbs=False)

    @cached_property
    def _in_order(self) -> dict[tuple[Kind, str], list[str]]:
        lists: dict[tuple[Kind, str], list[str]] = {}
        known: tuple[tuple[Kind, frozenset[str]], ...] = (("action", self.action), ("domain", self.domain))
        for kind, words in known:
            lists[kind, "en"], lists[kind, "zh"] = [], []
            for word in self.order or sorted(words):
                if word in words:
                    lists[kind, "zh" if has_chinese(word) else "en"].append(word)
        return lists

    def is_action(self, word: str) -> bool:
        """Tell whether the word, inflected or not, is an action word."""
        return _key(normalize(word)) in self._actions.canonical

    def is_action_token(self, token: str) -> bool:
        """Tell the same of a search token, which is normal as it stands."""
        return _key(token) in self._actions.canonical

    def is_domain(self, word: str) -> bool:
        """Tell whether the word, singular or plural, is a domain word."""
        return _key(normalize(word)) in self._domains.canonical

    def find_action(self, text: str) -> list[str]:
        """Return the action words of the text in base form, in order, as often as they occur."""
        return list(self._actions.find(text))

    def find_domain(self, text: str) -> list[str]:
        """Return the domain words of the text in base form, in order, as often as they occur."""
        return list(self._domains.find(text))

    def examples(self, kind: Kind, language: Literal["en", "zh"], count: int) -> list[str]:
        """Return at most `count` words of one list in one language, spread over the list; the same ones each time."""
        words = self._in_order[kind, language]
        count = max(0, min(count, len(words)))
        return [words[index * len(words) // count] for index in range(count)]


def load_words(extra: str | PathLike[str] | None = None) -> WordLists:
    """Return the shipped lists, with those of a user's file where one is named. Reading it blocks.

    Raises:
        SettingError: the file cannot be read, or a line of it cannot be used; the message names both.
    """
    if extra is None:
        return _shipped()
    path = fspath(extra)
    try:
        status = stat(path)
    except OSError as error:
        raise _unreadable(path, error) from error
    if not S_ISREG(status.st_mode) or status.st_size > LARGEST_FILE:
        raise SettingError(f"{path} is no file of words: it must be a text file of at most {LARGEST_FILE:,} bytes")
    return _extended(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1)
def _shipped() -> WordLists:
    words: dict[str, Kind] = {}
    folder = files("skill_selector.retrievers") / "data"
    for name in DATA_FILES:
        # They are normal as they stand (a test sees to it): normalising Chinese loads OpenCC, which costs.
        words |= _parse((folder / name).read_text(encoding="utf-8"), name, str)
    return _word_lists(words)


@lru_cache(maxsize=8)
def _extended(path: str, _modified: int, _size: int) -> WordLists:
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error
    own = _parse(text, path, normalize)
    shipped = _shipped()
    words: dict[str, Kind] = dict(own)
    words |= {word: "action" if word in shipped.action else "domain" for word in shipped.order if word not in own}
    return _word_lists(words)


def _word_lists(words: dict[str, Kind]) -> WordLists:
    return WordLists(
        action=frozenset(word for word, kind in words.items() if kind == "action"),
        domain=frozenset(word for word, kind in words.items() if kind == "domain"),
        order=tuple(words),
    )


def _parse(text: str, name: str, clean: Callable[[str], str]) -> dict[str, Kind]:
    words: dict[str, Kind] = {}
    section: Kind | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("#")[0] if raw.lstrip().startswith("#") else raw.partition(" #")[0]
        word = " ".join(clean(line).split())
        if not word:
            continue
        if word in ("[action]", "[domain]"):
            section = "action" if word == "[action]" else "domain"
            continue
        fault = _fault(word, section, words)
        if fault or section is None:
            raise SettingError(f"{name}, line {number}: {fault}")
        words[word] = section
    return words


def _fault(word: str, section: Kind | None, words: dict[str, Kind]) -> str | None:
    if word.startswith("["):
        return f"there is no section {word}; use [action] or [domain]"
    if section is None:
        # What stands there is not shown: the file may be another than was meant, and hold secrets.
        return "a word stands before the first section; put [action] or [domain] above it"
    if not _key(word):
        return f"{word!r} has no letter or digit; leave it out"
    if words.get(word, section) != section:
        return f"{word!r} is already under [{words[word]}]; a word has one section"
    return None


def _unreadable(path: str, error: Exception) -> SettingError:
    return SettingError(f"the word file {path} cannot be read as UTF-8 text: {error}; correct SELECTOR_WORDS_FILE")
