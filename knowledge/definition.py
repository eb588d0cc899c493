"""The definition of a skill as something to be called: id, schemas, category, and the context that it likes."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from skill_selector.knowledge.chunk import CHUNK_TYPES, digest_of
from skill_selector.knowledge.schema_text import typed_schema

ID = re.compile(r"[^\W\d_]\w*(?:\.\w+)+")
"""Category and name, such as `data_query.generate_sql`."""
ANY_OBJECT: Mapping[str, Any] = MappingProxyType({"type": "object"})
MOST_KEYWORDS = 100
LONGEST_SCHEMA = 200_000
"""Characters of a schema as JSON."""

FIELDS = (
    *("id", "description", "category", "preferred_context_types", "related_keywords"),
    *("input_schema", "output_schema"),
)
_SPELLINGS = {"skill_id": "id", "skill": "id", "keywords": "related_keywords", "prefers": "preferred_context_types"}


@dataclass(frozen=True, kw_only=True)
class SkillDefinition:
    """What source 002 calls a skill."""

    id: str
    description: str
    category: str
    input_schema: Mapping[str, Any] = field(default_factory=lambda: ANY_OBJECT)
    output_schema: Mapping[str, Any] | None = None
    preferred_context_types: tuple[str, ...] = ()
    """In order of preference."""
    related_keywords: tuple[str, ...] = ()
    skill: str | None = None
    """Id of the skill in the catalogue that it belongs to."""
    file: str = ""
    """Where it stands."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return {
            "id": self.id,
            "description": self.description,
            "category": self.category,
            "preferred_context_types": list(self.preferred_context_types),
            "related_keywords": list(self.related_keywords),
            "input_schema": dict(self.input_schema),
            "output_schema": None if self.output_schema is None else dict(self.output_schema),
            "skill": self.skill,
            "file": self.file,
        }

    @property
    def digest(self) -> str:
        """Of what decides which context fits it."""
        return digest_of(json.dumps({**self.to_dict(), "skill": None, "file": ""}, ensure_ascii=False, sort_keys=True))


def read_definition(
    value: Any, *, skill: str | None = None, description: str = "", category: str | None = None, file: str = ""
) -> tuple[SkillDefinition | None, list[str]]:
    """Return the definition that a decoded value gives, and every fault of it.

    Args:
        value: of YAML, whose scalars may all be text, or of JSON; `metadata` is looked into.
        skill: the id of the skill that it belongs to.
        description: the skill's own, where the value has none.
        category: the same.
        file: where it stands.
    """
    if not isinstance(value, Mapping):
        return None, ["it must be an object with an 'id'"]
    fields = _flat(value)
    faults: list[str] = []
    identity = _text(fields, "id", faults)
    if not identity:
        faults.append("'id' is missing; write one such as data_query.generate_sql")
    elif not ID.fullmatch(identity):
        faults.append(f"'id' is {identity[:60]!r}; write category and name with a dot, such as data_query.generate_sql")
    says = _text(fields, "description", faults) or description
    if not says:
        faults.append("'description' is missing; say what the skill is for")
    preferred = _list(fields, "preferred_context_types", faults)
    unknown = [one for one in preferred if one not in CHUNK_TYPES]
    if unknown:
        names = ", ".join(CHUNK_TYPES)
        faults.append(f"'preferred_context_types' holds {', '.join(unknown)[:100]}; the types are {names}")
    keywords = _list(fields, "related_keywords", faults)[:MOST_KEYWORDS]
    accepts = _schema(fields, "input_schema", faults)
    returns = _schema(fields, "output_schema", faults)
    if faults:
        return None, faults
    return (
        SkillDefinition(
            id=identity,
            description=says,
            category=_text(fields, "category", faults) or category or identity.partition(".")[0],
            input_schema=ANY_OBJECT if accepts is None else accepts,
            output_schema=returns,
            preferred_context_types=tuple(preferred),
            related_keywords=tuple(keywords),
            skill=skill,
            file=file,
        ),
        [],
    )


def _flat(value: Mapping[str, Any]) -> dict[str, Any]:
    inner = value.get("metadata")
    merged = {**(inner if isinstance(inner, Mapping) else {}), **{k: v for k, v in value.items() if k != "metadata"}}
    named = {
        _SPELLINGS.get(key, key): one for key, one in merged.items() if not isinstance(one, Mapping) or key != "skill"
    }
    return {key: one for key, one in named.items() if one is not None}


def _text(fields: Mapping[str, Any], name: str, faults: list[str]) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        faults.append(f"'{name}' is {type(value).__name__}; it must be text")
        return ""
    return " ".join(value.split())


def _list(fields: Mapping[str, Any], name: str, faults: list[str]) -> list[str]:
    value = fields.get(name, [])
    if isinstance(value, str):
        value = re.split(r"[,，、;；\n]+", value)
    if not isinstance(value, list) or not all(isinstance(one, str | int | float) for one in value):
        faults.append(f"'{name}' must be a list of texts")
        return []
    return list(dict.fromkeys(text for one in value if (text := str(one).strip().removeprefix("skill:"))))


def _schema(fields: Mapping[str, Any], name: str, faults: list[str]) -> Mapping[str, Any] | None:
    value = fields.get(name)
    if value in (None, ""):
        return None
    if not isinstance(value, Mapping):
        faults.append(f"'{name}' must be a JSON Schema, an object")
        return None
    schema: dict[str, Any] = typed_schema(value)
    if len(json.dumps(schema, default=str)) > LONGEST_SCHEMA:
        faults.append(f"'{name}' is longer than {LONGEST_SCHEMA:,} characters")
        return None
    from skill_selector.knowledge.parameters import schema_faults  # noqa: PLC0415 - jsonschema takes a while

    faults += [f"'{name}'{fault}" for fault in schema_faults(schema)]
    return schema
