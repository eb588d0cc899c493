"""A long text page by page: each within a budget, every cut said, and the way to the rest named."""

from dataclasses import dataclass

from skill_selector.prompts.guarding import guard
from skill_selector.prompts.shortening import estimate_tokens, prefix


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a text, guarded, that can stand in a block."""

    text: str
    start: int
    """Where it begins and ends in the whole text, in characters."""
    end: int
    total: int

    @property
    def complete(self) -> bool:
        """Whether it is the whole text."""
        return self.start == 0 and self.end == self.total


def cut_page(text: str, offset: int, tokens: int) -> Page:
    """Return the page of at most `tokens` tokens (estimated) that begins at `offset`, cut at the end of a line.

    It holds at least one character, where there is any behind `offset`.
    """
    start = min(max(0, offset), len(text))
    rest = text[start : start + 4 * max(1, tokens)]
    piece = _at_line_end(rest, prefix(rest, tokens) or rest[:1], start + len(rest) == len(text))
    shown = guard(piece)
    while len(piece) > 1 and estimate_tokens(shown) > tokens:  # escapes took more room
        piece = _at_line_end(piece, piece[: len(piece) * 3 // 4], False)
        shown = guard(piece)
    return Page(shown, start, start + len(piece), len(text))


def _at_line_end(text: str, piece: str, ends: bool) -> str:
    """Return the piece up to its last line end, where one stands in its second half and something follows."""
    if ends and len(piece) == len(text):
        return piece
    end = piece.rfind("\n") + 1
    return piece[:end] if end > len(piece) // 2 else piece


def render_cut(page: Page, way: str, *, more: bool = False) -> str:
    """Return the line that says which part is shown, and how to get at the rest.

    Args:
        page: the part.
        way: how to get at the rest, in our own words.
        more: whether the text goes on behind what was read of it.
    """
    total = f"{'more than ' if more else ''}{page.total:,}"
    return f"<truncated>characters {page.start:,} to {page.end:,} of {total} are shown; {way}</truncated>"
