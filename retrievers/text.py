"""From text to search tokens, the same way for skills and for tasks.

`words` cuts a text, `word_tokens` turns one of its words into tokens. They are apart so that an index can do the
second step once for each distinct word.
"""

import re
import threading
import unicodedata
from functools import lru_cache

import Stemmer

from skill_selector.retrievers.chinese import bigrams, pairs, segment, simplify
from skill_selector.retrievers.stopwords import ENGLISH_STOP_WORDS

LONGEST_TOKEN = 64
"""Longer words, in characters, are keys, digests and encoded data; only their parts are searched for."""

CHINESE_SHARE = 0.2
"""From this share of Chinese letters on a text is Chinese: product names and code stay as they are in it."""

# Extensions A to I and the compatibility block count as Chinese, Japanese kana do not.
_HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
# Scripts that put no spaces between words, and Korean, whose particles stick to them: searched by pairs.
_PAIRED = "\u3041-\u30ff\uac00-\ud7af\u0e01-\u0e4f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"

# What a reader can't see: soft hyphen, joiners, bidi controls, variation selectors, BOM, tag block. Some hide text
# in them, others break words with them.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)


def _word_pattern(letter: str, start: str = "") -> str:
    # One part is letters and digits, with ++ or # behind it (c++, f#); a dot may lead the first (.net, .env).
    # Possessive quantifiers: nothing here needs to go back, and long texts take half the time.
    suffix = rf"(?:\+\+|#(?!{letter}))?+"
    start = start or rf"\.?{letter}"
    return rf"{start}{letter}*+{suffix}(?:[-_./'’]{letter}++{suffix})*+"


# It begins with one set of characters, so that the search leaps to the next of them.
_ASCII_WORD = re.compile(_word_pattern("[A-Za-z0-9]", r"[.A-Za-z0-9](?:(?<!\.)|(?=[A-Za-z0-9]))"))
_ANY_WORD = re.compile(rf"[{_HAN}]++|[{_PAIRED}]++|" + _word_pattern(rf"[^\W_{_HAN}{_PAIRED}]"))
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_PAIRED_CHARACTER = re.compile(f"[{_PAIRED}]")
_UNSPACED = re.compile(f"[{_HAN}{_PAIRED}]")

_CONTRACTION = re.compile(r"['’](?:s|d|m|re|ll|ve)\b|['’]", re.IGNORECASE)
_NEGATION = re.compile(r"n['’]t$", re.IGNORECASE)
_PLURAL_INITIALS = re.compile(r"[A-Z]{2,}s")
# getUser|Name and HTML|Parser, but not list|PD|Fs.
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))")
# Names with a capital inside that are one word: half of JavaScript is another language.
_ONE_WORD = frozenset(
    {"javascript", "typescript", "github", "gitlab", "youtube", "linkedin", "powerpoint", "graphql", "latex"}
)
# Of single letters, only these two languages are worth more than the noise.
_LONE_LETTERS = frozenset("cr")


def has_chinese(text: str) -> bool:
    """Tell whether a Chinese character occurs in the text."""
    return not text.isascii() and _HAN_CHARACTER.search(text) is not None


def count_chinese(text: str) -> int:
    """Return how many Chinese characters the text has."""
    return 0 if text.isascii() else len(_HAN_CHARACTER.findall(text))


def is_chinese(text: str) -> bool:
    """Tell whether more than a fifth of the text's letters are Chinese characters."""
    if not has_chinese(text):
        return False
    letters = sum(map(str.isalpha, text))
    return count_chinese(text) > CHINESE_SHARE * letters


def normalize(text: str, *, dictionary: bool = True) -> str:
    """Return the text as it is compared: visible, NFKC, case folded, simplified Chinese (see `tokenize`)."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", _readable(text, dictionary=dictionary)[0].casefold())


def tokenize(text: str, *, dictionary: bool = True) -> list[str]:
    """Return the search tokens of a text, in order, repeated as often as they occur.

    Lower case, English stemmed, Chinese cut into words, without stop words. Identifiers, paths and compounds come
    whole and in parts. A text of one Chinese character yields that character, although those are left out elsewhere.

    Args:
        text: what to cut.
        dictionary: False where nobody looks for Chinese words and only their number counts: loading the dictionary
            takes half a second. Chinese is then cut after every second character.
    """
    return [token for word in words(text, dictionary=dictionary) for token in _cached_tokens(word)]


def words(text: str, *, dictionary: bool = True) -> list[str]:
    """Cut a text into words as written; Chinese ones are tokens already. `word_tokens` takes it from there."""
    text, rare = _readable(text, dictionary=dictionary)
    if not any(map(str.isalnum, rare)):
        return _ASCII_WORD.findall(text)
    runs = _ANY_WORD.findall(text)
    if not _UNSPACED.search(rare):
        return runs
    found: list[str] = []
    for run in runs:
        if _HAN_CHARACTER.match(run):
            found += segment(run) if dictionary else pairs(run)
        elif _PAIRED_CHARACTER.match(run):
            found += bigrams(run)
        else:
            found.append(run)
    return found or _lone_character(runs)


def word_tokens(word: str) -> tuple[str, ...]:
    """Return the tokens of one of `words`' words: none, one, or the whole and its parts."""
    if word.isalpha() and word.isascii() and (word.islower() or word.istitle() or word.isupper()):
        return _token(word.lower())
    if word.isalnum() and word.isascii() and word == word.lower():
        return _token(word)
    if not word.isascii() and _UNSPACED.match(word):
        return (word,)
    return _identifier_tokens(word)


def _identifier_tokens(word: str) -> tuple[str, ...]:
    """Return a word whole and in parts."""
    if "'" in word or "’" in word:
        if _NEGATION.search(word):
            return ()
        word = _CONTRACTION.sub("", word)
    if word[-1:] == "s" and _PLURAL_INITIALS.fullmatch(word):
        word = word[:-1]
    pieces = word.split("/")
    found: dict[str, None] = {}
    for whole in (word, *pieces) if len(pieces) > 1 else pieces:
        for token in _token(whole.casefold()):
            found[token] = None
    for piece in pieces:
        for part in _parts(piece):
            if not part.isdigit():
                for token in _cached_token(part):
                    found[token] = None
    return tuple(found)


_cached_tokens = lru_cache(maxsize=1 << 15)(word_tokens)


def stem(word: str) -> str:
    """Return an English word in lower case without its ending, any other word as it is."""
    return _stemmers.english.stemWord(word) if word.isascii() and word.isalpha() else word


def _readable(text: str, *, dictionary: bool = True) -> tuple[str, str]:
    """Return the text visible, NFKC and in simplified Chinese; and each of its characters outside ASCII once."""
    rare = _rare(text)
    if not rare:
        return text, rare
    written = text
    if _INVISIBLE.search(rare):
        text = _INVISIBLE.sub("", text)
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    if dictionary and _HAN_CHARACTER.search(rare):
        text = simplify(text)
    return text, rare if text is written else _rare(text)


def _rare(text: str) -> str:
    return "" if text.isascii() else "".join(set(_NOT_ASCII.findall(text)))


def _lone_character(runs: list[str]) -> list[str]:
    return runs if len(runs) == 1 and len(runs[0]) == 1 else []


def _parts(piece: str) -> list[str]:
    parts: list[str] = []
    for atom in piece.replace("_", "-").replace(".", "-").split("-"):
        name = atom.casefold()
        parts.append(name)
        if name == atom or name in _ONE_WORD:  # without a capital there is no hump
            continue
        humps = _HUMP.split(atom)
        if len(humps) > 1:
            parts += [hump.casefold() for hump in humps]
    return parts


def _token(word: str) -> tuple[str, ...]:
    if not word or word in ENGLISH_STOP_WORDS or len(word) > LONGEST_TOKEN:
        return ()
    if len(word) == 1 and word.isascii() and word not in _LONE_LETTERS:
        return ()
    return (stem(word),)


_cached_token = lru_cache(maxsize=1 << 15)(_token)
"""For single words, which come again; whole identifiers would drive them out."""


class _Stemmers(threading.local):
    """One stemmer a thread: an instance must not be shared."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english", 0)  # no cache of its own: `_cached_token` is one


_stemmers = _Stemmers()
