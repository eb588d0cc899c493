"""What a chunk states of things with a name: the columns of a table, settings, signatures, terms, limits.

Only statements that *define* count. That an example passes `page_size=50` says nothing of what the default is.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from skill_selector.catalog.reader import ReadError, read
from skill_selector.knowledge.chunk import Chunk
from skill_selector.retrievers.text import normalize, tokenize

MOST_CLAIMS = 200
SHORTEST_TERM = 2
"""Characters of a heading that can be a term."""


class Claim(NamedTuple):
    """One statement."""

    subject: str
    """What it is about, as compared: kind and name."""
    shown: str
    """The same for people."""
    value: str
    """As compared."""
    written: str
    """As it stands in the text."""


_COLUMN = re.compile(r"^\s*[`\"\[]?([A-Za-z_]\w*)[`\"\]]?\s+([A-Za-z]\w*(?:\s*\([^)\n]*\))?)(.*)$")
_NOT_COLUMNS = frozenset(
    {"create", "primary", "foreign", "unique", "constraint", "key", "index", "check", "engine", "partition", "order"}
    | {"comment", "alter", "drop", "insert", "select"}
)
_ABOUT_ITSELF = frozenset({"date", "source", "author", "authority", "id", "language", "version", "tags", "complexity"})
"""Fields of a record that say nothing of its subject."""
_TABLE = re.compile(r"CREATE\s+(?:\w+\s+)*TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[`\"\[]?([\w.]+)", re.IGNORECASE)
_SETTING = re.compile(
    r"""^(\s*)["']?([A-Za-z_][\w.-]*)["']?\s*[:=]\s*["']?([^\s"'{\[#,|>][^"'#\n]*?)["']?,?\s*(?:#.*)?$"""
)
_SECTION = re.compile(r"""^(\s*)["']?([A-Za-z_][\w.-]*)["']?\s*[:=]\s*\{?\s*$|^\[([\w.]+)\]\s*$""")
_SIGNATURE = re.compile(r"`([A-Za-z_][\w.]*)\(([^`\n]*)\)(?:\s*->\s*([^`\n]+))?`")
_DEF = re.compile(r"^\s*(?:async\s+)?def\s+([A-Za-z_]\w*)\s*\(([^)]*)\)", re.MULTILINE)
_COMPARISON = re.compile(r"([A-Za-z_][\w.]*)\s*(>=|<=|!=|=|>|<)\s*('[^'\n]*'|-?\d+(?:\.\d+)?)(?![\w(])")
_SPAN = re.compile(r"`([^`\n]+)`")


def claims_of(chunk: Chunk) -> list[Claim]:
    """Return what a chunk states, each subject once; a subject that it gives two values for is left out."""
    found: dict[str, Claim | None] = {}
    for claim in _all(chunk):
        known = found.get(claim.subject, claim)
        found[claim.subject] = claim if known and known.value == claim.value else None
        if len(found) >= MOST_CLAIMS:
            break
    return [claim for claim in found.values() if claim]


def _all(chunk: Chunk) -> Iterator[Claim]:
    if chunk.type == "table_schema":
        yield from _columns(chunk.text)
    elif chunk.type == "config_snippet":
        yield from _settings(chunk)
    elif chunk.type == "code_snippet":
        for found in _DEF.finditer(chunk.text):
            yield _claim("function", found[1], found[2])
    elif chunk.language in {"json", "yaml"}:
        yield from _records(chunk)
    elif chunk.type in {"api_documentation", "document", "query_pattern", "solution_article"}:
        yield from _signatures(chunk)
        yield from _terms(chunk)


def _columns(text: str) -> Iterator[Claim]:
    table = _TABLE.search(text)
    if not table:
        return
    name = table[1].rpartition(".")[2]
    body = text[table.end() :]
    columns = []
    for line in body.splitlines():
        found = _COLUMN.match(line)
        if found and found[1].lower() not in _NOT_COLUMNS:
            columns.append(found[1])
            yield _claim("column", f"{name}.{found[1]}", found[2])
    if columns:
        yield _claim("table", name, ", ".join(columns))


def _settings(chunk: Chunk) -> Iterator[Claim]:
    path: list[tuple[int, str]] = []
    # one file is one thing that is set up: `timeout` of another service is another setting
    whose = chunk.title.partition(" ")[0].partition(".")[0]
    for line in chunk.text.splitlines():
        section = _SECTION.match(line)
        setting = None if section else _SETTING.match(line)
        if section:
            depth = len(section[1] or "")
            path = [one for one in path if one[0] < depth] + [(depth, section[2] or section[3])]
        elif setting:
            path = [one for one in path if one[0] < len(setting[1])]
            name = ".".join([*(one for _, one in path), setting[2]])
            full = name if name.startswith(whose) or not whose else f"{whose}.{name}"
            yield _claim("setting", full, setting[3])


def _records(chunk: Chunk) -> Iterator[Claim]:
    """What a record says of the error code that it is about, field by field."""
    codes = [one.name for one in chunk.entities if one.defined and one.kind == "error_code"]
    if len(codes) == 1:
        for name, value in _fields(chunk):
            if value and normalize(value) != normalize(codes[0]) and name not in _ABOUT_ITSELF:
                yield _claim("record", f"{codes[0]}.{name}", value)


def _fields(chunk: Chunk) -> Iterator[tuple[str, str]]:
    try:
        value = json.loads(chunk.text) if chunk.language == "json" else read(chunk.text).value
    except (ValueError, RecursionError, ReadError):
        return
    value = value[0] if isinstance(value, list) and len(value) == 1 else value
    if isinstance(value, dict):
        yield from ((str(name), one) for name, one in value.items() if isinstance(one, str))


def _signatures(chunk: Chunk) -> Iterator[Claim]:
    defined = {one.name for one in chunk.entities if one.defined and one.kind in {"function", "class", "name"}}
    for found in _SIGNATURE.finditer(chunk.text):
        # `f(x)` in running text is a call; a signature is what the chunk is about
        last = found[1].rpartition(".")[2]
        if last and chunk.title.rpartition("›")[2].strip().rpartition(".")[2] == last and {last, found[1]} & defined:
            yield _claim("function", last, found[2])


def _terms(chunk: Chunk) -> Iterator[Claim]:
    """What a section says of its own heading: the comparisons with values in its code spans."""
    term = " ".join(sorted(set(tokenize(chunk.title.rpartition("›")[2]))))
    if len(term) < SHORTEST_TERM:
        return
    for span in _SPAN.findall(chunk.text):
        for found in _COMPARISON.finditer(span):
            name = f"{chunk.title.rpartition('›')[2].strip()}: {found[1]}"
            value = f"{found[2]} {found[3]}"
            yield Claim(f"term {term} {normalize(found[1])}", name, normalize(value), value)


def _claim(kind: str, name: str, value: str) -> Claim:
    compared = re.sub(r"\s+", "", normalize(value, dictionary=False))
    return Claim(f"{kind} {normalize(name, dictionary=False)}", name, compared, " ".join(value.split())[:200])
