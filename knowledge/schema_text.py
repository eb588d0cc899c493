"""JSON Schema written in YAML whose scalars were read as text: numbers and truth values where a schema has them."""

from collections.abc import Mapping
from typing import Any

_NUMBERS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_FLAGS = frozenset({"uniqueItems", "readOnly", "writeOnly", "deprecated"})
_SCHEMAS = frozenset(
    {"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "additionalItems"}
    | {"unevaluatedItems", "unevaluatedProperties"}
)
_LISTS_OF_SCHEMAS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_MAPS_OF_SCHEMAS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_WORDS = {"true": True, "false": False}


def typed_schema(schema: Any) -> Any:
    """Return the schema with its own values of the type that JSON Schema wants.

    `default`, `const`, `enum` and `examples` follow the schema's `type`, so that `on` stays text where text is wanted.
    What is not text already, as in a JSON file, stays as it is.
    """
    if isinstance(schema, str):
        return _WORDS.get(schema.strip().lower(), schema)
    if not isinstance(schema, Mapping):
        return schema
    return {key: _value(key, value, schema.get("type")) for key, value in schema.items()}


def _value(key: str, value: Any, kind: Any) -> Any:
    if key in _NUMBERS:
        return _number(value)
    if key in _FLAGS and isinstance(value, str):
        return _WORDS.get(value.lower(), value)
    if isinstance(value, list):
        return _list(key, value, kind)
    if key in _SCHEMAS:
        return typed_schema(value)
    if key in _MAPS_OF_SCHEMAS and isinstance(value, Mapping):
        return {name: typed_schema(one) for name, one in value.items()}
    return typed_value(value, kind) if key in {"default", "const"} else value


def _list(key: str, values: list[Any], kind: Any) -> list[Any]:
    if key in _SCHEMAS or key in _LISTS_OF_SCHEMAS:
        return [typed_schema(one) for one in values]
    return [typed_value(one, kind) for one in values] if key in {"enum", "examples"} else values


def typed_value(value: Any, kind: Any) -> Any:
    """Return a value read as text as a value of the schema's type; as it is where it can't be one."""
    if not isinstance(value, str):
        return value
    kinds = kind if isinstance(kind, list) else [kind]
    if "string" in kinds:
        return value
    if "boolean" in kinds and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    if "null" in kinds and value.strip().lower() in {"", "null", "~"}:
        return None
    return _number(value) if {"integer", "number"} & {one for one in kinds if isinstance(one, str)} else value


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value
