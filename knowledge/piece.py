"""What cutting a file gives, before anything is known of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from skill_selector.knowledge.chunk import Entity

LONGEST = 4_000
"""Characters of one piece; longer ones are cut again."""
NOTHING: MappingProxyType[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file's text."""

    text: str
    title: str
    start: int
    """Its first line, counted from 1."""
    language: str
    kind: str = ""
    """What the structure says it is: `create`, `query`, `function`, `section`, `record`, `log`, `config` …"""
    entities: tuple[Entity, ...] = ()
    stated: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What it says of itself: `date`, `authority`, `type`, `skills`."""

    @property
    def end(self) -> int:
        """Its last line."""
        return self.start + self.text.count("\n")


@dataclass(frozen=True, slots=True)
class Cutting:
    """The pieces of a file, and what stood in the way."""

    pieces: list[Piece]
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, message and fix of each."""
    stated: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What the file says of all its pieces."""


def trimmed(lines: list[str], start: int) -> tuple[str, int]:
    """Return lines as a text without blank ones around it, and the number of its first line."""
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return "\n".join(lines[first:last]), start + first
