"""Definitions from runs that worked: which parameters were seen, of which types, and which context helped.

A run is kept as a note of the feedback store: names and types of the parameters, and values only where they are short,
so that nobody's long texts or tables lie in it.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from skill_selector.feedback.store import LONGEST_COMMENT
from skill_selector.graph.errors import DefinitionError
from skill_selector.knowledge.chunk import CHUNK_TYPES
from skill_selector.knowledge.proposal import Proposal

RUN = "run"
"""The key of the notes."""
LONGEST_VALUE = 24
"""Characters of a value that is kept."""
MOST_CHOICES = 8
"""Different values that a parameter may have to be proposed as a choice."""
FEWEST_RUNS = 5
"""Runs from which on a choice is proposed."""
MOST_TYPES = 4
"""Types of context that are proposed."""

_WORD = re.compile(r"[\w.+-]+")


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that worked, as it was noted."""

    types: Mapping[str, str]
    """JSON type of each parameter, by name."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Of short texts."""
    context: Mapping[str, int] = field(default_factory=dict)
    """How many chunks of each type its context held."""


def run_note(parameters: Mapping[str, Any], context: Iterable[str]) -> str:
    """Return a run as the text of a note, which is never longer than notes may be.

    Args:
        parameters: as they were passed.
        context: the type of each chunk of the context.
    """
    types = {str(name): _type(value) for name, value in parameters.items()}
    values = {
        str(name): value
        for name, value in parameters.items()
        if isinstance(value, str) and len(value) <= LONGEST_VALUE and _WORD.fullmatch(value)
    }
    counts = dict(Counter(context))
    for made in ({"types": types, "values": values, "context": counts}, {"types": types, "context": counts}):
        text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
        if len(text) <= LONGEST_COMMENT:
            return text
    return "{}"


def read_run(text: str) -> Run | None:
    """Return the run of a note; None where it is none, as when another version or a person wrote it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    types = value.get("types") if isinstance(value, dict) else None
    if not isinstance(types, dict) or not all(isinstance(one, str) for one in types.values()):
        return None
    values, context = value.get("values", {}), value.get("context", {})
    if not isinstance(values, dict) or not isinstance(context, dict):
        return None
    return Run(
        types=types,
        values={name: one for name, one in values.items() if isinstance(one, str)},
        context={name: one for name, one in context.items() if name in CHUNK_TYPES and isinstance(one, int)},
    )


def with_runs(proposal: Proposal, runs: Sequence[Run]) -> Proposal:
    """Return a proposal with what runs have shown in place of what was guessed.

    A parameter that every run had is required; one whose few short values came again and again is a choice. What the
    skill's text says of a parameter stays beside it, and parameters that no run had stay, as optional ones.

    Raises:
        DefinitionError: there is no run.
    """
    if not runs:
        raise DefinitionError(
            f"no run of {proposal.values['id']} that worked is on record; compile context for it and record what came "
            "of it with `skill-selector feedback --context FILE --good`, or leave out --from-runs"
        )
    guessed = proposal.values["input_schema"]
    known: Mapping[str, Any] = guessed.get("properties", {})
    names = list(dict.fromkeys(name for run in runs for name in run.types))
    if not names:
        return replace(proposal, notes=(*proposal.notes, f"{len(runs)} runs worked, none with parameters"))
    only_guess = proposal.origins.get("input_schema", "").startswith("nothing")
    kept = {} if only_guess else {name: one for name, one in known.items() if name not in names}
    properties = {name: _schema(name, runs, known.get(name, {})) for name in names} | kept
    required = [name for name in names if all(name in run.types for run in runs)]
    schema: dict[str, Any] = {"type": "object", "properties": properties} | ({"required": required} if required else {})
    values = {**proposal.values, "input_schema": schema}
    origins = {name: one for name, one in proposal.origins.items() if not name.startswith("input_schema")}
    origins |= {name: one for name, one in proposal.origins.items() if name.removeprefix("input_schema.") in kept}
    origins["input_schema"] = f"{len(runs)} recorded runs that worked"
    for name in names:
        origins[f"input_schema.{name}"] = f"{sum(name in run.types for run in runs)} of {len(runs)} runs"
    helped: Counter[str] = Counter()
    for run in runs:
        helped.update(run.context)
    preferred = [name for name, count in helped.most_common(MOST_TYPES) if count]
    if preferred:
        values["preferred_context_types"] = preferred
        origins["preferred_context_types"] = "the contexts of those runs, the most frequent type first"
    return replace(proposal, values=values, origins=origins)


def _schema(name: str, runs: Sequence[Run], known: Mapping[str, Any]) -> dict[str, Any]:
    types = sorted({run.types[name] for run in runs if name in run.types} - {"null"})
    if "number" in types and "integer" in types:
        types.remove("integer")
    about = {"description": known["description"]} if known.get("description") else {}
    made: dict[str, Any] = {"type": types[0] if len(types) == 1 else types} if types else {}
    seen = [run.values.get(name) for run in runs if name in run.types]
    choices = {one for one in seen if one is not None}
    if types == ["string"] and None not in seen and len(seen) >= FEWEST_RUNS and len(choices) * 2 <= len(seen):
        return made | about | ({"enum": sorted(choices)} if len(choices) <= MOST_CHOICES else {})
    return made | about


def _type(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array"
