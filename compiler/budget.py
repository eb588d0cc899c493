"""What goes into the token budget, and what of a text that is too long for its room."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from skill_selector.compiler.needs import Need
from skill_selector.prompts.shortening import CUT, estimate_tokens, shorten
from skill_selector.retrievers.text import normalize

LEAST_PIECE = 60
"""Tokens of room below which a piece is not shortened into it."""


class Piece(NamedTuple):
    """Something that wants to be in the prompt."""

    id: str
    kind: str
    """Pieces of a kind stand under one heading."""
    vital: bool
    """It touches the parameters or covers what nothing else does."""
    cost: int
    """Tokens, its citation included."""


class Packed(NamedTuple):
    """What fits."""

    whole: list[str]
    """Ids."""
    short: dict[str, int]
    """By id of those that fit in part: the tokens that they may take."""


def pack(pieces: Sequence[Piece], room: int, heading_cost: Callable[[str], int]) -> Packed:
    """Return which pieces fit into `room` tokens.

    Those that touch the parameters go first and the general ones last (source 002), each in the order given. One that
    does not fit is passed over for the next; a vital one is shortened instead where there is room enough.
    """
    packed = Packed([], {})
    kinds: set[str] = set()
    for piece in sorted(pieces, key=lambda one: not one.vital):
        extra = 0 if piece.kind in kinds else heading_cost(piece.kind)
        if piece.cost + extra <= room:
            packed.whole.append(piece.id)
            room -= piece.cost + extra
        elif piece.vital and room - extra >= LEAST_PIECE:
            packed.short[piece.id] = room - extra
            room = 0
        else:
            continue
        kinds.add(piece.kind)
    return packed


def trim(text: str, tokens: int, needs: Iterable[Need], *, prose: bool) -> str:
    """Return what of a text fits into `tokens`: of prose the sentences that decide, of code the lines that touch needs.

    The first line of code and those that hold a need stay before their neighbours, and those before the rest; `…`
    stands for what is left out.
    """
    if estimate_tokens(text) <= tokens:
        return text
    if prose and "\n|" not in text:
        return shorten(text, tokens)
    lines = text.split("\n")
    wanted = list(needs)
    hits = [at for at, line in enumerate(lines) if any(need.covered_by(normalize(line)) for need in wanted)]
    near = [one for at in hits for one in (at - 1, at + 1) if 0 <= one < len(lines)]
    chosen: set[int] = set()
    for at in dict.fromkeys([0, *hits, *near, *range(len(lines))]):
        if estimate_tokens(_joined(lines, chosen | {at})) <= tokens:
            chosen.add(at)
        elif not chosen or at not in {0, *hits, *near}:
            break
    return _joined(lines, chosen) if chosen else shorten(text, tokens)


def _joined(lines: Sequence[str], chosen: set[int]) -> str:
    found: list[str] = []
    expected = 0
    for at in sorted(chosen):
        if at != expected:
            found.append(CUT)
        found.append(lines[at])
        expected = at + 1
    if expected < len(lines):
        found.append(CUT)
    return "\n".join(found)
