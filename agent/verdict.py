"""Whether a tool, or a call of it, is allowed, and by which rule."""

from dataclasses import dataclass
from typing import Any, Literal

Rule = Literal[
    "allowed",
    "category",  # its category is not enabled
    "disabled",  # switched off in the configuration
    "not_in_preset",
    "excluded_by_preset",
    "dangerous",
    "admin_only",
    "not_allowed_by_skill",
    "disallowed_by_skill",
    "refused_by_human",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """One decision."""

    tool: str
    allowed: bool = True
    rule: Rule = "allowed"
    message: str = ""
    """Why not, and the way out; empty where it is allowed."""
    approval: bool = False
    """It is allowed once a person has agreed."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"tool": self.tool, "allowed": self.allowed, "rule": self.rule, "message": self.message}
