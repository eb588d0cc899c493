"""Values as authors write them: switches, texts that stand for lists, lists that stand for texts."""

import re
from typing import Any

TRUE = frozenset({"true", "yes", "on", "1", "是"})
FALSE = frozenset({"false", "no", "off", "0", "否"})
MISSING = frozenset({"", "~", "null"})
"""Texts that say that there is no value."""

_SEPARATOR = re.compile(r"[,;\n，、；]")


def as_text(value: Any) -> str | None:
    """Return a value as one text, the parts of a list or map joined by `; `; None where there is none."""
    if isinstance(value, str):
        text = value.strip()
        return None if text.lower() in MISSING else text
    parts = [part for part in map(as_text, leaves(value)) if part]
    return "; ".join(parts) or None


def as_list(value: Any) -> tuple[str, ...]:
    """Return the texts of a value; a text is taken as a list with commas between its parts."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("[") and (text.endswith("]") or "]" not in text):
            text = text[1:].removesuffix("]")
        parts = _SEPARATOR.split(text)
    else:
        parts = leaves(value)
    cleaned = (part.strip().strip("\"'“”").removeprefix("- ").strip() for part in parts)
    return tuple(dict.fromkeys(part for part in cleaned if part.lower() not in MISSING))


def as_switch(value: Any) -> bool | None:
    """Return what a switch says, or None where it is no switch."""
    word = value.strip().lower() if isinstance(value, str) else ""
    return True if word in TRUE else False if word in FALSE else None


def leaves(value: Any) -> list[str]:
    """Return the texts inside a list or map; a key without a value counts as text."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in (leaves(inner) if inner != "" else [key])]
    return [leaf for inner in value for leaf in leaves(inner)]
