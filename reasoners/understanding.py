"""The model's analysis of a task, checked."""

import re
from typing import Any

from skill_selector.graph.records import TaskAnalysis
from skill_selector.prompts.fencing import one_line
from skill_selector.reasoners.json_text import RepeatedKeys
from skill_selector.reasoners.reply import ReplyFaultError

MOST_ITEMS = 24
MOST_CHARACTERS = 400
"""Longer lists and texts are cut: they are no analysis any more, and a checkpoint keeps them for ever."""

_NAMES = {"usewhen": "whentouse", "keyword": "keywords", "constraint": "constraints", "techstacks": "techstack"}
_BETWEEN = re.compile(r"[,，、;；\n]+")


def plain_keys(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object with its keys in lower case and without `_`, `-` and spaces: `techStack` as `techstack`."""
    return {re.sub(r"[\W_]+", "", key).lower(): item for key, item in reversed(value.items())}


def unwrap(value: Any) -> Any:
    """Return what an object holds that has a single field, such as `{"answer": {…}}`; anything else as it is."""
    if isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()
        if isinstance(inner, dict):
            return inner
    return value


def read_analysis(value: Any) -> TaskAnalysis | None:
    """Return the analysis that a decoded value is, or None where it is something else.

    Raises:
        ReplyFaultError: fields are missing or of the wrong kind.
    """
    value = unwrap(value)
    if not isinstance(value, dict):
        return None
    found = {_NAMES.get(key, key): item for key, item in plain_keys(value).items()}
    if not {"intent", "keywords"} & found.keys():
        return None
    faults = ["a field was given twice with different values"] if isinstance(value, RepeatedKeys) else []
    analysis: TaskAnalysis = {
        "intent": _text(found, "intent", faults),
        "keywords": _list(found, "keywords", faults),
        "constraints": _list(found, "constraints", faults),
        "tech_stack": _list(found, "tech_stack", faults),
        "when_to_use": _text(found, "when_to_use", faults),
    }
    faults += [f'"{name}" is empty' for name in ("intent", "keywords") if not analysis[name] and not faults]
    if faults:
        raise ReplyFaultError(*faults)
    return analysis


def _text(found: dict[str, Any], name: str, faults: list[str]) -> str:
    value = found.get(name.replace("_", ""))
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = "; ".join(value)
    if value is None:
        return ""
    if not isinstance(value, str):
        faults.append(f'"{name}" is no text')
        return ""
    return one_line(value)[:MOST_CHARACTERS]


def _list(found: dict[str, Any], name: str, faults: list[str]) -> list[str]:
    value = found.get(name.replace("_", ""))
    if isinstance(value, str):
        value = _BETWEEN.split(value)
    if value is None:
        return []
    if not isinstance(value, list) or not all(_is_scalar(item) for item in value):
        faults.append(f'"{name}" is no list of texts')
        return []
    items = (one_line(str(item))[:MOST_CHARACTERS] for item in value)
    return list({item.casefold(): item for item in items if item}.values())[:MOST_ITEMS]


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
