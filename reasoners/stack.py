"""The technologies of a task and of a skill, compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from skill_selector.catalog.skill import Skill
from skill_selector.reasoners.technology import TechnologyTable

PLATFORMS = frozenset({"mobile platform", "operating system", "cloud"})
"""Groups of technologies whose rivals rule each other out even where task and skill share a language."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stack:
    """What was found."""

    shared: tuple[str, ...]
    """Named by the task and by the skill."""
    rivals: tuple[str, ...]
    """Of the skill: they take the place of what the task names."""
    unmet: tuple[str, ...]
    """Of the task: what they take the place of."""
    exclusive: bool
    """The skill is for the rival alone: it is in its name, and is a platform or all that it names."""


def compare_stacks(named: Sequence[str], skill: Skill, claims: str, technologies: TechnologyTable) -> Stack:
    """Compare what the task names with what the skill does.

    Args:
        named: the task's technologies, by canonical name.
        skill: the skill; its name and metadata count.
        claims: what its description claims, without its negated clauses.
        technologies: the table.
    """
    wanted_or_implied = technologies.with_implied(named)
    in_name = technologies.find(skill.name.replace("-", " ").replace("_", " "))
    metadata = " ".join(filter(None, (skill.category, skill.language, skill.compatibility)))
    held = [*in_name, *technologies.find(f"{claims}\n{metadata}")]
    implied = technologies.with_implied(held)
    rivals: dict[str, None] = {}
    unmet: list[str] = []
    for wanted in named:
        others = [] if wanted in implied else technologies.rivals(wanted, held)
        others = [other for other in others if other not in wanted_or_implied]
        if others:
            rivals |= dict.fromkeys(others)
            unmet.append(wanted)
    shared = tuple(name for name in named if name in implied)
    in_the_name = [rival for rival in rivals if rival in in_name]
    platform = any(technologies.rows[rival].group in PLATFORMS for rival in in_the_name)
    return Stack(
        shared=shared,
        rivals=tuple(rivals),
        unmet=tuple(unmet),
        exclusive=platform or bool(in_the_name and not shared),
    )
