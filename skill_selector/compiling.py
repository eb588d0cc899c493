"""The calls that compile context: a skill, its parameters and a knowledge folder in, a prompt with its manifest out."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from langchain_core.embeddings import Embeddings

from skill_selector.api import Directories
from skill_selector.catalog.roots import list_paths
from skill_selector.compiler.fusion import ChunkWeights
from skill_selector.compiler.result import CompiledContext
from skill_selector.compiler.routes import Route
from skill_selector.compiler.scorer import AnyScorer
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.context_compiler import CompilerGraph, build_context_compiler, context_compiler
from skill_selector.retrievers.library import Progress
from skill_selector.selection import SkillSelection

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

_KEYS = ("outcome", "best", "ranked", "catalog")
"""What the compiler takes of a selection."""


def compile_context(
    skill: str | SkillSelection,
    parameters: Mapping[str, Any] | None = None,
    *,
    knowledge: str | os.PathLike[str],
    skills: Directories | None = None,
    task: str = "",
    strategies: Mapping[str, Any] | None = None,
    routes: Mapping[str, Route] | None = None,
    scorer: AnyScorer | None = None,
    chunk_weights: ChunkWeights | None = None,
    feedback: "FeedbackStore | BaseStore | None" = None,
    embeddings: Embeddings | str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> CompiledContext:
    """Return the context that lets a model carry a skill out. Works inside a running event loop, which it blocks.

    Args:
        skill: id of a definition or of a skill of the catalogue, or a selection, whose other candidates may then help.
        parameters: for the skill; they must fit its input schema.
        knowledge: the knowledge folder.
        skills: the folder of skills, or several; a selection brings its own.
        task: what somebody wants done, in words.
        strategies: see `build_context_compiler`, as for the next three.
        routes: routes of your own.
        scorer: reranks the chunks.
        chunk_weights: what was learnt from outcomes, in place of what the recorded ones say.
        feedback: where outcomes are recorded, as for `record_outcome`.
        embeddings: LangChain embeddings of your own, or the name of some: "bundled", "none", "openai:MODEL".
        progress: called with the step and how much is done, while folders are read and indexed.
        **options: settings of this run, by the names of `SelectorContext`: `context_budget`, `route_timeout`,
            `preference` …

    Raises:
        SkillSelectorError: an id, a parameter, a folder or a setting cannot be used; the message says what to do.
    """
    graph = _graph(strategies, routes, scorer, chunk_weights, feedback=feedback, embeddings=embeddings)
    given, arguments = _input(skill, parameters, knowledge, skills, task), _arguments(embeddings, options)
    state: dict[str, Any] = {}
    for mode, chunk in graph.stream(given, **arguments):
        state = _take(mode, chunk, state, progress)
    return _result(state)


async def acompile_context(
    skill: str | SkillSelection,
    parameters: Mapping[str, Any] | None = None,
    *,
    knowledge: str | os.PathLike[str],
    skills: Directories | None = None,
    task: str = "",
    strategies: Mapping[str, Any] | None = None,
    routes: Mapping[str, Route] | None = None,
    scorer: AnyScorer | None = None,
    chunk_weights: ChunkWeights | None = None,
    feedback: "FeedbackStore | BaseStore | None" = None,
    embeddings: Embeddings | str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> CompiledContext:
    """Return the context without blocking the event loop. Arguments and errors are those of `compile_context`."""
    graph = _graph(strategies, routes, scorer, chunk_weights, feedback=feedback, embeddings=embeddings)
    given, arguments = _input(skill, parameters, knowledge, skills, task), _arguments(embeddings, options)
    state: dict[str, Any] = {}
    async for mode, chunk in graph.astream(given, **arguments):
        state = _take(mode, chunk, state, progress)
    return _result(state)


def _graph(
    strategies: Mapping[str, Any] | None,
    routes: Mapping[str, Route] | None,
    scorer: AnyScorer | None,
    chunk_weights: ChunkWeights | None,
    *,
    feedback: "FeedbackStore | BaseStore | None",
    embeddings: Embeddings | str | None,
) -> CompilerGraph:
    own = None if isinstance(embeddings, str) else embeddings
    if all(one is None for one in (strategies, routes, scorer, chunk_weights, feedback, own)):
        return context_compiler
    return build_context_compiler(
        strategies=strategies,
        routes=routes,
        scorer=scorer,
        chunk_weights=chunk_weights,
        feedback=feedback,
        embeddings=own,
    )


def _input(
    skill: str | SkillSelection,
    parameters: Mapping[str, Any] | None,
    knowledge: str | os.PathLike[str],
    skills: Directories | None,
    task: str,
) -> Any:
    given: dict[str, Any] = {"knowledge_directory": os.fspath(knowledge), "parameters": parameters or {}}
    if skills is not None:
        given["skill_directory"] = list_paths(skills)
    if task:
        given["task"] = task
    if isinstance(skill, SkillSelection):
        selection = skill.to_dict()
        return given | {name: selection[name] for name in _KEYS}
    return given | {"skill_id": skill}


def _arguments(embeddings: Embeddings | str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    named = embeddings if isinstance(embeddings, str) else None
    context = SelectorContext.from_options({**options, "embeddings": named})
    return {"context": context, "stream_mode": ["custom", "values"]}


def _take(mode: str, chunk: Any, state: dict[str, Any], progress: Progress | None) -> dict[str, Any]:
    if mode == "values":
        return dict(chunk)
    if progress:
        progress(chunk["step"], chunk["done"])
    return state


def _result(state: Mapping[str, Any]) -> CompiledContext:
    return CompiledContext.from_dict({**state["compiled_context"], "trace": state["compiler_trace"]})
