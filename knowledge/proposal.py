"""Proposing a definition of a skill for a person to edit: by rules, and better with a model."""

import asyncio
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from skill_selector.catalog.scanner import scan
from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import DefinitionError, ModelUnavailableError
from skill_selector.graph.settings import Settings
from skill_selector.knowledge.chunk import CHUNK_TYPES
from skill_selector.knowledge.definition import FIELDS, SkillDefinition, read_definition
from skill_selector.knowledge.guess import Guess
from skill_selector.knowledge.instructions import PREFERRED, category_of, stated_parameters, stated_results
from skill_selector.knowledge.registry import SkillRegistry
from skill_selector.knowledge.running import run_apart
from skill_selector.knowledge.signatures import script_parameters
from skill_selector.prompts.fencing import escape, fence, one_line
from skill_selector.prompts.rendering import render
from skill_selector.prompts.shortening import elide
from skill_selector.reasoners.exchange import Exchange, Occasion, aask
from skill_selector.reasoners.reply import ReplyFaultError
from skill_selector.reasoners.understanding import unwrap

MOST_PARAMETERS = 24
MOST_KEYWORDS = 15
BODY_TOKENS = 3_000

_SPAN = re.compile(r"`([A-Za-z][\w.+-]{2,30})`")
_NOT_WORD = re.compile(r"\W+")


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A definition that nobody has checked yet."""

    values: Mapping[str, Any]
    """As `SkillDefinition.to_dict` has them, without `skill` and `file`."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """What each value was guessed from, by field or `input_schema.<parameter>`."""
    notes: tuple[str, ...] = ()
    """What did not work, or is to be looked at."""

    def to_definition(self) -> SkillDefinition:
        """Return it as a definition.

        Raises:
            DefinitionError: it is none; every fault is named.
        """
        definition, faults = read_definition(self.values)
        if definition is None:
            raise DefinitionError("; ".join(faults))
        return definition

    def to_yaml(self) -> str:
        """Return it as the text of a `skill.yaml`, each value under a comment that says what it was guessed from."""
        lines = ["# Proposed by skill-selector define. Check every value, then keep the file beside the SKILL.md."]
        lines += [f"# {one_line(note)}" for note in self.notes]
        for name in FIELDS:
            if self.values.get(name) is None:
                continue
            origin = self.origins.get(name)
            lines += [f"# from {one_line(origin)}"] if origin else []
            value = self.values[name]
            if name in {"input_schema", "output_schema"}:
                lines += self._schema_lines(name, value)
            else:
                lines += _dumped({name: value}, 0)
        return "\n".join(lines) + "\n"

    def _schema_lines(self, name: str, schema: Mapping[str, Any]) -> list[str]:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            return _dumped({name: dict(schema)}, 0)
        lines = [f"{name}:", "  type: object", "  properties:"]
        for key, value in properties.items():
            origin = self.origins.get(f"{name}.{key}")
            lines += [f"    # from {one_line(origin)}"] if origin else []
            lines += _dumped({key: value}, 4)
        rest = {key: value for key, value in schema.items() if key not in {"type", "properties"}}
        return lines + (_dumped(rest, 2) if rest else [])


def propose_definition(
    directory: str | os.PathLike[str], *, model: BaseChatModel | None = None, settings: Settings | None = None
) -> Proposal:
    """Propose a definition for the skill in a folder, from its SKILL.md, its scripts and their comments.

    Args:
        directory: the folder of one skill.
        model: improves on what rules found; None for rules alone.
        settings: the limits of the model's calls.

    Raises:
        DefinitionError: there is not exactly one skill in the folder.
        SkillDirectoryError: the folder cannot be used.
        ModelSetupError: the model cannot work as it is set up.
    """
    skill = _only_skill(directory)
    proposal = _by_rules(skill)
    if model is None:
        return proposal
    return run_apart(_improved(skill, proposal, model, settings or Settings()))


async def apropose_definition(
    directory: str | os.PathLike[str], *, model: BaseChatModel | None = None, settings: Settings | None = None
) -> Proposal:
    """Do the same without blocking the event loop."""
    skill = await asyncio.to_thread(_only_skill, directory)
    proposal = await asyncio.to_thread(_by_rules, skill)
    return proposal if model is None else await _improved(skill, proposal, model, settings or Settings())


def _only_skill(directory: str | os.PathLike[str]) -> Skill:
    catalog = scan(directory)
    if len(catalog.skills) == 1:
        return catalog.skills[0]
    path = os.fspath(directory)
    if catalog.skills:
        raise DefinitionError(f"{path} holds {len(catalog.skills)} skills; pass the folder of one of them")
    errors = [one.message for one in catalog.diagnostics if one.severity == "error"]
    why = f" ({errors[0]})" if errors else ""
    raise DefinitionError(f"there is no skill in {path}{why}; pass a folder with a SKILL.md")


def _by_rules(skill: Skill) -> Proposal:
    body = skill.body
    category, why = category_of(skill, body)
    scripted, docs = script_parameters(Path(skill.path))
    parameters = _joined(stated_parameters(body), scripted)[:MOST_PARAMETERS]
    origins = {
        "id": f"the category and the name {skill.name!r}",
        "description": "the first paragraph" if skill.inferred else "the frontmatter",
        "category": why,
        "preferred_context_types": f"what skills of the category {category} mostly need",
        "related_keywords": "tags, triggers, the name and terms marked as code",
        "input_schema": "what instructions and scripts take" if parameters else "nothing: no parameter was found",
    }
    existing = SkillRegistry.of_skills([skill]).for_skill(skill)
    notes = [f"{one.file} defines {one.id} already" for one in existing] + docs[:5]
    if not parameters:
        parameters = [
            Guess(
                name="task",
                schema={"type": "string", "description": "What is wanted, in words."},
                required=True,
                origin="nothing; name what the skill needs",
            )
        ]
    results = stated_results(body)
    values: dict[str, Any] = {
        "id": f"{category}.{_slug(skill.name, category)}",
        "description": skill.description,
        "category": category,
        "preferred_context_types": list(PREFERRED.get(category, ("document", "example"))),
        "related_keywords": _keywords(skill, body),
        "input_schema": _schema(parameters),
        "output_schema": _schema(results) if results else None,
    }
    origins |= {f"input_schema.{one.name}": one.origin for one in parameters}
    origins |= {f"output_schema.{one.name}": one.origin for one in results}
    return Proposal(values=values, origins=origins, notes=tuple(notes))


def _joined(stated: list[Guess], scripted: list[Guess]) -> list[Guess]:
    """Return each parameter once: the script knows its type, the instructions what it is for."""
    found = {one.name: one for one in stated}
    for one in scripted:
        known = found.get(one.name)
        says = known.schema.get("description") if known else None
        found[one.name] = replace(one, schema=one.schema | ({"description": says} if says else {}))
    return list(found.values())


def _slug(name: str, category: str) -> str:
    return _NOT_WORD.sub("_", name.lower()).strip("_") or category


def _schema(guesses: list[Guess]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {one.name: one.schema for one in guesses}}
    required = [one.name for one in guesses if one.required]
    return schema | ({"required": required} if required else {})


def _keywords(skill: Skill, body: str) -> list[str]:
    parts = [part for part in _NOT_WORD.split(skill.name) if len(part) > 1]
    found = [*skill.tags, *skill.triggers, *parts, *_SPAN.findall(body)]
    kept = {one.strip().casefold(): one.strip() for one in reversed(found) if one.strip() and len(one) <= 60}
    return list(reversed(kept.values()))[:MOST_KEYWORDS]


async def _improved(skill: Skill, proposal: Proposal, model: BaseChatModel, settings: Settings) -> Proposal:
    exchange: Exchange[dict[str, Any]] = Exchange(
        step="define",
        request=Occasion(settings=settings),
        model=model,
        setting=None,
        fallback_model=None,
        schema=None,
        read=lambda value, _final: read_reply(value),
    )
    try:
        answer = await aask(exchange.steps(_messages(skill, proposal)), settings.llm_timeout)
    except ModelUnavailableError as error:
        return replace(proposal, notes=(f"by rules alone: {error}", *proposal.notes))
    values = {**proposal.values, **answer.value}
    changed = {name for name in FIELDS if values.get(name) != proposal.values.get(name)}
    origins = {name: one for name, one in proposal.origins.items() if name.partition(".")[0] not in changed}
    return Proposal(values=values, origins=origins | dict.fromkeys(changed, "the model"), notes=proposal.notes)


def read_reply(value: Any) -> dict[str, Any] | None:
    """Return the fields of a definition that a decoded reply gives, or None where it is something else.

    Raises:
        ReplyFaultError: it is meant as a definition and has faults.
    """
    value = unwrap(value)
    if not isinstance(value, dict) or not {"id", "skill_id"} & value.keys():
        return None
    definition, faults = read_definition(value)
    if definition is None:
        raise ReplyFaultError(*faults[:10])
    found = definition.to_dict()
    return {name: found[name] for name in FIELDS if found[name] is not None}


def _messages(skill: Skill, proposal: Proposal) -> tuple[BaseMessage, ...]:
    about = {"name": skill.name, "description": skill.description, "scripts": list(proposal.notes)}
    head = escape(json.dumps(about, ensure_ascii=False))
    question = render(
        "defining_skill",
        skill=fence("skill", f"{head}\n{escape(elide(skill.body, BODY_TOKENS))}"),
        proposal=fence("proposal", escape(json.dumps(dict(proposal.values), ensure_ascii=False))),
    )
    return SystemMessage(render("defining", types=", ".join(CHUNK_TYPES))), HumanMessage(question)


def _dumped(value: Mapping[str, Any], indent: int) -> list[str]:
    import yaml  # noqa: PLC0415 - only who prints a proposal needs it

    text = yaml.safe_dump(dict(value), allow_unicode=True, sort_keys=False, width=110)
    return [" " * indent + line for line in text.rstrip("\n").split("\n")]
