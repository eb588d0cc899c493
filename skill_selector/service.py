"""The selector as an MCP server, so that any MCP client can choose skills."""

import asyncio
from typing import TYPE_CHECKING, Any

from skill_selector.api import Directories, aselect_skill
from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.roots import list_paths
from skill_selector.graph.errors import SettingError
from skill_selector.graph.settings import resolve_settings
from skill_selector.injection.loader import SkillLoader
from skill_selector.nodes.parts import Parts
from skill_selector.prompts.fencing import one_line
from skill_selector.retrieval import skill_retriever

if TYPE_CHECKING:
    from mcp.server.fastmcp import FastMCP

MOST_LISTED = 200
"""Skills of one answer of `list_skills`."""
MOST_FOUND = 50
"""Skills of one answer of `search_skills`: the most that a retriever ranks."""
INSTRUCTIONS = (
    "Skills are instructions for tasks of a kind. Call select_skill with what the user wants done; where it hits, call "
    "load_skill with the id and follow what it returns. Where nothing fits, go on without a skill."
)


def build_service(
    directories: Directories, *, offline: bool = False, host: str = "127.0.0.1", port: int = 8765, **options: Any
) -> "FastMCP":
    """Return the server, with `select_skill`, `search_skills`, `load_skill` and `list_skills`.

    Args:
        directories: a folder of skills, or several, lowest precedence first.
        offline: reason locally, without key and network.
        host: where it listens, over HTTP.
        port: the same.
        **options: settings of each selection, by the names of `SelectorContext`.

    Raises:
        SkillSelectorError: a folder or a setting cannot be used.
    """
    from mcp.server.fastmcp import FastMCP  # noqa: PLC0415 - an extra
    from mcp.server.fastmcp.exceptions import ToolError  # noqa: PLC0415 - the same

    roots = list_paths(directories)
    parts, settings = Parts(), resolve_settings()
    retriever = skill_retriever(roots, **{**options, "top_k": MOST_FOUND})
    server = FastMCP("skill-selector", instructions=INSTRUCTIONS, host=host, port=port, log_level="WARNING")

    def catalog() -> Catalog:
        return parts.libraries.load(roots, cache_dir=settings.cache_dir).catalog

    catalog()  # a folder that cannot be used shows at once

    @server.tool()
    async def select_skill(task: str) -> dict[str, Any]:
        """Choose the skill that fits a task given in words, or say that none does or that several do, and why."""
        found = (await aselect_skill(task, roots, offline=offline, **options)).to_dict()
        return {name: value for name, value in found.items() if name not in ("trace", "catalog", "analysis")}

    @server.tool()
    async def search_skills(query: str, limit: int = 10) -> dict[str, Any]:
        """Find skills by words, best first, without deciding whether any fits."""
        found = await retriever.ainvoke(query)
        skills = [
            {"id": one.metadata["id"], "name": one.metadata["name"], "description": one.page_content.partition(": ")[2]}
            for one in found[: _count(limit, MOST_FOUND, ToolError)]
        ]
        return {"skills": skills}

    @server.tool()
    async def load_skill(id: str, offset: int = 0) -> str:
        """Return a skill's instructions and the list of its files; `id` is one that another tool returned."""
        loader = SkillLoader(await asyncio.to_thread(catalog), max_tokens=settings.skill_max_tokens, reads_on=True)
        return (await loader.aload(id, offset)).text

    @server.tool()
    async def list_skills(offset: int = 0, limit: int = 50) -> dict[str, Any]:
        """List skills by id, name and description, with how many there are in all."""
        skills = [one for one in (await asyncio.to_thread(catalog)).skills if not one.manual_only]
        if offset < 0:
            raise ToolError(f"offset is {offset}; it must be 0 or more")
        page = skills[offset : offset + _count(limit, MOST_LISTED, ToolError)]
        listed = [{"id": one.id, "name": one_line(one.name), "description": one_line(one.description)} for one in page]
        return {"skills": listed, "total": len(skills), "next_offset": _next(offset, len(page), len(skills))}

    return server


def _count(limit: int, most: int, kind: type[Exception]) -> int:
    if not 1 <= limit <= most:
        raise kind(f"limit is {limit}; it must be from 1 to {most}")
    return limit


def _next(offset: int, shown: int, total: int) -> int | None:
    return offset + shown if shown and offset + shown < total else None


def serve(server: "FastMCP", *, http: bool) -> None:
    """Serve until the client goes, over standard streams, or until stopped, over HTTP at /mcp."""
    try:
        server.run("streamable-http" if http else "stdio")
    except OSError as error:
        raise SettingError(
            f"{server.settings.host}:{server.settings.port} cannot be listened on: {error}; name another --port"
        ) from error
