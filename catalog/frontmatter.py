"""Finding the frontmatter: where it begins, also in files that do not begin with it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_HEADER = 65_536
"""Characters of frontmatter that are read at most; real ones have under 10,000."""
SEARCHED = 4_000
"""How much text may stand above a frontmatter, in characters."""

# The possessive *+ keeps every pattern linear on whatever a file holds.
_BLANK = "[ \\t\u00a0\u3000\u200b\ufeff]*+"
_OPEN = re.compile(rf"---{_BLANK}(?:ya?ml|json)?{_BLANK}(?:\n|\Z)")
CLOSE = re.compile(rf"^(?:---|\.\.\.){_BLANK}$", re.MULTILINE)
ANY_FENCE = re.compile(
    rf"(?:-{{2,}}|[–—―−]+-*|-+[–—―−]+|\.{{3}}|\+{{3,}}|={{3,}}|\*{{3,}}|_{{3,}}|~{{3,}}|`{{3,}}){_BLANK}"
)
"""A whole stripped line that somebody may have meant as a fence."""

_PRELUDE = re.compile(r"(?:[\s\ufeff\u200b]++|<!--.*?-->)*+", re.DOTALL)
_STATED = r"""\s*+["'“]?(?:name|description|名称|描述)["'”]?[ \t]*+[:：]"""
_LOOSE_OPEN = re.compile(rf"[ \t]*{ANY_FENCE.pattern}\n(?={_STATED})", re.IGNORECASE)
_CODE_OPEN = re.compile(
    rf"[ \t]*+(?:```+|~~~+)[ \t]*+[\w-]*+{_BLANK}\n\s*+(?:(?P<fence>---){_BLANK}\n|(?={_STATED}))", re.IGNORECASE
)
_NO_OPEN = re.compile(_STATED, re.IGNORECASE)
_BELOW_TEXT = re.compile(rf"---{_BLANK}\n(?={_STATED})", re.IGNORECASE)
_CODE_LINE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Opening:
    """A place where a frontmatter may begin."""

    start: int
    """The offset of the line after the fence."""
    fault: str | None = None
    """What is odd about it, as the kind of a diagnostic."""
    above: str = ""
    """Text before it that is more than blank lines and comments."""


def closed_block(text: str) -> tuple[str, int] | None:
    """Return the text between a fence on the first line and the next one, and the offset behind the latter."""
    if text.startswith("---\n"):
        start = 4
    else:
        opening = _OPEN.match(text)
        if not opening:
            return None
        start = opening.end()
    close = CLOSE.search(text, start, start + MAX_HEADER)
    if not close:
        return None
    return text[start : close.start()], close.end()


def openings(text: str) -> Iterator[Opening]:
    """Yield the places where a frontmatter may begin, the likeliest first."""
    first = _OPEN.match(text)
    if first:
        yield Opening(first.end())
    prelude = _PRELUDE.match(text)
    begin = prelude.end() if prelude else 0
    late = "frontmatter_not_first" if text[:begin].strip("\ufeff\u200b") else None
    for pattern, fault in ((_OPEN, late), (_LOOSE_OPEN, late or "odd_fence"), (_CODE_OPEN, "code_fence")):
        found = pattern.match(text, begin)
        if found and not (first and begin == 0):
            yield Opening(found.end(), fault)
    if _NO_OPEN.match(text, begin):
        yield Opening(begin, "missing_fence")
    at = begin
    while (at := text.find("\n---", at, begin + SEARCHED) + 1) > 0:
        found = _BELOW_TEXT.match(text, at)
        if found and len(_CODE_LINE.findall(text, begin, at)) % 2 == 0:
            yield Opening(found.end(), "frontmatter_not_first", text[begin:at].strip())


def without_conflicts(text: str) -> tuple[str, int] | None:
    """Return the text with only the first side of each merge conflict, and the line of the first marker.

    None where there is no complete conflict, or none that begins within or before a frontmatter.
    """
    if text.find("<<<<<<<", 0, SEARCHED) < 0:
        return None
    kept: list[str] = []
    side, first, number = "both", 0, 0
    for number, line in enumerate(text.split("\n"), start=1):
        marker = line[:7] if line[7:8] in ("", " ") else ""
        if marker == "<<<<<<<" and side == "both":
            side, first = "ours", first or number
        elif (marker == "|||||||" and side == "ours") or (marker == "=======" and side in ("ours", "base")):
            side = "base" if marker[0] == "|" else "theirs"
        elif marker == ">>>>>>>" and side == "theirs":
            side = "both"
        elif side in ("both", "ours"):
            kept.append(line)
    return ("\n".join(kept), first) if first and side == "both" else None
