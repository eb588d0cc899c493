"""Chunks that say the same: copies, and texts that differ in a few words."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from skill_selector.knowledge.chunk import Chunk
from skill_selector.retrievers.text import normalize

NEAR = 0.9
"""Jaccard similarity of the texts' word triples from which on they are duplicates."""
SHINGLE = 3
FEWEST = 8
"""Words of a text from which on near ones are looked for; shorter ones must be equal."""

_WORD = re.compile(r"[\u3400-\u9fff]|\w+")
_VALUE = re.compile(r"\d[\w.]*")


class _Print(NamedTuple):
    text: str
    shingles: frozenset[tuple[str, ...]]
    values: tuple[str, ...]


def merge_duplicates(chunks: Sequence[Chunk]) -> tuple[list[Chunk], dict[str, str]]:
    """Return the chunks without duplicates, in order, and by the id of each that went the id of the one that stays.

    Of duplicates the one with more authority stays, then the newer, then the earlier in the list; it takes the place of
    the first. Texts that differ in a number are no duplicates: they may be in conflict.
    """
    groups: list[list[Chunk]] = []
    prints: list[_Print] = []
    for chunk in chunks:
        own = _print(chunk)
        at = next((number for number, other in enumerate(prints) if _same(own, other)), None)
        if at is None:
            groups.append([chunk])
            prints.append(own)
        else:
            groups[at].append(chunk)
    kept: list[Chunk] = []
    gone: dict[str, str] = {}
    for group in groups:
        best = max(group, key=lambda one: (one.authority, one.date or ""))
        kept.append(best)
        gone.update({one.id: best.id for one in group if one.id != best.id})
    return kept, gone


def merged_into(gone: Mapping[str, str]) -> dict[str, list[str]]:
    """Return by the id of each chunk that stays those of its duplicates."""
    found: dict[str, list[str]] = {}
    for lost, kept in gone.items():
        found.setdefault(kept, []).append(lost)
    return found


def _print(chunk: Chunk) -> _Print:
    text = " ".join(normalize(chunk.text, dictionary=False).split())
    words = _WORD.findall(text)
    shingles = (
        frozenset(zip(*(words[at:] for at in range(SHINGLE)), strict=False)) if len(words) >= FEWEST else frozenset()
    )
    return _Print(text, shingles, tuple(sorted(_VALUE.findall(text))))


def _same(one: _Print, other: _Print) -> bool:
    if one.text == other.text:
        return True
    if not one.shingles or not other.shingles or one.values != other.values:
        return False
    shared = len(one.shingles & other.shingles)
    return shared >= NEAR * (len(one.shingles) + len(other.shingles) - shared)
