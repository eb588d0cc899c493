"""Arguments filled from the caller: what a tool declares, what a model is shown, what a call gets (source 004)."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from skill_selector.agent.caller import DEFAULT_FILL, Caller
from skill_selector.graph.errors import SettingError


def fill_of(tool: BaseTool, fill: Mapping[str, str] = DEFAULT_FILL) -> dict[str, str]:
    """Return which argument of the tool is filled from which name: its own `metadata["fill"]` before the general one.

    Raises:
        SettingError: the tool's `fill` is no map of names.
    """
    stated = (tool.metadata or {}).get("fill", {})
    if not isinstance(stated, Mapping) or not all(isinstance(one, str) for one in (*stated, *stated.values())):
        raise SettingError(f"the tool {tool.name!r} states fill={stated!r}: it must map arguments to names")
    arguments = _properties(tool)
    return {name: source for name, source in {**fill, **stated}.items() if name in arguments}


def definition_of(tool: BaseTool, caller: Caller, fill: Mapping[str, str] = DEFAULT_FILL) -> dict[str, Any]:
    """Return the tool in the OpenAI format, as this caller's model may see it.

    Arguments that can be filled are no longer required; those filled with a secret are not shown at all.
    """
    shown = deepcopy(convert_to_openai_tool(tool))
    parameters = shown["function"].get("parameters") or {}
    filled, known = fill_of(tool, fill), caller.known()
    secret = {name for name, source in filled.items() if source in caller.secrets}
    optional = secret | {name for name, source in filled.items() if source in known}
    if "properties" in parameters:
        parameters["properties"] = {name: one for name, one in parameters["properties"].items() if name not in secret}
    if "required" in parameters:
        parameters["required"] = [name for name in parameters["required"] if name not in optional]
    return shown


def filled_arguments(
    tool: BaseTool, arguments: Mapping[str, Any], caller: Caller, fill: Mapping[str, str] = DEFAULT_FILL
) -> dict[str, Any]:
    """Return the arguments with the missing ones filled; what was given stays, but where a secret goes."""
    known = caller.known()
    found = dict(arguments)
    for name, source in fill_of(tool, fill).items():
        if source in caller.secrets:
            found[name] = caller.secrets[source]
        elif name not in found and source in known:
            found[name] = known[source]
    return found


def _properties(tool: BaseTool) -> set[str]:
    parameters = convert_to_openai_tool(tool)["function"].get("parameters") or {}
    return set(parameters.get("properties") or {})
