"""The names in a text: error codes, functions, classes, tables, columns, keys of settings."""

import re
from collections.abc import Iterable

from skill_selector.knowledge.chunk import Entity, EntityKind

MOST = 64
"""Entities of one chunk."""
LONGEST_NAME = 100

_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]{1,300})`(?!`)")
_ERROR_CODE = re.compile(
    r"(?<![\w-])(?!(?:ISO|UTF|RFC|CVE|GPT|SHA|AES|RSA|MD|UN|IEEE|PEP|BASE|INT|UINT|FLOAT)[-_]?\d)"
    r"(?:[A-Z][A-Z0-9]{0,9}[-_]\d{3,6}|[A-Z]{1,5}\d{3,5}|0x8[0-9A-F]{7})(?![\w-])",
    re.ASCII,
)
_EXCEPTION = re.compile(r"(?<![\w])[A-Z]\w{2,60}(?:Error|Exception|Fault|Exhausted|Timeout)(?!\w)", re.ASCII)
_CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\(", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:[.-]\w+)*", re.ASCII)
_NAMELIKE = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]|\w\.[a-z]|^[A-Z][a-z]+[A-Z]|^[A-Z]{3,}", re.ASCII)
_DEFINITION = re.compile(
    r"(?:^|\n)\s*(?:export\s+|public\s+|private\s+|async\s+|static\s+|pub\s+)*"
    r"(?P<word>def|function|func|fn|class|struct|interface|trait|enum)\s+(?P<name>[A-Za-z_]\w*)"
)
_KEYWORDS = frozenset(
    {"select", "from", "where", "join", "left", "inner", "group", "order", "having", "limit", "interval", "day", "hour"}
    | {"month", "year", "null", "not", "and", "between", "over", "partition", "true", "false", "desc", "asc", "in"}
)
"""Words of SQL, which are nobody's names."""
_CLASSES = frozenset({"class", "struct", "interface", "trait", "enum"})


def error_codes_in(text: str) -> list[str]:
    """Return the error codes and names of exceptions in a text, each once."""
    found = [*_ERROR_CODE.findall(text), *_EXCEPTION.findall(text)]
    return list(dict.fromkeys(found))


def entities_of_prose(text: str, heading: str = "") -> list[Entity]:
    """Return the error codes of a text and what it marks as code; what stands in the heading is defined there."""
    found = [Entity("error_code", code, code in heading) for code in error_codes_in(text)]
    spans = _CODE_SPAN.findall(text) + [one for one in [heading] if _NAMELIKE.search(one) or _CALL.search(one)]
    for span in spans:
        calls = _CALL.findall(span)
        calls = [name for name in calls if name.lower() not in _KEYWORDS]
        found += [Entity("function", name, span.startswith(name) or name in heading) for name in calls]
        words = [word for word in _IDENTIFIER.findall(span) if word not in calls and word.lower() not in _KEYWORDS]
        # a span of one word is a name even where it looks like any word
        named = words if len(words) == 1 else [word for word in words if _NAMELIKE.search(word)]
        found += [Entity("name", word, word in heading) for word in named]
    return found


def entities_of_fence(language: str, code: str) -> list[Entity]:
    """Return the names in a fenced block."""
    if language in {"sql", "mysql", "postgresql", "sqlite"}:
        from skill_selector.knowledge.sql import entities_of_sql  # noqa: PLC0415 - it imports this module's neighbours

        return entities_of_sql(code)
    if language in {"", "text", "console", "log", "output"}:
        return entities_of_log(code)
    return entities_of_code(code)


def entities_of_code(text: str) -> list[Entity]:
    """Return what code in any language defines, and what it calls."""
    found = [
        Entity("class" if one["word"] in _CLASSES else "function", one["name"], True)
        for one in _DEFINITION.finditer(text)
    ]
    defined = {one.name for one in found}
    found += [Entity("function", name) for name in _CALL.findall(text) if name not in defined]
    return found + entities_of_log(text)


def entities_of_log(text: str) -> list[Entity]:
    """Return the error codes and names of exceptions."""
    return [Entity("error_code", code) for code in error_codes_in(text)]


def distinct(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return each entity once, defined where it ever is, those first; at most `MOST`."""
    merged: dict[tuple[EntityKind, str], bool] = {}
    for one in entities:
        name = one.name.strip()
        if name and len(name) <= LONGEST_NAME:
            key = (one.kind, name)
            merged[key] = merged.get(key, False) or one.defined
    found = [Entity(kind, name, defined) for (kind, name), defined in merged.items()]
    return tuple(sorted(found, key=lambda one: not one.defined)[:MOST])
