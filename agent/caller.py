"""Who calls, and what of that fills arguments that a model left out (source 004)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from skill_selector.graph.errors import SettingError

ADMINS = frozenset({"admin", "administrator", "owner", "master", "管理员", "群主", "主人"})
DEFAULT_FILL: Mapping[str, str] = MappingProxyType({"user_id": "user_id", "group_id": "group_id"})
"""Argument → name in the caller's values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """A user, where they are, and what they may do."""

    user_id: str | None = None
    group_id: str | None = None
    user_permission: str = "user"
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """More that may fill arguments, by name."""
    secrets: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """The same, for arguments that no model and no log may see."""

    @property
    def is_admin(self) -> bool:
        """Whether administrators' tools are open to them."""
        return self.user_permission.strip().lower() in ADMINS

    @classmethod
    def from_event(cls, event: object, **given: Any) -> "Caller":
        """Return the caller of a message event: a mapping or an object with `user_id`, `group_id`, `sender.role`, ….

        What is given by name comes before what the event says. Every plain value of the event may fill arguments.

        Raises:
            SettingError: the event is neither.
        """
        values = _plain(event)
        sender = values.get("sender") or {}
        role = _plain(sender).get("role") if not isinstance(sender, str) else None
        master = any(values.get(name) is True for name in ("is_master", "isMaster", "is_admin", "isAdmin"))
        found = {
            "user_id": _id(values, "user_id", "userId"),
            "group_id": _id(values, "group_id", "groupId"),
            "user_permission": "admin" if master else role or values.get("user_permission") or "user",
        }
        shown = {key: value for key, value in values.items() if isinstance(value, str | int | float | bool)}
        return cls(**{**found, "values": MappingProxyType(shown), **{k: v for k, v in given.items() if v is not None}})

    def known(self) -> dict[str, Any]:
        """Return everything that may fill an argument and is no secret."""
        own = {"user_id": self.user_id, "group_id": self.group_id, "user_permission": self.user_permission}
        return {**self.values, **{name: value for name, value in own.items() if value is not None}}


def _plain(event: object) -> Mapping[str, Any]:
    if isinstance(event, Mapping):
        return event
    if hasattr(event, "__dict__"):
        return vars(event)
    raise SettingError(f"event={event!r}: must be a mapping or an object with attributes such as user_id")


def _id(values: Mapping[str, Any], *names: str) -> str | None:
    found = next((values[name] for name in names if values.get(name) is not None), None)
    return None if found is None else str(found)
