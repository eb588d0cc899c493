"""The definitions of all skills, to be asked for."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from skill_selector.catalog.diagnostic import Diagnostic, Report
from skill_selector.catalog.encoding import decode
from skill_selector.catalog.reader import ReadError, read
from skill_selector.catalog.roots import AnyPath
from skill_selector.catalog.skill import Skill
from skill_selector.catalog.source import read_source
from skill_selector.graph.errors import DefinitionError
from skill_selector.knowledge.chunk import digest_of
from skill_selector.knowledge.definition import SkillDefinition, read_definition
from skill_selector.retrievers.text import normalize, tokenize

FILES = tuple(f"{stem}.{ending}" for stem in ("skill", "definition") for ending in ("yaml", "yml", "json"))
"""Names of a definition beside a SKILL.md; the first that is there counts."""
BLOCKS = ("skill", "skill_definition", "definition")
"""Keys of the frontmatter (also under `metadata`) that hold a whole definition."""
MOST_BYTES = 1024 * 1024


class SkillRegistry:
    """Definitions by id, in the order of the catalogue."""

    def __init__(self, definitions: Sequence[SkillDefinition] = (), diagnostics: Sequence[Diagnostic] = ()) -> None:
        self._by_id: dict[str, SkillDefinition] = {}
        found = list(diagnostics)
        for one in definitions:
            if one.id in self._by_id:
                report = Report(one.file)
                what = f"{one.id} is defined in {self._by_id[one.id].file} already; this one was left out"
                report.error("definition_clash", what, "give it an id of its own")
                found += report.diagnostics
            else:
                self._by_id[one.id] = one
        self.diagnostics = tuple(found)

    @classmethod
    def of_skills(cls, skills: Sequence[Skill]) -> "SkillRegistry":
        """Read the definitions of scanned skills; a skill without one has none, which is no fault."""
        definitions: list[SkillDefinition] = []
        diagnostics: list[Diagnostic] = []
        for skill in skills:
            report = Report(skill.file)
            definitions += _definitions_of(skill, report)
            diagnostics += report.diagnostics
        return cls(definitions, diagnostics)

    def __iter__(self) -> Iterator[SkillDefinition]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, skill_id: object) -> bool:
        return skill_id in self._by_id

    @property
    def digest(self) -> str:
        """Of all definitions."""
        return digest_of(*(one.digest for one in self))

    def get(self, skill_id: str) -> SkillDefinition:
        """Return a definition.

        Raises:
            DefinitionError: there is none of that id; the message names the nearest ones.
        """
        found = self._by_id.get(skill_id)
        if found is None:
            near = get_close_matches(skill_id, self._by_id, n=3, cutoff=0.4) or sorted(self._by_id)[:5]
            listed = f"; there are {', '.join(near)}" if near else "; no skill has a definition: skill-selector define"
            raise DefinitionError(f"no skill is defined as {skill_id!r}{listed}")
        return found

    def by_category(self, category: str) -> list[SkillDefinition]:
        """Return the definitions of a category."""
        wanted = normalize(category)
        return [one for one in self if normalize(one.category) == wanted]

    def categories(self) -> list[str]:
        """Return every category once."""
        return list(dict.fromkeys(one.category for one in self))

    def by_keyword(self, keyword: str) -> list[SkillDefinition]:
        """Return the definitions whose related keywords, id or description hold every word of the keyword."""
        wanted = set(tokenize(keyword))
        return [one for one in self if wanted and wanted <= _tokens(one)]

    def for_skill(self, skill: Skill | str) -> list[SkillDefinition]:
        """Return the definitions of a skill of the catalogue, given itself or by its id."""
        identity = skill if isinstance(skill, str) else skill.id
        return [one for one in self if one.skill == identity]


def load_registry(directories: AnyPath | Sequence[AnyPath]) -> SkillRegistry:
    """Scan folders of skills and return their definitions.

    Raises:
        SkillDirectoryError: a folder cannot be used.
    """
    from skill_selector.catalog.scanner import scan  # noqa: PLC0415 - who has skills already does without

    return SkillRegistry.of_skills(scan(directories).skills)


async def aload_registry(directories: AnyPath | Sequence[AnyPath]) -> SkillRegistry:
    """Do the same off the event loop."""
    return await asyncio.to_thread(load_registry, directories)


def _tokens(definition: SkillDefinition) -> set[str]:
    return set(tokenize("\n".join([definition.id, definition.description, *definition.related_keywords])))


def _definitions_of(skill: Skill, report: Report) -> list[SkillDefinition]:
    own = _frontmatter(skill)
    values, file = _beside(skill, report)
    if values is None:
        values, file = ([own] if own else []), skill.file
    elif own and len(values) == 1 and isinstance(values[0], Mapping):
        values = [_joined(own, values[0], report)]
    found = []
    for value in values:
        definition, faults = read_definition(
            value, skill=skill.id, description=skill.description, category=skill.category, file=file
        )
        if definition:
            found.append(definition)
        for fault in faults:
            report.error("bad_definition", fault, "correct it; until then the skill has no definition")
    return found


def _joined(own: dict[str, Any], beside: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Return what frontmatter and file say; the file's word counts."""
    first, second = _id(own), _id(beside)
    if first and second and first != second:
        what = f"the frontmatter calls the skill {first}, the file beside it {second}; the file's word counts"
        report.warning("definition_clash", what, "give both the same id")
        return dict(beside)
    return {**own, **beside}


def _id(value: Mapping[str, Any]) -> str | None:
    found = value.get("id", value.get("skill_id"))
    return found if isinstance(found, str) else None


def _frontmatter(skill: Skill) -> dict[str, Any] | None:
    for name in BLOCKS:
        block = skill.metadata.get(name)
        if isinstance(block, Mapping):
            return dict(block)
    wanted = ("skill_id", "input_schema", "output_schema", "preferred_context_types", "related_keywords")
    found = {name: skill.metadata[name] for name in wanted if name in skill.metadata}
    return found if "skill_id" in found or "input_schema" in found else None


def _beside(skill: Skill, report: Report) -> tuple[list[Any] | None, str]:
    for name in FILES:
        file = Path(skill.path) / name
        if not file.is_file() or file.is_symlink():
            continue
        value = _read(file, report)
        return (value if isinstance(value, list) else [] if value is None else [value]), file.as_posix()
    return None, ""


def _read(file: Path, report: Report) -> Any:
    try:
        source = read_source(str(file), limit=MOST_BYTES)
        text = decode(source.data, report) if source.complete else None
        if text is None:
            what = (
                f"{file.name} is longer than {MOST_BYTES:,} bytes"
                if not source.complete
                else f"{file.name} holds no text"
            )
            report.error("bad_definition", what, "shorten it")
            return None
        return json.loads(text) if file.suffix == ".json" else read(text).value
    except ReadError as error:
        report.error("bad_definition", f"{file.name}, line {error.line + 1}: {error}", "correct the YAML")
    except (ValueError, RecursionError) as error:
        report.error("bad_definition", f"{file.name}: {str(error)[:120]}", "correct the JSON")
    except OSError as error:
        report.error(
            "bad_definition", f"{file.name} cannot be read: {error.strerror or error}", "check its permissions"
        )
    return None
