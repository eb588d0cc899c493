"""Two values for the same thing: which one counts."""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from skill_selector.compiler.claims import Claim, claims_of
from skill_selector.compiler.result import Conflict
from skill_selector.knowledge.chunk import Chunk

MOST_CONFLICTS = 50
"""How many a result carries; the chunks that lost are dropped all the same."""


class Settled(NamedTuple):
    """What came of looking for conflicts."""

    kept: list[Chunk]
    lost: dict[str, str]
    """By the id of each chunk that lost: to whom and over what, in words."""
    conflicts: list[Conflict]


def settle_conflicts(chunks: Sequence[Chunk]) -> Settled:
    """Return the chunks without those that lost a conflict.

    The side with more authority counts, then the newer one (source 002). A chunk without a date neither wins nor loses
    by date. Chunks of one file do not contradict each other. Where neither tells, both stay.
    """
    stated: dict[str, list[tuple[Chunk, Claim]]] = {}
    for chunk in chunks:
        for claim in claims_of(chunk):
            stated.setdefault(claim.subject, []).append((chunk, claim))
    lost: dict[str, str] = {}
    found: list[Conflict] = []
    seen: set[tuple[str, str]] = set()
    for sides in stated.values():
        for (one, first), (other, second) in combinations(sides, 2):
            if first.value == second.value or one.path == other.path:
                continue
            conflict = _decide(one, first, other, second)
            if conflict.resolved_by != "unresolved":
                lost.setdefault(
                    conflict.other, f"{conflict.chosen_source} has more {_WHY[conflict.resolved_by]}, on {first.shown}"
                )
            if (conflict.chosen, conflict.other) not in seen:
                seen.add((conflict.chosen, conflict.other))
                found.append(conflict)
    return Settled([one for one in chunks if one.id not in lost], lost, found[:MOST_CONFLICTS])


_WHY = {"authority": "authority", "date": "recent a date"}


def _decide(one: Chunk, first: Claim, other: Chunk, second: Claim) -> Conflict:
    by: Literal["authority", "date", "unresolved"] = "unresolved"
    swap = False
    if one.authority != other.authority:
        by, swap = "authority", other.authority > one.authority
    elif one.date and other.date and one.date != other.date:
        by, swap = "date", other.date > one.date
    if swap:
        one, first, other, second = other, second, one, first
    return Conflict(
        subject=first.shown,
        chosen=one.id,
        chosen_source=one.source,
        chosen_value=first.written,
        other=other.id,
        other_source=other.source,
        other_value=second.written,
        resolved_by=by,
    )
