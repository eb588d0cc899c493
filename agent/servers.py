"""MCP servers whose tools an agent gets, through langchain-mcp-adapters."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from langchain_core.tools import BaseTool

from skill_selector.graph.errors import SettingError

Returned = TypeVar("Returned")

TIMEOUT = 30.0
"""Seconds that a server may take to list its tools."""
NAME_LIMIT = 64
"""Characters of a tool's name: models' endpoints take no more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class McpServer:
    """A server and what is known of it."""

    name: str
    connection: Mapping[str, Any] = field(repr=False)
    """As langchain-mcp-adapters takes it, such as `{"transport": "stdio", "command": "npx", "args": […]}`."""
    tools: tuple[BaseTool, ...] = field(default=(), repr=False)
    error: str | None = None
    """Why it has no tools."""
    left_out: tuple[str, ...] = ()
    """Tools that cannot be used, with the reason of each."""


class McpServers:
    """A set of servers. One that fails, or lies about its tools, costs its own tools only; `servers` says why.

    A tool is called `server_tool`, so that no server can take another tool's name; rules may call it `server:tool`.
    """

    def __init__(self, connections: Mapping[str, Mapping[str, Any]] | None = None, *, timeout: float = TIMEOUT) -> None:
        self._timeout = timeout
        self._lock = threading.Lock()
        self._servers = {name: McpServer(name=name, connection=one) for name, one in (connections or {}).items()}

    @property
    def servers(self) -> list[McpServer]:
        """All servers, as they were last loaded."""
        with self._lock:
            return list(self._servers.values())

    @property
    def tools(self) -> list[BaseTool]:
        """The tools of all servers."""
        return [tool for server in self.servers for tool in server.tools]

    def connect(self, name: str, connection: Mapping[str, Any]) -> McpServer:
        """Add or replace a server and load its tools; see `aconnect`. Blocks."""
        return _wait(lambda: self.aconnect(name, connection))

    async def aconnect(self, name: str, connection: Mapping[str, Any]) -> McpServer:
        """Add or replace a server and load its tools.

        Raises:
            SettingError: the connection cannot be used as it is written.
        """
        if not isinstance(connection, Mapping) or "transport" not in connection:
            raise SettingError(
                f"the MCP server {name!r} has no `transport`: write stdio with a command, or http with a url"
            )
        return self._keep(await self._loaded(McpServer(name=name, connection=connection)))

    def load(self) -> list[McpServer]:
        """Load the tools of every server that has none yet."""
        return _wait(self.aload)

    async def aload(self) -> list[McpServer]:
        """Load the tools of every server that has none yet, side by side."""
        await self._load([one for one in self.servers if not one.tools])
        return self.servers

    def reload(self) -> list[McpServer]:
        """Load the tools of every server again."""
        return _wait(self.areload)

    async def areload(self) -> list[McpServer]:
        """Load the tools of every server again, side by side."""
        await self._load(self.servers)
        return self.servers

    def drop(self, name: str) -> None:
        """Forget a server.

        Raises:
            SettingError: there is none of this name.
        """
        with self._lock:
            if self._servers.pop(name, None) is None:
                raise SettingError(f"there is no MCP server {name!r}; there is {', '.join(self._servers) or 'none'}")

    async def _load(self, servers: list[McpServer]) -> None:
        for server in await asyncio.gather(*(self._loaded(one) for one in servers)):
            self._keep(server)

    def _keep(self, server: McpServer) -> McpServer:
        with self._lock:
            self._servers[server.name] = server
        return server

    async def _loaded(self, server: McpServer) -> McpServer:
        from langchain_mcp_adapters.client import MultiServerMCPClient  # noqa: PLC0415 - heavy, and an extra

        unread = McpServer(name=server.name, connection=server.connection)
        connections: Any = {server.name: dict(server.connection)}
        try:
            async with asyncio.timeout(self._timeout):
                found = await MultiServerMCPClient(connections, tool_name_prefix=True).get_tools()
        except TimeoutError:
            return _with(unread, error=f"did not list its tools within {self._timeout:g} seconds")
        except Exception as error:
            return _with(unread, error=_cause(error))
        tools: list[BaseTool] = []
        left_out: list[str] = []
        for tool in found:
            fault = _fault(tool, {one.name for one in tools})
            if fault:
                left_out.append(f"{tool.name[:NAME_LIMIT]}: {fault}")
            else:
                own = tool.name.removeprefix(f"{server.name}_")
                # what the server says of itself must not count as a rule of ours
                tool.metadata = {"server": server.name, "own_name": own, "annotations": dict(tool.metadata or {})}
                tools.append(tool)
        return _with(unread, tools=tuple(tools), left_out=tuple(left_out))


def _with(server: McpServer, **changes: Any) -> McpServer:
    return McpServer(name=server.name, connection=server.connection, **changes)


def _fault(tool: BaseTool, names: set[str]) -> str | None:
    if tool.name in names:
        return "a second tool of this name"
    if len(tool.name) > NAME_LIMIT or not tool.name.replace("_", "").replace("-", "").isalnum():
        return f"its name is no word of at most {NAME_LIMIT} letters, digits, - and _"
    try:
        _ = tool.args
    except Exception as error:
        return f"its arguments cannot be read ({error})"
    return None


def _cause(error: BaseException) -> str:
    """The first real fault inside the groups that asynchronous clients raise."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _wait(make: Callable[[], Coroutine[Any, Any, Returned]]) -> Returned:
    """Run a coroutine to its end, in a thread of its own where this one's event loop is running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(make())).result()
