"""Markdown, cut at its headings."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skill_selector.catalog import frontmatter
from skill_selector.catalog.reader import ReadError, read
from skill_selector.knowledge.entities import entities_of_fence, entities_of_prose
from skill_selector.knowledge.piece import NOTHING, Cutting, Piece, trimmed

TITLE_LENGTH = 200
LEAST = 1
"""Letters and digits of a section that is worth a chunk."""

READ = frozenset({"title", "date", "updated", "updated_at", "last_updated", "authority", "type", "skills", "skill"})
"""Fields of the frontmatter that go into a chunk's own."""
SENTENCE = 20
"""Characters of another field that says something."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HASHES = re.compile(r"^\s{0,3}#{1,6}\s*|\s#+\s*$")


class _Heading(NamedTuple):
    level: int
    text: str
    line: int
    """Counted from 0."""


def cut_markdown(text: str) -> Cutting:
    """Cut a text at headings; a fenced block is never cut, and a section without text of its own is none."""
    stated, body, offset, faults = _front(text)
    pieces = _of_front(text, offset, stated, faults)
    lines = body.split("\n")
    headings, fences = _structure(body)
    ends = [heading.line for heading in headings[1:]] + [len(lines)]
    for path, heading, end in zip(_paths(headings), headings, ends, strict=True):
        part, start = trimmed(lines[heading.line : end], heading.line)
        own = part if heading.level == 0 else part.partition("\n")[2]
        if sum(map(str.isalnum, _COMMENT.sub("", own))) < LEAST:
            continue
        inside = [one for one in fences if start <= one[0] < end]
        entities = [one for _, language, code in inside for one in entities_of_fence(language, code)]
        entities += entities_of_prose(part, heading.text)
        kind = "fence:" + inside[0][1] if inside and _mostly_code(own, inside) else "section"
        pieces.append(Piece(part, path, start + offset + 1, "markdown", kind, tuple(entities)))
    return Cutting(pieces, faults, stated)


def _of_front(text: str, offset: int, stated: Any, faults: list[tuple[str, str, str]]) -> list[Piece]:
    """Return the frontmatter as a piece where it holds more than what is read of it, or cannot be read."""
    more = [value for key, value in stated.items() if key not in READ and isinstance(value, str)]
    if not faults and not any(len(value) >= SENTENCE for value in more):
        return []
    header, start = trimmed(text.split("\n")[1:offset], 2)
    return [Piece(header, "", start, "yaml", "section", tuple(entities_of_prose(header)))] if header else []


def _front(text: str) -> tuple[Any, str, int, list[tuple[str, str, str]]]:
    block = frontmatter.closed_block(text)
    if block is None:
        return NOTHING, text, 0, []
    header, end = block
    offset = text.count("\n", 0, end)
    body = text[end:]
    try:
        values = read(header).value
    except ReadError as error:
        what = f"line {error.line + 2}: the frontmatter cannot be read ({error})"
        return NOTHING, body, offset, [("bad_frontmatter", what, "correct it; date and authority are unknown now")]
    return values if isinstance(values, dict) else NOTHING, body, offset, []


def _structure(body: str) -> tuple[list[_Heading], list[tuple[int, str, str]]]:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - Markdown only needs it

    headings = [_Heading(0, "", 0)]
    fences = []
    tokens = MarkdownIt("commonmark", {"maxNesting": 20}).parse(body)
    for at, token in enumerate(tokens):
        if token.map is None or token.level:
            continue
        if token.type == "heading_open":
            inline = " ".join(_HASHES.sub("", tokens[at + 1].content).split())
            headings.append(_Heading(int(token.tag[1]), inline[:TITLE_LENGTH], token.map[0]))
        elif token.type == "fence":
            fences.append((token.map[0], token.info.strip().split(" ")[0].lower(), token.content))
    return headings, fences


def _paths(headings: list[_Heading]) -> Iterator[str]:
    """Yield each heading with those above it, which of the first level only where it is not the only one."""
    stack: list[_Heading] = []
    for heading in headings:
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        yield " › ".join(one.text for one in stack if one.text)


def _mostly_code(own: str, fences: list[tuple[int, str, str]]) -> bool:
    return 2 * sum(len(code) for _, _, code in fences) > len(own)
