"""Parameters against a skill's input schema: every fault at once, each with its path."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from skill_selector.graph.errors import ParameterError
from skill_selector.knowledge.definition import SkillDefinition

MOST_FAULTS = 50
SHOWN = 60
"""Characters of a value that a message shows."""


class ParameterFault(NamedTuple):
    """One thing that is wrong."""

    path: str
    """Where: `$` is the whole, `$.items[0].name` a part."""
    message: str


def check_parameters(definition: SkillDefinition, parameters: object) -> list[ParameterFault]:
    """Return every fault of the parameters, in order of their path; an empty list where they fit."""
    if not isinstance(parameters, Mapping):
        return [ParameterFault("$", f"the parameters are {_shown(parameters)}; they must be an object")]
    return _faults(definition.input_schema, dict(parameters))


def check_output(definition: SkillDefinition, output: object) -> list[ParameterFault]:
    """Return every fault of what a skill gave back; none where it states no schema."""
    return [] if definition.output_schema is None else _faults(definition.output_schema, output)


def validated(definition: SkillDefinition, parameters: object) -> dict[str, Any]:
    """Return the parameters, with the schema's defaults for those that are left out.

    Raises:
        ParameterError: they do not fit; the message names every fault.
    """
    faults = check_parameters(definition, parameters)
    if faults:
        listed = "; ".join(f"{fault.path}: {fault.message}" for fault in faults)
        raise ParameterError(f"the parameters do not fit {definition.id}: {listed}")
    assert isinstance(parameters, Mapping)  # noqa: S101 - for the type checker
    properties = definition.input_schema.get("properties", {})
    defaults = {
        name: one["default"] for name, one in properties.items() if isinstance(one, Mapping) and "default" in one
    }
    return {**defaults, **parameters}


def parameter_digest(parameters: Mapping[str, Any]) -> str:
    """Return a digest of parameters that does not depend on the order of their keys."""
    from skill_selector.knowledge.chunk import digest_of  # noqa: PLC0415 - one caller

    return digest_of(json.dumps(parameters, ensure_ascii=False, sort_keys=True, default=str))


def schema_faults(schema: Mapping[str, Any]) -> list[str]:
    """Return what keeps a value from being a JSON Schema that can be used, each beginning with its path."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a twentieth of a second

    meta = Draft202012Validator(Draft202012Validator.META_SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)
    found = meta.iter_errors(schema)
    faults = [
        f"{_path(one.absolute_path)[1:]}: {_message(one)}" for one, _ in zip(found, range(MOST_FAULTS), strict=False)
    ]
    if not faults and schema.get("type", "object") != "object":
        faults.append(".type: it must be 'object', since parameters have names")
    return sorted(faults)


def _faults(schema: Mapping[str, Any], value: object) -> list[ParameterFault]:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a twentieth of a second
    from referencing import Registry  # noqa: PLC0415 - comes with jsonschema
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - the same

    # with a registry of its own nothing is ever fetched
    validator = Draft202012Validator(dict(schema), registry=Registry())
    found: list[ParameterFault] = []
    try:
        for error in validator.iter_errors(value):
            found.append(ParameterFault(_path(error.absolute_path), _message(error)))
            if len(found) >= MOST_FAULTS:
                break
    except Unresolvable as error:
        found.append(ParameterFault("$", f"the schema refers to what it does not hold ({str(error)[:100]})"))
    except RecursionError:
        found.append(ParameterFault("$", "the schema refers to itself without end, or the value is nested too deeply"))
    return sorted(dict.fromkeys(found))


def _path(parts: Any) -> str:
    return "$" + "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in parts)


def _message(error: Any) -> str:
    wording = _WORDINGS.get(error.validator)
    if wording is None:
        return _cut(str(error.message))
    return wording(error)


def _missing(error: Any) -> str:
    name = str(error.message).split("'")[1::2][:1] or error.validator_value
    properties = error.schema.get("properties", {})
    about = properties.get(name[0], {}) if isinstance(properties, Mapping) else {}
    says = about.get("description") if isinstance(about, Mapping) else None
    return f"'{name[0]}' is missing" + (f" ({_cut(str(says))})" if says else "")


def _type(error: Any) -> str:
    wanted = error.validator_value
    listed = " or ".join(wanted) if isinstance(wanted, list) else wanted
    return f"is {_shown(error.instance)}; it must be of type {listed}"


def _extra(error: Any) -> str:
    known = error.schema.get("properties", {})
    extra = [name for name in error.instance if name not in known] if isinstance(error.instance, Mapping) else []
    names = ", ".join(map(repr, extra[:10]))
    return f"there is no parameter {_cut(names)}; there are {_cut(', '.join(known) or 'none')}"


_WORDINGS: Mapping[str, Callable[[Any], str]] = {
    "required": _missing,
    "type": _type,
    "additionalProperties": _extra,
    "enum": lambda one: (
        f"is {_shown(one.instance)}; it must be one of {_cut(', '.join(map(str, one.validator_value)))}"
    ),
    "pattern": lambda one: f"is {_shown(one.instance)}; it must match {one.validator_value}",
    "minLength": lambda one: f"is {_shown(one.instance)}; it needs at least {one.validator_value} characters",
    "maxLength": lambda one: f"has {len(one.instance):,} characters; at most {one.validator_value:,} may be",
    "minimum": lambda one: f"is {_shown(one.instance)}; it must be at least {one.validator_value}",
    "maximum": lambda one: f"is {_shown(one.instance)}; it must be at most {one.validator_value}",
    "minItems": lambda one: f"has {len(one.instance)} items; it needs at least {one.validator_value}",
    "maxItems": lambda one: f"has {len(one.instance)} items; at most {one.validator_value} may be",
}


def _shown(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _cut(text: str) -> str:
    return text if len(text) <= 3 * SHOWN else text[: 3 * SHOWN - 1] + "…"
