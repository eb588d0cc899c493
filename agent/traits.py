"""What a rule about tools can see of a tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from langchain_core.tools import BaseTool

Tool: TypeAlias = BaseTool | dict[str, Any]
"""As agents hold them: a LangChain tool, or the definition of one that the model's provider runs itself."""

MCP_SEPARATOR = "__"
"""Between the parts of a name such as `mcp__github__create_issue`, which other clients give to tools of a server."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolTraits:
    """A tool's names, and what it states of itself in its `metadata`."""

    name: str
    category: str | None = None
    dangerous: bool = False
    admin_only: bool = False
    server: str | None = None
    """The MCP server that it comes from."""
    own_name: str | None = None
    """Its name on that server, where the agent's differs from it."""
    pattern_argument: str | None = None
    """The argument that a pattern such as `Bash(git:*)` looks at, where the usual ones would miss it."""
    metadata: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def identity(self) -> str:
        """`server:tool` for a tool of an MCP server, else its name."""
        return f"{self.server}:{self.own_name or self.name}" if self.server else self.name

    @property
    def names(self) -> frozenset[str]:
        """Every name that a rule may call it by.

        The bare name that a tool has on its server is none of them: any server can call a tool of its own `Read`.
        """
        if not self.server:
            return frozenset((self.name,))
        return frozenset(
            (self.name, self.identity, MCP_SEPARATOR.join(("mcp", self.server, self.own_name or self.name)))
        )


def traits_of(tool: Tool) -> ToolTraits:
    """Return the traits of a tool.

    `metadata` may hold `category`, `dangerous`, `admin_only`, `server`, `own_name` and `pattern_argument`, also spelled
    as in `adminOnly`. Anything but a plain no counts as yes for the two that forbid.
    """
    if isinstance(tool, dict):
        function = tool.get("function")
        named = function if isinstance(function, dict) else tool
        return ToolTraits(name=str(named.get("name") or tool.get("type") or ""))
    stated = {_snake(key): value for key, value in (tool.metadata or {}).items() if isinstance(key, str)}
    return ToolTraits(
        name=tool.name,
        category=_text(stated.get("category")),
        dangerous=_forbids(stated.get("dangerous")),
        admin_only=_forbids(stated.get("admin_only")),
        server=_text(stated.get("server")),
        own_name=_text(stated.get("own_name")),
        pattern_argument=_text(stated.get("pattern_argument")),
        metadata=MappingProxyType(dict(tool.metadata or {})),
    )


def _snake(key: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in key).replace("-", "_").lstrip("_")


def _text(value: object) -> str | None:
    return str(value).strip() or None if value is not None else None


def _forbids(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in ("", "false", "no", "off", "0", "否")
    return bool(value)
