"""Everything that a scan found."""

from dataclasses import dataclass
from functools import cached_property

from skill_selector.catalog.diagnostic import Diagnostic, count_kinds
from skill_selector.catalog.skill import Skill
from skill_selector.graph.records import CatalogSummary

SHOWN_DIAGNOSTICS = 20
"""How many diagnostics a result carries along; `scan` lists them all."""


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """The skills under some roots, in order of precedence, and every diagnostic.

    `skills` holds what can be chosen; `shadowed` what lost a clash with a skill of a root of higher precedence.
    `digest` changes when, and only when, a file, an id or a root does.
    """

    roots: tuple[str, ...]
    skills: tuple[Skill, ...]
    digest: str
    diagnostics: tuple[Diagnostic, ...] = ()
    shadowed: tuple[Skill, ...] = ()

    @cached_property
    def by_id(self) -> dict[str, Skill]:
        """The skills that can be chosen, by id."""
        return {skill.id: skill for skill in self.skills}

    def summary(self) -> CatalogSummary:
        """Return the part that a result and a checkpoint carry."""
        return {
            "roots": list(self.roots),
            "count": len(self.skills),
            "digest": self.digest,
            "diagnostics_by_kind": count_kinds(self.diagnostics),
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics[:SHOWN_DIAGNOSTICS]],
        }
