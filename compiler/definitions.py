"""Which definition a run is about: by its id, by the skill that was selected, or guessed from that skill's SKILL.md."""

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, NamedTuple

from skill_selector.catalog.catalog import Catalog
from skill_selector.graph.errors import DefinitionError, SkillSelectorError
from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.knowledge.parameters import check_parameters
from skill_selector.knowledge.registry import FILES, SkillRegistry
from skill_selector.retrievers.text import tokenize

KEPT = 4
"""Catalogues whose definitions stay in memory."""

Stamp = tuple[tuple[int, ...] | None, ...]


class RegistryCache:
    """The definitions of the catalogues that were asked for last. Threads may share it.

    A definition beside a SKILL.md is no part of the catalogue's digest, so folders and files are looked at each time.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Stamp, SkillRegistry]] = OrderedDict()
        self._lock = Lock()

    def of(self, catalog: Catalog) -> SkillRegistry:
        """Return the definitions of a catalogue's skills; the same object as last time where nothing has changed."""
        folders = tuple(_stamp(skill.path) for skill in catalog.skills)
        with self._lock:
            known = self._known.get(catalog.digest)
        if known and known[0] == (*folders, *_watched(known[1])):
            registry = known[1]
        else:
            registry = SkillRegistry.of_skills(catalog.skills)
        with self._lock:
            self._known[catalog.digest] = (*folders, *_watched(registry)), registry
            self._known.move_to_end(catalog.digest)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return registry


class Resolved(NamedTuple):
    """The definition, and whether it was guessed."""

    definition: SkillDefinition
    guessed: bool = False


def find_definition(
    wanted: str, registry: SkillRegistry, catalog: Catalog, *, parameters: Mapping[str, Any], task: str
) -> Resolved:
    """Return the definition of an id, which may be a definition's or that of a skill of the catalogue.

    A skill with several definitions gives the one that the parameters fit and that shares most words with the task. One
    without any gives what `skill-selector define` would propose by rule, with nothing required.

    Raises:
        DefinitionError: there is neither such a definition nor such a skill.
    """
    if wanted in registry:
        return Resolved(registry.get(wanted))
    skill = catalog.by_id.get(wanted)
    if skill is None:
        return Resolved(registry.get(wanted))
    own = registry.for_skill(skill)
    if own:
        return Resolved(_fitting(own, parameters, task))
    return Resolved(_guessed(skill.path, skill.id), guessed=True)


def _fitting(own: Sequence[SkillDefinition], parameters: Mapping[str, Any], task: str) -> SkillDefinition:
    words = set(tokenize(task))

    def worth(one: SkillDefinition) -> tuple[bool, int]:
        about = tokenize("\n".join([one.id, one.description, *one.related_keywords]))
        return not check_parameters(one, parameters), len(words & set(about))

    return own[0] if len(own) == 1 else max(own, key=worth)


def _guessed(folder: str, skill_id: str) -> SkillDefinition:
    from skill_selector.knowledge.proposal import propose_definition  # noqa: PLC0415 - most skills have one

    try:
        proposed = propose_definition(folder).to_definition()
    except SkillSelectorError as error:
        raise DefinitionError(
            f"the skill {skill_id} has no definition, and none can be guessed ({error}); run skill-selector define "
            f"{folder}, and keep the result as skill.yaml there"
        ) from error
    schema = {
        key: value for key, value in proposed.input_schema.items() if key not in {"required", "additionalProperties"}
    }
    return replace(proposed, input_schema=schema, skill=skill_id)


def _watched(registry: SkillRegistry) -> Stamp:
    """Return the stamps of the files that hold definitions, broken ones too; a new file shows in its folder's."""
    faulty = {os.path.dirname(one.path) for one in registry.diagnostics}
    files = {one.file for one in registry} | {f"{folder}/{name}" for folder in faulty for name in FILES}
    return tuple(_stamp(path) for path in sorted(files))


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
