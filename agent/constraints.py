"""How the tool lists of active skills narrow the tools of an agent (source 004)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

from skill_selector.agent.pattern import ToolPattern
from skill_selector.agent.traits import ToolTraits
from skill_selector.agent.verdict import Verdict

Enforcement = Literal["enforce", "approve", "ignore"]
"""What an allow list of a skill means.

`enforce`: only these tools (source 004). `approve`: these run as they are, a call of any other waits for a person's
yes, which is nearer to the format's own word, pre-approved. `ignore`: nothing. Deny lists hold in the first two.
"""
ENFORCEMENTS: tuple[Enforcement, ...] = ("enforce", "approve", "ignore")


class ConstrainingSkill(Protocol):
    """What is needed of a skill."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def allowed_tools(self) -> Sequence[str] | None: ...  # noqa: D102
    @property
    def disallowed_tools(self) -> Sequence[str]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class ToolConstraints:
    """The lists of all active skills, merged without duplicates: allow list first, then deny list.

    An empty list constrains nothing. Where several skills are active, each may use what any of them allows, and none
    what any of them forbids.
    """

    allowed: tuple[ToolPattern, ...] = ()
    disallowed: tuple[ToolPattern, ...] = ()
    skills: tuple[str, ...] = ()
    """Ids of the skills that the lists come from."""

    @classmethod
    def of(cls, skills: Iterable[ConstrainingSkill]) -> Self:
        """Return the merged constraints of skills."""
        found = list(skills)
        return cls(
            _patterns(name for skill in found for name in skill.allowed_tools or ()),
            _patterns(name for skill in found for name in skill.disallowed_tools),
            tuple(skill.id for skill in found if skill.allowed_tools or skill.disallowed_tools),
        )

    def visible(self, tool: ToolTraits) -> Verdict:
        """Return whether some call of the tool can be allowed, so that a model should see it."""
        for pattern in self.disallowed:
            if pattern.argument is None and pattern.names(tool):
                return self._denied(tool, pattern)
        if self.allowed and not any(pattern.names(tool) for pattern in self.allowed):
            return self._outside(tool)
        return Verdict(tool=tool.name)

    def verdict(self, tool: ToolTraits, arguments: Mapping[str, Any]) -> Verdict:
        """Return whether this call is allowed."""
        # both must hold, so the order is free: a person may waive the allow list, never the deny list
        for pattern in self.disallowed:
            if pattern.forbids(tool, arguments):
                return self._denied(tool, pattern)
        if self.allowed and not any(pattern.permits(tool, arguments) for pattern in self.allowed):
            return self._outside(tool)
        return Verdict(tool=tool.name)

    def _outside(self, tool: ToolTraits) -> Verdict:
        listed = ", ".join(pattern.text for pattern in self.allowed)
        named = any(pattern.names(tool) for pattern in self.allowed)
        what = f"This call of {tool.name!r}" if named else f"The tool {tool.name!r}"
        message = f"{what} is not among the tools that {self._names} allows: {listed}."
        return Verdict(tool=tool.name, allowed=False, rule="not_allowed_by_skill", message=message)

    def _denied(self, tool: ToolTraits, pattern: ToolPattern) -> Verdict:
        message = f"{self._names} forbids {pattern.text!r}, which this call of {tool.name!r} may be."
        if pattern.argument is None:
            message = f"{self._names} forbids the tool {tool.name!r}."
        return Verdict(tool=tool.name, allowed=False, rule="disallowed_by_skill", message=message)

    @property
    def _names(self) -> str:
        return f"the skill {self.skills[0]}" if len(self.skills) == 1 else f"the skills {', '.join(self.skills)}"


def _patterns(names: Iterable[str]) -> tuple[ToolPattern, ...]:
    return tuple(ToolPattern.parse(name) for name in dict.fromkeys(name.strip() for name in names) if name)
