"""Lists of tools as authors write them: YAML lists, `Bash(git:*) Read, Write`, or a map of switches."""

from typing import Any

from skill_selector.catalog.keys import field_of
from skill_selector.catalog.words import FALSE, TRUE

_SEPARATORS = " \t\n,;，、；"
_OPENERS = {"(": ")", "[": "]", "{": "}", "（": "）"}


def split_tools(text: str) -> list[str]:
    """Split a line of tools at commas and white space, but not inside brackets.

    A bracket that nothing closes holds to the end of the text.
    """
    text = text.strip()
    if text.startswith("[") and (text.endswith("]") or "]" not in text):
        text = text[1:].removesuffix("]")
    tools: list[str] = []
    current: list[str] = []
    closers: list[str] = []
    for character in text:
        if closers:
            if character == closers[-1]:
                closers.pop()
            elif character in _OPENERS:
                closers.append(_OPENERS[character])
        elif character in _OPENERS and current:
            closers.append(_OPENERS[character])
        elif character in _SEPARATORS:
            tools.append("".join(current))
            current = []
            continue
        current.append(character)
    tools.append("".join(current))
    return [name for tool in tools if (name := tool.strip("\"'` "))]


def read_tools(value: Any) -> tuple[list[str] | None, list[str]] | None:
    """Return the allowed and the disallowed tools that a value names, or None if it names tools in no known way.

    Allowed is None where the value is empty, so that it restricts nothing.
    """
    if isinstance(value, str):
        return (split_tools(value) or None) if value.strip() not in ("", "~", "null") else None, []
    if isinstance(value, list):
        return _from_list(value)
    return _from_map(value) if isinstance(value, dict) else None


def _from_list(values: list[Any]) -> tuple[list[str], list[str]] | None:
    tools: list[str] = []
    for value in values:
        if isinstance(value, dict):
            name = value.get("name") or (next(iter(value)) if len(value) == 1 else None)
            if not isinstance(name, str):
                return None
            tools.append(name)
        elif isinstance(value, str):
            # an item with a space inside brackets only, or with a comma, is a line of tools of its own
            tools.extend(split_tools(value) if "(" in value or "," in value else [value.strip()])
        else:
            return None
    return [tool for tool in tools if tool], []


def _from_map(values: dict[str, Any]) -> tuple[list[str] | None, list[str]] | None:
    allowed: list[str] | None = None
    disallowed: list[str] = []
    for key, value in values.items():
        name = field_of(f"{key} tools") or field_of(f"{key}ed tools")
        switch = value.strip().lower() if isinstance(value, str) else None
        if switch in TRUE or switch == "allow":
            allowed = [*(allowed or []), key]
        elif switch in FALSE or switch == "deny":
            disallowed.append(key)
        elif name in ("allowed_tools", "disallowed_tools"):
            inner = read_tools(value)
            if inner is None or inner[1]:
                return None
            if name == "allowed_tools":
                allowed = [*(allowed or []), *(inner[0] or [])]
            else:
                disallowed.extend(inner[0] or [])
        else:
            return None
    return allowed, disallowed
