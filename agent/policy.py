"""Which tools a user may use at all, whatever skill is active (source 004)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from skill_selector.agent.caller import Caller
from skill_selector.agent.pattern import ToolPattern, fold
from skill_selector.agent.traits import ToolTraits
from skill_selector.agent.verdict import Rule, Verdict
from skill_selector.graph.errors import SettingError

_SWITCHES = ("allow_dangerous", "is_admin")
_SPELLINGS = {
    "enabledcategories": "enabled_categories",
    "disabledtools": "disabled_tools",
    "allowedtools": "allowed_tools",
    "excludedtools": "excluded_tools",
    "allowdangerous": "allow_dangerous",
    "isadmin": "is_admin",
}
_GROUPS = ("builtintools", "tools")


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolPolicy:
    """What holds for a user. Lists hold names, identities (`server:tool`) and patterns with `*`.

    As it stands it allows every tool that states neither `dangerous` nor `admin_only`.
    """

    enabled_categories: tuple[str, ...] | None = None
    """Where set, tools of these categories only. A tool of an MCP server that states no category is not touched."""
    disabled_tools: tuple[str, ...] = ()
    allowed_tools: tuple[str, ...] | None = None
    """The preset's; None and an empty list allow all."""
    excluded_tools: tuple[str, ...] = ()
    """The preset's."""
    allow_dangerous: bool = False
    is_admin: bool = False

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in _SWITCHES:
                if not isinstance(value, bool):
                    raise SettingError(f"{one.name}={value!r}: must be true or false")
            elif value is not None:
                object.__setattr__(self, one.name, _names(one.name, value))

    @classmethod
    def from_config(cls, *configs: Mapping[str, Any]) -> Self:
        """Return the policy of configuration files, later ones before earlier ones.

        Each is a mapping as source 004 has it, such as `{"builtinTools": {"enabledCategories": ["basic"]}}` for the
        configuration and `{"tools": {"allowedTools": […]}}` for a preset; names may be written `enabled_categories`.

        Raises:
            SettingError: an unknown name, or a value of another kind.
        """
        values: dict[str, Any] = {}
        for config in configs:
            for key, value in config.items():
                if _bare(key) in _GROUPS and isinstance(value, Mapping):
                    values |= {_known(inner): found for inner, found in value.items()}
                else:
                    values[_known(key)] = value
        return cls(**values)

    def of(self, caller: Caller) -> "ToolPolicy":
        """Return the policy for a caller, who may be an administrator."""
        return replace(self, is_admin=self.is_admin or caller.is_admin)

    def verdict(self, tool: ToolTraits) -> Verdict:
        """Return whether the tool may be seen and called."""
        unlisted = bool(self.allowed_tools) and not _listed(self.allowed_tools or (), tool)
        checks: tuple[tuple[bool, Rule, str], ...] = (
            (self._wrong_category(tool), "category", f"its category, {tool.category}, is not in `enabled_categories`"),
            (unlisted, "not_in_preset", "the preset's `allowed_tools` do not name it"),
            (tool.dangerous and not self.allow_dangerous, "dangerous", "it is dangerous; `allow_dangerous` permits it"),
            (tool.admin_only and not self.is_admin, "admin_only", "it needs an administrator"),
        )
        return _first(tool, checks) or self.exclusion(tool)

    def exclusion(self, tool: ToolTraits) -> Verdict:
        """Return what the two lists that take single tools away say."""
        checks: tuple[tuple[bool, Rule, str], ...] = (
            (_listed(self.disabled_tools, tool), "disabled", "`disabled_tools` names it"),
            (_listed(self.excluded_tools, tool), "excluded_by_preset", "the preset's `excluded_tools` name it"),
        )
        return _first(tool, checks) or Verdict(tool=tool.name)

    def _wrong_category(self, tool: ToolTraits) -> bool:
        if self.enabled_categories is None or (tool.server and tool.category is None):
            return False
        return tool.category is None or fold(tool.category) not in map(fold, self.enabled_categories)


def _first(tool: ToolTraits, checks: Iterable[tuple[bool, Rule, str]]) -> Verdict | None:
    for broken, rule, why in checks:
        if broken:
            message = f"The tool {tool.name!r} may not be used: {why}."
            return Verdict(tool=tool.name, allowed=False, rule=rule, message=message)
    return None


def _listed(names: Sequence[str], tool: ToolTraits) -> bool:
    return any(ToolPattern.parse(name).names(tool) for name in names)


def _names(setting: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
        raise SettingError(f"{setting}={value!r}: must be a list of names")
    return tuple(value)


def _bare(key: object) -> str:
    return str(key).replace("_", "").replace("-", "").lower()


def _known(key: object) -> str:
    name = _SPELLINGS.get(_bare(key))
    if name is None:
        raise SettingError(f"the tool policy has no {key!r}; it has {', '.join(_SPELLINGS.values())}")
    return name
