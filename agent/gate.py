"""The one place that decides about tools: what a model sees, and which of its calls run."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from skill_selector.agent.constraints import ENFORCEMENTS, Enforcement, ToolConstraints
from skill_selector.agent.policy import ToolPolicy
from skill_selector.agent.traits import Tool, ToolTraits, traits_of
from skill_selector.agent.verdict import Verdict
from skill_selector.graph.errors import SettingError

AnyTool = TypeVar("AnyTool", bound=Tool)


@dataclass(frozen=True, slots=True)
class Narrowed(Generic[AnyTool]):
    """The tools that are left, and why the others are not."""

    tools: list[AnyTool]
    hidden: list[Verdict] = field(default_factory=list)
    diagnostic: str | None = None
    """Set where the allow lists of skills name no tool that there is: nothing is left then, rather than everything."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolGate:
    """A user's policy and the active skills' constraints, together."""

    policy: ToolPolicy = field(default_factory=ToolPolicy)
    constraints: ToolConstraints = field(default_factory=ToolConstraints)
    enforcement: Enforcement = "enforce"
    own_tools: Collection[str] = ()
    """Names of the selector's own tools: only `disabled_tools` and `excluded_tools` can take them away."""
    always_include: Collection[str] = ()
    """Names that no skill can lock out; the policy still holds."""

    def __post_init__(self) -> None:
        if self.enforcement not in ENFORCEMENTS:
            raise SettingError(f"tool_constraints={self.enforcement!r}: must be one of {', '.join(ENFORCEMENTS)}")

    def narrow(self, tools: Sequence[AnyTool]) -> Narrowed[AnyTool]:
        """Return the tools that a model should see, in their order."""
        kept: list[AnyTool] = []
        hidden: list[Verdict] = []
        for tool in tools:
            verdict = self._visible(tool)
            if verdict.allowed:
                kept.append(tool)
            else:
                hidden.append(verdict)
        return Narrowed(kept, hidden, self._unmatched(tools))

    def check(self, tool: Tool, arguments: Mapping[str, Any]) -> Verdict:
        """Return whether this call may run."""
        traits = traits_of(tool)
        if (settled := self._settled(traits)) is not None:
            return settled
        verdict = self.constraints.verdict(traits, arguments)
        if self.enforcement == "approve" and verdict.rule == "not_allowed_by_skill":
            return replace(verdict, allowed=True, approval=True)
        return verdict

    def _visible(self, tool: Tool) -> Verdict:
        traits = traits_of(tool)
        if (settled := self._settled(traits)) is not None:
            return settled
        verdict = self.constraints.visible(traits)
        if self.enforcement == "approve" and verdict.rule == "not_allowed_by_skill":
            return Verdict(tool=traits.name)
        return verdict

    def _settled(self, tool: ToolTraits) -> Verdict | None:
        """What holds before any skill is asked, or None where the skills decide."""
        # a server could give a tool of its own the name of one of ours
        if tool.name in self.own_tools and tool.server is None:
            return self.policy.exclusion(tool)
        verdict = self.policy.verdict(tool)
        free = self.enforcement == "ignore" or tool.name in self.always_include
        return verdict if free or not verdict.allowed else None

    def _unmatched(self, tools: Iterable[Tool]) -> str | None:
        allowed = self.constraints.allowed
        if self.enforcement != "enforce" or not allowed:
            return None
        traits = [traits_of(tool) for tool in tools]
        if any(pattern.names(one) for one in traits for pattern in allowed):
            return None
        return (
            f"The tools that {', '.join(self.constraints.skills)} allows ({', '.join(one.text for one in allowed)}) "
            f"are none of those that this agent has ({', '.join(one.name for one in traits) or 'none'}), so it may use "
            "none; name the agent's tools in the skill, or set tool_constraints to 'approve' or 'ignore'."
        )
