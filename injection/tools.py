"""`load_skill` and `read_skill_file`: LangChain tools with which a model opens skills on demand.

What cannot be handed out is answered with a message of status "error", never with an exception. The artifact of each
answer is `Loaded.to_dict()`, so that a host knows which skills a model has opened.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field, ValidationError, WithJsonSchema, create_model

from skill_selector.graph.errors import SkillAccessError
from skill_selector.injection.loaded import Loaded
from skill_selector.injection.loader import SkillLoader
from skill_selector.prompts.fencing import one_line

MOST_ENUMERATED = 200
"""Skills whose ids the schema lists; more would fill every prompt, and the catalogue lists them already."""
MOST_ENUM_CHARACTERS = 8_000

LoaderSource: TypeAlias = SkillLoader | Callable[[], SkillLoader]

_logger = logging.getLogger(__name__)

_LOAD = (
    "Open a skill: returns its instructions and the list of its files. Do this before the task when a skill of "
    "<available_skills> fits it, then follow the instructions."
)
_READ = (
    "Read one text file of a skill, named by its instructions or by <skill_resources>. Only files in the skill's own "
    "folder can be read."
)
_ID = "The skill's id in the catalogue, exactly as it stands there"
_PATH = "The file's path relative to the skill's folder, such as references/format.md"
_OFFSET = "Character to begin at; 0, or what a <truncated> note names"


def skill_tools(source: LoaderSource) -> list[BaseTool]:
    """Return `load_skill` and `read_skill_file` over a loader's skills; no tools where there are no skills.

    Args:
        source: a loader made with `reads_on=True`; or a function that returns the one that counts at the time of a
            call, for hosts whose skills change while the tools stay. The ids in the schema are those of now.
    """
    current = source if callable(source) else lambda: source
    ids = list(dict.fromkeys(map(one_line, current().ids)))
    return [_load_tool(current, ids), _read_tool(current, ids)] if ids else []


def _load_tool(current: Callable[[], SkillLoader], ids: list[str]) -> BaseTool:
    def load(id: str, offset: int = 0) -> tuple[str, dict[str, Any]]:
        return _answer(lambda: current().load(id, offset), "load_skill")

    async def aload(id: str, offset: int = 0) -> tuple[str, dict[str, Any]]:
        return await _aanswer(lambda: current().load(id, offset), "load_skill")

    schema = create_model("load_skill", id=_id_field(ids), offset=(int, Field(0, description=_OFFSET, ge=0)))
    return _tool("load_skill", _LOAD, schema, load, aload)


def _read_tool(current: Callable[[], SkillLoader], ids: list[str]) -> BaseTool:
    def read(id: str, path: str, offset: int = 0) -> tuple[str, dict[str, Any]]:
        return _answer(lambda: current().read_file(id, path, offset), "read_skill_file")

    async def aread(id: str, path: str, offset: int = 0) -> tuple[str, dict[str, Any]]:
        return await _aanswer(lambda: current().read_file(id, path, offset), "read_skill_file")

    schema = create_model(
        "read_skill_file",
        id=_id_field(ids),
        path=(str, Field(description=_PATH)),
        offset=(int, Field(0, description=_OFFSET, ge=0)),
    )
    return _tool("read_skill_file", _READ, schema, read, aread)


def _id_field(ids: list[str]) -> Any:
    """Return the field of an id: the schema lists the real ones, and the loader answers all others with near ones."""
    listed = len(ids) <= MOST_ENUMERATED and sum(map(len, ids)) <= MOST_ENUM_CHARACTERS
    # As metadata: LangChain copies the fields of a schema, and drops what `Field` says beside the description.
    kind = Annotated[str, WithJsonSchema({"type": "string", "enum": ids})] if listed else str
    return kind, Field(description=_ID)


def _tool(name: str, description: str, schema: type[BaseModel], call: Callable[..., Any], acall: Any) -> BaseTool:
    return StructuredTool(
        name=name,
        description=description,
        args_schema=schema,
        func=call,
        coroutine=acall,
        response_format="content_and_artifact",
        handle_tool_error=True,
        handle_validation_error=_explain,
        metadata={"category": "skills", "dangerous": False, "admin_only": False},
    )


def _answer(make: Callable[[], Loaded], tool: str) -> tuple[str, dict[str, Any]]:
    try:
        loaded = make()
    except (SkillAccessError, OSError) as error:
        _logger.warning("%s refused: %s", tool, error)
        raise ToolException(f"error: {error}") from None
    return loaded.text, loaded.to_dict()


async def _aanswer(make: Callable[[], Loaded], tool: str) -> tuple[str, dict[str, Any]]:
    return await asyncio.to_thread(_answer, make, tool)


def _explain(error: Any) -> str:
    if not isinstance(error, ValidationError):
        return "error: the arguments cannot be used"
    faults = [f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in error.errors()]
    return f"error: {'; '.join(faults)}"
