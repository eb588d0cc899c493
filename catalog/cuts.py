"""Text that a valid frontmatter loses: YAML takes ` #…`, `&…` and `!…` out of unquoted values."""

import re
from typing import Any

from skill_selector.catalog.entries import fold
from skill_selector.catalog.faults import Fault
from skill_selector.catalog.keys import field_of

PROSE = {"name", "description", "when_to_use", "compatibility"}
"""Fields whose values are sentences, in which a `#` is more likely a word than a comment."""

_LINE = re.compile(
    r"""(?P<indent>[ ]*)(?P<quote>["']?)(?P<key>\w[\w.\- ]{0,60})(?P=quote)[ \t]*:(?:[ \t]+(?P<value>.*))?"""
)
_WORD = re.compile(r"#\S")


def restore(header: str, values: dict[str, Any], marked: set[str]) -> list[Fault]:
    """Put back into `values` what was cut off their texts, and say where that was or may have been."""
    if not marked and " #" not in header and "\t#" not in header:
        return []
    lines = header.split("\n")
    faults = []
    for number, line in enumerate(lines):
        match = _LINE.fullmatch(line)
        if not match:
            continue
        key = match["key"]
        holder = _holder(key, match["indent"], values)
        if holder is None:
            continue
        whole = _whole(match["value"] or "", match["indent"], lines[number + 1 :])
        kind = "leading_character" if key in marked and not match["indent"] else _cut(whole, holder[key], key)
        if kind and kind != "comment_in_text":
            holder[key] = whole
        if kind:
            faults.append(Fault(kind, key, number))
    return faults


def _holder(key: str, indent: str, values: dict[str, Any]) -> dict[str, Any] | None:
    holder = values.get("metadata") if indent else values
    return holder if isinstance(holder, dict) and isinstance(holder.get(key), str) else None


def _whole(value: str, indent: str, following: list[str]) -> str:
    """Return an unquoted value with the lines that it is wrapped over."""
    parts = [value]
    for line in following:
        stripped = line.lstrip()
        if not stripped or len(line) - len(stripped) <= len(indent):
            break
        if not stripped.startswith("#"):
            parts.append(line)
    return fold(parts)


def _cut(whole: str, value: str, key: str) -> str | None:
    """Return the kind of fault where `value` is `whole` up to a `#`."""
    if field_of(key) not in PROSE or whole == value or not whole.startswith(value):
        return None
    lost = whole[len(value) :].lstrip()
    if not lost.startswith("#") or whole[:1] in ("|", ">", "'", '"', "[", "{"):
        return None
    return "hash_in_text" if _WORD.match(lost) else "comment_in_text"
