"""Choose the agent skill that fits a task, or say that none does or that several do, and why.

The names below load what they need when they are first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skill_selector.api import aselect_skill, select_skill
    from skill_selector.catalog.scanner import scan
    from skill_selector.compiler.result import CompiledContext
    from skill_selector.compiling import acompile_context, compile_context
    from skill_selector.graph.context import SelectorContext
    from skill_selector.graph.context_compiler import build_context_compiler
    from skill_selector.graph.errors import SkillSelectorError
    from skill_selector.graph.selector import build_selector
    from skill_selector.selection import SkillSelection

_HOMES = {
    "CompiledContext": "skill_selector.compiler.result",
    "SelectorContext": "skill_selector.graph.context",
    "SkillSelection": "skill_selector.selection",
    "SkillSelectorError": "skill_selector.graph.errors",
    "acompile_context": "skill_selector.compiling",
    "aselect_skill": "skill_selector.api",
    "build_context_compiler": "skill_selector.graph.context_compiler",
    "build_selector": "skill_selector.graph.selector",
    "compile_context": "skill_selector.compiling",
    "scan": "skill_selector.catalog.scanner",
    "select_skill": "skill_selector.api",
}

__all__ = [
    "CompiledContext",
    "SelectorContext",
    "SkillSelection",
    "SkillSelectorError",
    "acompile_context",
    "aselect_skill",
    "build_context_compiler",
    "build_selector",
    "compile_context",
    "scan",
    "select_skill",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
