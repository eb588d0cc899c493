"""The form of the two answers as JSON Schema, for endpoints that hold a model to one."""

from collections.abc import Iterable
from typing import Any

from skill_selector.graph.records import RUBRIC

Schema = dict[str, Any]


def analysis_schema() -> Schema:
    """Return the schema of Reason #1's answer."""
    text, texts = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    return _object(
        "task_analysis",
        "What the task asks for.",
        {"intent": text, "keywords": texts, "constraints": texts, "tech_stack": texts, "when_to_use": text},
    )


def scores_schema(ids: Iterable[str]) -> Schema:
    """Return the schema of Reason #2's answer; ranges are left to our own checks, as strict modes know none."""
    entry: Schema = {"id": {"type": "string", "enum": list(ids)}, "reason": {"type": "string"}}
    entry |= {part: {"type": "number"} for part in RUBRIC}
    entry["veto"] = {"type": ["string", "null"]}
    item = _object("", "", entry)
    return _object("skill_scores", "Points for every candidate.", {"scores": {"type": "array", "items": item}})


def _object(title: str, description: str, properties: Schema) -> Schema:
    told = {"title": title, "description": description} if title else {}
    return {
        **told,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
