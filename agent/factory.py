"""The toolkit of a caller, from the event or the user that there is (source 004)."""

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from langchain_core.tools import BaseTool

from skill_selector.agent.caller import Caller
from skill_selector.agent.policy import ToolPolicy
from skill_selector.agent.toolkit import SkillToolkit
from skill_selector.graph.errors import SettingError

Presets = str | os.PathLike[str] | Mapping[str, Mapping[str, Any]]
"""A folder of `<preset>.yaml` files, or what such files hold, by the preset's name."""
_SUFFIXES = (".yaml", ".yml", ".json")


def create_skills_agent(
    tools: Iterable[BaseTool] = (),
    *,
    event: object = None,
    user_id: str | None = None,
    group_id: str | None = None,
    user_permission: str | None = None,
    preset_id: str | None = None,
    presets: Presets | None = None,
    config: Mapping[str, Any] | None = None,
    allow_dangerous: bool = False,
    values: Mapping[str, Any] | None = None,
    secrets: Mapping[str, str] | None = None,
    **options: Any,
) -> SkillToolkit:
    """Return the toolkit of a caller, the tools of its MCP servers loaded. Blocks.

    Args:
        tools: the built-in ones.
        event: a message event, a mapping or an object, which says who calls; what is given by name comes before it.
        user_id: who calls.
        group_id: where.
        user_permission: "user" or "admin".
        preset_id: the preset whose `tools` narrow what may be used.
        presets: where presets are.
        config: the configuration, such as `{"builtinTools": {"enabledCategories": ["basic"]}}`.
        allow_dangerous: whether tools that state `dangerous` may be used.
        values: more that may fill arguments, by name.
        secrets: the same, for arguments that no model and no log may see.
        **options: those of `SkillToolkit`.

    Raises:
        SettingError: the event, the preset or the configuration cannot be used.
    """
    given: dict[str, Any] = {
        "user_id": user_id,
        "group_id": group_id,
        "user_permission": user_permission,
        "values": values,
        "secrets": secrets,
    }
    named = {name: value for name, value in given.items() if value is not None}
    caller = Caller(**named) if event is None else Caller.from_event(event, **named)
    rules = [dict(config or {}), _preset(preset_id, presets), {"allow_dangerous": True} if allow_dangerous else {}]
    return SkillToolkit(tools, caller=caller, policy=ToolPolicy.from_config(*rules), **options).init()


async def acreate_skills_agent(tools: Iterable[BaseTool] = (), **arguments: Any) -> SkillToolkit:
    """Return the toolkit of a caller without blocking the event loop; see `create_skills_agent`."""
    return await asyncio.to_thread(lambda: create_skills_agent(tools, **arguments))


def _preset(name: str | None, presets: Presets | None) -> dict[str, Any]:
    if name is None:
        return {}
    if presets is None:
        raise SettingError(f"preset_id={name!r} needs `presets`: a folder of preset files, or a mapping of presets")
    if isinstance(presets, Mapping):
        return _rules(name, presets.get(name), ", ".join(map(str, presets)))
    folder = Path(presets)
    files = {file.stem: file for file in sorted(folder.glob("*")) if file.suffix in _SUFFIXES}
    if name not in files:
        return _rules(name, None, ", ".join(files) or f"none in {folder}")
    try:
        found = yaml.safe_load(files[name].read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SettingError(f"the preset {files[name]} cannot be read: {error}") from error
    return _rules(name, found, "")


def _rules(name: str, preset: object, known: str) -> dict[str, Any]:
    """The part of a preset that is about tools; what else it holds is not ours."""
    if preset is None and known:
        raise SettingError(f"there is no preset {name!r}; there is {known}")
    tools = preset.get("tools", {}) if isinstance(preset, Mapping) else None
    if not isinstance(tools, Mapping):
        raise SettingError(f"the preset {name!r} must hold `tools` with allowedTools and excludedTools")
    return {"tools": dict(tools)}
