"""The calls for scripts and notebooks: a task and folders in, a selection out."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from inspect import isawaitable
from typing import Any
from uuid import uuid4

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.types import Command

from skill_selector.catalog.roots import list_paths
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.graph.selector import SelectorGraph, build_selector, graph
from skill_selector.graph.settings import run_context
from skill_selector.nodes.confirm import NO_SKILL
from skill_selector.reasoners.base import Reasoner
from skill_selector.reasoners.calibration import GivenCalibration, take_calibration
from skill_selector.retrievers.custom import CustomRetriever
from skill_selector.retrievers.library import Progress
from skill_selector.selection import SkillSelection

Directories = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

Ask = Callable[[dict[str, Any]], Awaitable[str | None] | str | None]
"""Called with the question and its tied candidates; returns the id of one of them, or None for none.

Where it raises EOFError, as `input` does, nobody has answered, and the outcome stays "ambiguous".
"""

RECURSION_LIMIT = 50
"""Steps that a run may take: ten rounds, the most that can be set, take 32."""


def select_skill(
    task: str,
    directories: Directories,
    *,
    offline: bool = False,
    llm: BaseChatModel | None = None,
    reasoner: Reasoner | str | None = None,
    retriever: CustomRetriever | None = None,
    embeddings: Embeddings | str | None = None,
    calibration: GivenCalibration = None,
    feedback: "FeedbackStore | BaseStore | None" = None,
    project_directory: str | None = None,
    ask: Ask | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> SkillSelection:
    """Return which skill fits the task. Works inside a running event loop too, where it blocks the loop.

    Args:
        task: what somebody wants done, in words.
        directories: a folder of skills, or several, lowest precedence first.
        offline: reason locally, without key and network.
        llm: a chat model of your own.
        reasoner: a reasoner of your own, or the name of one: "auto", "llm", "local".
        retriever: a retriever of your own; see `build_selector`.
        embeddings: LangChain embeddings of your own, or the name of some: "bundled", "none", "openai:MODEL".
        calibration: what `calibrate` returned, or the file that it wrote.
        feedback: where injections and feedback are counted: a `FeedbackStore` or any LangGraph store, instead of the
            settings' file. Selecting only reads it.
        project_directory: whose files show which skills are at home there (strategy `detect`); their names are looked
            at, within bounds. It is no setting of a run, since whoever may change a run must not learn what is there.
        ask: decides when several skills fit equally; without it the outcome is then "ambiguous".
        progress: called with the step and the number of skills done, while folders are scanned and indexed.
        **options: settings of this run, by the names of `SelectorContext`.

    Raises:
        SkillSelectorError: the task, a folder, a setting or the model cannot be used; the message says what to do.
    """
    _check_callable(ask=ask, progress=progress)
    more = {"feedback": feedback, "project_directory": project_directory}
    run = _Run(
        _selector(llm, reasoner, retriever, embeddings, calibration, ask=ask, **more),
        _context(options, offline, reasoner, embeddings, ask, llm=llm),
        progress,
    )
    given: Any = {"task": task, "skill_directory": list_paths(directories)}
    while True:
        for mode, chunk in run.selector.stream(given, **run.arguments):
            run.take(mode, chunk)
        if run.question is None or ask is None:
            return SkillSelection.from_state(run.state)
        try:
            answer = ask(run.question)
        except EOFError:
            return SkillSelection.from_state(run.state)
        if isawaitable(answer):
            if isinstance(answer, Coroutine):
                answer.close()
            raise SettingError("`ask` is async: call `aselect_skill`, or pass a plain function")
        given = run.resumed(answer)


async def aselect_skill(
    task: str,
    directories: Directories,
    *,
    offline: bool = False,
    llm: BaseChatModel | None = None,
    reasoner: Reasoner | str | None = None,
    retriever: CustomRetriever | None = None,
    embeddings: Embeddings | str | None = None,
    calibration: GivenCalibration = None,
    feedback: "FeedbackStore | BaseStore | None" = None,
    project_directory: str | None = None,
    ask: Ask | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> SkillSelection:
    """Return which skill fits the task, without blocking the event loop.

    Arguments and errors are those of `select_skill`; `ask` may be async.
    """
    _check_callable(ask=ask, progress=progress)
    own = await asyncio.to_thread(take_calibration, calibration)
    context = await asyncio.to_thread(_context, options, offline, reasoner, embeddings, ask, llm=llm)
    more = {"feedback": feedback, "project_directory": project_directory}
    run = _Run(_selector(llm, reasoner, retriever, embeddings, own, ask=ask, **more), context, progress)
    given: Any = {"task": task, "skill_directory": list_paths(directories)}
    while True:
        async for mode, chunk in run.selector.astream(given, **run.arguments):
            run.take(mode, chunk)
        if run.question is None or ask is None:
            return SkillSelection.from_state(run.state)
        try:
            answer = ask(run.question)
            given = run.resumed(await answer if isawaitable(answer) else answer)
        except EOFError:
            return SkillSelection.from_state(run.state)


class _Run:
    """What the sync and the async call share: the arguments of the stream, and what came out of it."""

    def __init__(self, selector: SelectorGraph, context: SelectorContext, progress: Progress | None) -> None:
        self.selector = selector
        self._progress = progress
        self.arguments: dict[str, Any] = {
            "config": {"recursion_limit": RECURSION_LIMIT, "configurable": {"thread_id": str(uuid4())}},
            "context": context,
            "stream_mode": ["custom", "values"],
        }
        self.state: dict[str, Any] = {}

    def take(self, mode: str, chunk: Any) -> None:
        """Keep the newest state; pass progress on."""
        if mode == "values":
            self.state = chunk
        elif self._progress:
            self._progress(chunk["step"], chunk["done"])

    def resumed(self, answer: object) -> "Command[Any]":
        """Return what goes on with an answer to the question.

        Raises:
            SettingError: it is none of the ids that were offered, and not None. Asking again would never end.
        """
        offered = [one["id"] for one in self.question["candidates"]] if self.question else []
        if answer is not None and answer not in (*offered, NO_SKILL):
            raise SettingError(f"`ask` returned {answer!r}; it must return one of {offered}, or None for none of them")
        return Command(resume=NO_SKILL if answer is None else answer)

    @property
    def question(self) -> dict[str, Any] | None:
        """What the run stopped to ask, or None when it ended."""
        interrupts = self.state.get("__interrupt__")
        return interrupts[0].value if interrupts else None


def _selector(
    llm: BaseChatModel | None,
    reasoner: Reasoner | str | None,
    retriever: CustomRetriever | None,
    embeddings: Embeddings | str | None,
    calibration: GivenCalibration,
    *,
    ask: Ask | None,
    **more: Any,
) -> SelectorGraph:
    own = None if isinstance(reasoner, str) else reasoner
    vectors = None if isinstance(embeddings, str) else embeddings
    if all(one is None for one in (llm, own, retriever, vectors, calibration, ask, *more.values())):
        return graph
    return build_selector(
        llm=llm,
        reasoner=own,
        retriever=retriever,
        embeddings=vectors,
        calibration=calibration,
        checkpointer=InMemorySaver() if ask else None,
        **more,
    )


def _context(
    options: dict[str, Any],
    offline: bool,
    reasoner: Reasoner | str | None,
    embeddings: Embeddings | str | None,
    ask: Ask | None,
    *,
    llm: BaseChatModel | None,
) -> SelectorContext:
    wanted = options.get("on_ambiguous")
    word = wanted.strip().lower() if isinstance(wanted, str) else wanted
    if word == "ask" and ask is None:
        raise SettingError("on_ambiguous='ask' needs somebody to ask: pass `ask`, a function of the question")
    if word == "report" and ask is not None:
        raise SettingError("on_ambiguous='report' and `ask` contradict each other; leave one out")
    if wanted is None:
        wanted = "ask" if ask else "report"
    given = {**options, "on_ambiguous": wanted}
    return run_context(given, offline=offline, reasoner=reasoner, embeddings=embeddings, llm=llm)


def _check_callable(**given: object) -> None:
    for name, value in given.items():
        if value is not None and not callable(value):
            raise SettingError(f"{name}={value!r} cannot be called; pass a function, or leave it out")
