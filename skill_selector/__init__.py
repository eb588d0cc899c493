"""Choose the agent skill that fits a task, or say that none does or that several do, and why.

The names below load what they need when they are first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skill_selector.agent.factory import acreate_skills_agent, create_skills_agent
    from skill_selector.agent.middleware import SkillsMiddleware
    from skill_selector.agent.toolkit import SkillToolkit
    from skill_selector.api import aselect_skill, select_skill
    from skill_selector.catalog.scanner import scan
    from skill_selector.compiler.result import CompiledContext
    from skill_selector.compiling import acompile_context, compile_context
    from skill_selector.evaluation.ablation import aablate, ablate
    from skill_selector.evaluation.calibrator import calibrate
    from skill_selector.graph.context import SelectorContext
    from skill_selector.graph.context_compiler import build_context_compiler
    from skill_selector.graph.errors import SkillSelectorError
    from skill_selector.graph.selector import build_selector
    from skill_selector.indexing import index_skills
    from skill_selector.injecting import askill_catalog, askill_tools, skill_catalog, skill_tools
    from skill_selector.opinions import arecord_feedback, list_feedback, record_feedback
    from skill_selector.outcomes import arecord_chunk, arecord_outcome, record_chunk, record_outcome
    from skill_selector.retrieval import skill_retriever
    from skill_selector.selection import SkillSelection

_HOMES = {
    "create_skills_agent": "skill_selector.agent.factory",
    "acreate_skills_agent": "skill_selector.agent.factory",
    "SkillsMiddleware": "skill_selector.agent.middleware",
    "SkillToolkit": "skill_selector.agent.toolkit",
    "SelectorContext": "skill_selector.graph.context",
    "SkillSelection": "skill_selector.selection",
    "SkillSelectorError": "skill_selector.graph.errors",
    "arecord_feedback": "skill_selector.opinions",
    "aselect_skill": "skill_selector.api",
    "askill_catalog": "skill_selector.injecting",
    "askill_tools": "skill_selector.injecting",
    "build_selector": "skill_selector.graph.selector",
    "calibrate": "skill_selector.evaluation.calibrator",
    "index_skills": "skill_selector.indexing",
    "list_feedback": "skill_selector.opinions",
    "record_feedback": "skill_selector.opinions",
    "CompiledContext": "skill_selector.compiler.result",
    "acompile_context": "skill_selector.compiling",
    "build_context_compiler": "skill_selector.graph.context_compiler",
    "compile_context": "skill_selector.compiling",
    "arecord_chunk": "skill_selector.outcomes",
    "arecord_outcome": "skill_selector.outcomes",
    "record_chunk": "skill_selector.outcomes",
    "record_outcome": "skill_selector.outcomes",
    "ablate": "skill_selector.evaluation.ablation",
    "aablate": "skill_selector.evaluation.ablation",
    "scan": "skill_selector.catalog.scanner",
    "select_skill": "skill_selector.api",
    "skill_catalog": "skill_selector.injecting",
    "skill_tools": "skill_selector.injecting",
    "skill_retriever": "skill_selector.retrieval",
}

__all__ = [
    "CompiledContext",
    "SelectorContext",
    "SkillSelection",
    "SkillSelectorError",
    "SkillToolkit",
    "SkillsMiddleware",
    "aablate",
    "ablate",
    "acompile_context",
    "acreate_skills_agent",
    "arecord_chunk",
    "arecord_feedback",
    "arecord_outcome",
    "aselect_skill",
    "askill_catalog",
    "askill_tools",
    "build_context_compiler",
    "build_selector",
    "calibrate",
    "compile_context",
    "create_skills_agent",
    "index_skills",
    "list_feedback",
    "record_chunk",
    "record_feedback",
    "record_outcome",
    "scan",
    "select_skill",
    "skill_catalog",
    "skill_retriever",
    "skill_tools",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
