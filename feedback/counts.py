"""The counts of one thing, and what they say of its worth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

UNKNOWN = 0.5
"""The effectiveness of what nobody has tried (source 003)."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """What is counted.

    `names` are what its record is found by, the strongest first: any one that is known will do, and those that are not
    yet are added when something is counted. A thing with one lasting id has that as its only name.
    """

    kind: str
    """Such as `skill` or `chunk`; names are unique within it."""
    names: tuple[str, ...]
    label: str = ""
    """What people call it."""

    def __post_init__(self) -> None:
        if not self.kind or not self.names or not all(self.names):
            raise ValueError(f"a subject needs a kind and names that are not empty, not {self.kind!r}, {self.names!r}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """How often something was used, and how often somebody called that good or bad; exact, without a bound."""

    injected: int = 0
    good: int = 0
    bad: int = 0

    def effectiveness(self, prior: float = 0.0) -> float:
        """Return the share of uses that helped, 0 to 1.

        Source 003: positive / injected, and 0.5 where nothing is known. `prior` adds that many uses of which half
        helped, so that a first bad day does not lock a skill out (Agresti and Coull 1998, with 4); 0 gives the source's
        formula. More feedback than injections means uses that nobody counted.
        """
        uses = max(self.injected, self.good + self.bad)
        if uses + prior == 0:
            return UNKNOWN
        return (self.good + UNKNOWN * prior) / (uses + prior)


NO_COUNTS = Counts()


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """Everything that is kept of one subject."""

    kind: str
    id: str
    """Made when the record is; it stays, whatever becomes of the names."""
    label: str
    names: tuple[str, ...]
    counts: Counts
    first_at: str | None = None
    """UTC, ISO 8601; null where it is not known."""
    last_at: str | None = None
    more: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What a later version of the format keeps beside it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """What somebody said."""

    kind: str
    id: str
    at: str
    """UTC, ISO 8601."""
    key: str
    """What was judged, such as `user`."""
    score: float | None
    """Null where there was none."""
    comment: str
