"""JSON, JSON lines, YAML and settings files, cut at their records."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from skill_selector.catalog.reader import ReadError, read
from skill_selector.knowledge.chunk import Entity
from skill_selector.knowledge.entities import entities_of_log
from skill_selector.knowledge.piece import NOTHING, Cutting, Piece, trimmed
from skill_selector.knowledge.sql import entities_of_sql

MOST_DEPTH = 6
"""Levels of keys that become entities."""
STATED = ("date", "updated", "updated_at", "authority", "type", "skills")
"""What a record may say of itself."""

_TITLES = ("title", "name", "code", "error_code", "id", "description", "summary", "question", "标题", "名称", "描述")
_BLANK = re.compile(r"[\s,]*")
_SECTION = re.compile(r"^\s*\[+([^\]\n]+)\]+\s*$", re.MULTILINE)
_SETTING = re.compile(r"^\s*([\w.-]+)\s*[=:]", re.MULTILINE)
_TOP = re.compile(r"^(?:(?P<item>-(?:\s|$))|(?P<key>[^\s#\-%.][^\n]*?):(?:\s|$)|(?P<end>---|\.\.\.))", re.MULTILINE)
_decode = json.JSONDecoder().raw_decode


def cut_json(text: str) -> Cutting:
    """Cut a list at its items and an object at its keys; anything else, and a small object, stays whole."""
    try:
        value = json.loads(text)
        parts = list(_json_parts(text, value))
    except (ValueError, RecursionError) as error:
        return _whole(text, "json", "bad_json", _reason(error))
    return Cutting([_record(*part, "json") for part in parts])


def cut_json_lines(text: str) -> Cutting:
    """Make a record of every line; a broken one is kept as text."""
    pieces, faults = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            faults.append(("bad_json", f"line {number}: {_reason(error)}; kept as text", "correct the line"))
            value = None
        pieces.append(_record(line, number, "", value, "json"))
    return Cutting(pieces, faults)


def cut_yaml(text: str) -> Cutting:
    """Cut a list at its items and a mapping at its keys; comments above one belong to it."""
    pieces, faults = [], []
    for part, line, key in _yaml_parts(text):
        value: Any = None
        try:
            # a part is a whole document of its own, so that one broken record spoils no other
            value = read(part).value
        except ReadError as error:
            faults.append(("bad_yaml", f"line {line + error.line}: {error}; kept as text", "correct the record"))
        if key and isinstance(value, dict) and len(value) == 1:
            value = next(iter(value.values()))
        elif isinstance(value, list) and len(value) == 1:
            value = value[0]
        pieces.append(_record(part, line, key, value, "yaml"))
    return Cutting(pieces, faults)


def cut_settings(text: str, language: str) -> Cutting:
    """Cut TOML, INI and properties at their sections."""
    starts = [one.start() for one in _SECTION.finditer(text)]
    bounds = [*([0] if not starts or starts[0] else []), *starts, len(text)]
    pieces = []
    for start, end in pairwise(bounds):
        part, line = trimmed(text[start:end].split("\n"), text.count("\n", 0, start) + 1)
        if not part.strip():
            continue
        section = _SECTION.match(part)
        prefix = f"{section[1].strip()}." if section else ""
        keys = [Entity("config_key", f"{prefix}{key}", True) for key in _SETTING.findall(part)]
        pieces.append(Piece(part, prefix.rstrip("."), line, language, "config", tuple(keys)))
    return Cutting(pieces)


def _whole(text: str, language: str, kind: str, reason: str) -> Cutting:
    part, line = trimmed(text.split("\n"), 1)
    pieces = [Piece(part, "", line, language, "record", tuple(entities_of_log(part)))] if part.strip() else []
    return Cutting(pieces, [(kind, f"{reason}; kept as text", "correct the file")])


def _json_parts(text: str, value: Any) -> Iterator[tuple[str, int, str, Any]]:
    if not isinstance(value, list | dict) or not value:
        if text.strip():
            yield text.strip(), 1, "", value
        return
    at = text.index("[" if isinstance(value, list) else "{") + 1
    line = 1
    seen = 0
    for _ in range(len(text)):
        at = _skip(text, at)
        if at >= len(text) or text[at] in "]}":
            return
        start, key = at, ""
        if isinstance(value, dict):
            key, at = _decode(text, at)
            at = _skip(text, text.index(":", at) + 1)
        item, at = _decode(text, at)
        line += text.count("\n", seen, start)
        seen = start
        yield text[start:at], line, key, item


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _yaml_parts(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield the text of each top-level item or key, its first line and the key."""
    lines = text.split("\n")
    starts: list[tuple[int, str]] = []
    for found in _TOP.finditer(text):
        line = text.count("\n", 0, found.start())
        if found["end"]:
            starts.append((line, "---"))
            continue
        while line and lines[line - 1].startswith("#") and (not starts or line - 1 > starts[-1][0]):
            line -= 1
        starts.append((line, (found["key"] or "").strip("\"'")))
    if not starts:
        starts = [(0, "")]
    # what stands above the first record and is more than a comment must not be lost
    if starts[0][0] > 0:
        starts.insert(0, (0, ""))
    ends = [line for line, _ in starts[1:]] + [len(lines)]
    for (first, key), end in zip(starts, ends, strict=True):
        own = lines[first + 1 : end] if key == "---" else lines[first:end]
        part, line = trimmed(own, first + 1 + (key == "---"))
        if any(one.strip() and not one.lstrip().startswith("#") for one in part.split("\n")):
            yield part, line, "" if key == "---" else key


def _record(text: str, line: int, key: str, value: Any, language: str) -> Piece:
    fields = value if isinstance(value, Mapping) else {}
    title = key or next((str(fields[name])[:120] for name in _TITLES if isinstance(fields.get(name), str | int)), "")
    stated = {name: fields[name] for name in STATED if name in fields} or NOTHING
    entities = entities_of_log(text)
    if isinstance(fields.get("sql"), str):
        entities += entities_of_sql(fields["sql"])
        kind = "record:sql"
    elif any(name in fields for name in ("code", "error_code", "错误码")):
        kind = "record:error"
        entities = [Entity(one.kind, one.name, one.name == title or one.defined) for one in entities]
    else:
        kind = "config" if key or not fields else "record"
        entities += _keys(value, key)
    return Piece(text, title, line, language, kind, tuple(entities), stated)


def _keys(value: Any, prefix: str, depth: int = 0) -> list[Entity]:
    found = [Entity("config_key", prefix, True)] if prefix else []
    if depth < MOST_DEPTH and isinstance(value, Mapping):
        for key, inner in list(value.items())[:200]:
            found += _keys(inner, f"{prefix}.{key}" if prefix else str(key), depth + 1)
    return found


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())[:120]
