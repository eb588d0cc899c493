"""Labelled tasks and folders in, an `Evaluation` out: who runs the tasks, and with which settings."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any
from urllib.parse import urlsplit

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel

from skill_selector.catalog.roots import list_paths
from skill_selector.evaluation.calls import run_concurrently
from skill_selector.evaluation.figures import score
from skill_selector.evaluation.notices import fallback_notices, gold_notices
from skill_selector.evaluation.pool import Setup, run_in_processes
from skill_selector.evaluation.prediction import TaskRun
from skill_selector.evaluation.result import Evaluation
from skill_selector.evaluation.runner import Runner
from skill_selector.evaluation.task import LabelledTask
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError, TaskFileError
from skill_selector.graph.settings import Settings, run_context
from skill_selector.nodes.decision import Bar
from skill_selector.nodes.parts import Parts
from skill_selector.reasoners.base import Reasoner
from skill_selector.reasoners.calibration import Calibration, GivenCalibration, take_calibration
from skill_selector.reasoners.choice import choose_reasoner
from skill_selector.reasoners.local import LocalReasoner
from skill_selector.retrievers.custom import CustomRetriever
from skill_selector.retrievers.library import Progress
from skill_selector.retrievers.strategy import choose_strategy

Directories = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

CONCURRENCY = 4
"""Tasks that are under way at once with a model, by default."""

TASKS_A_PROCESS = 25
"""By default another process starts for this many more tasks: fewer are done before it is there."""

MOST = 256
"""The most processes, or tasks at once."""


def evaluate(
    tasks: Sequence[LabelledTask],
    directories: Directories,
    *,
    offline: bool = False,
    llm: BaseChatModel | None = None,
    reasoner: Reasoner | str | None = None,
    retriever: CustomRetriever | None = None,
    embeddings: Embeddings | str | None = None,
    calibration: GivenCalibration = None,
    processes: int | str | None = None,
    concurrency: int | str | None = None,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
    **options: Any,
) -> Evaluation:
    """Return how well the selector does on labelled tasks, each run through the graph as `select_skill` does.

    The figures do not depend on how many processes share the work.

    Args:
        tasks: one or more; see `load_tasks`.
        directories: a folder of skills, or several, lowest precedence first. They are read once.
        offline: reason locally, without key and network.
        llm: a chat model of your own.
        reasoner: a reasoner of your own, or the name of one: "auto", "llm", "local".
        retriever: a retriever of your own; see `build_selector`.
        embeddings: LangChain embeddings of your own, or the name of some; see `select_skill`.
        calibration: what `calibrate` returned, or the file that it wrote.
        processes: how many processes share the tasks of the local reasoner; 1 stays in this one. By default as many as
            there are cores, where each gets 25 tasks. A retriever of your own stays in this one, and so must a
            strategy that you registered.
        concurrency: how many tasks are under way at once with a model, or with a reasoner of your own (4).
        progress: called with the step (`scan`, `index`, `evaluate`) and how many skills or tasks are done.
        warn: called with each of the result's `warnings` as soon as it is known.
        **options: settings of the runs, by the names of `SelectorContext`.

    Raises:
        EvaluationError: a worker process died, or the skills changed meanwhile.
        SkillSelectorError: as `select_skill`.
    """
    check_tasks(tasks)
    given = count_of("processes", processes), count_of("concurrency", concurrency)
    job = Job(
        directories,
        _context(options, offline, reasoner, embeddings, llm),
        llm=llm,
        reasoner=reasoner,
        retriever=retriever,
        embeddings=embeddings,
        calibration=take_calibration(calibration),
    )
    report = progress or (lambda _step, _done: None)
    library = job.runner.load(report)
    warnings: list[str] = []
    _warn(gold_notices(tasks, library), warnings, warn)
    runs = job.run(tasks, given[0] or fitting_processes(len(tasks)), given[1] or CONCURRENCY, report)
    _warn(fallback_notices(runs), warnings, warn)
    return Evaluation(
        tasks=tuple(tasks),
        runs=tuple(runs),
        figures=score(tasks, [run["prediction"] for run in runs]),
        bar=Bar.of(job.settings, job.strategy),
        catalog=library.catalog.summary(),
        settings=job.shown_settings(),
        warnings=tuple(warnings),
    )


def _warn(found: Iterator[str], kept: list[str], warn: Callable[[str], None] | None) -> None:
    for notice in found:
        kept.append(notice)
        if warn:
            warn(notice)


class Job:
    """The parts of an evaluation, checked before anything long begins."""

    def __init__(
        self,
        directories: Directories,
        context: SelectorContext,
        *,
        llm: BaseChatModel | None = None,
        reasoner: Reasoner | str | None = None,
        retriever: CustomRetriever | None = None,
        embeddings: Embeddings | str | None = None,
        calibration: Calibration | None = None,
        measure: bool = False,
    ) -> None:
        self._roots = list_paths(directories)
        self._context, self._measure = context, measure
        own = None if isinstance(reasoner, str) else reasoner
        vectors = None if isinstance(embeddings, str) else embeddings
        parts = Parts(
            llm=llm, reasoner=own, retriever=retriever, embeddings=vectors, context=context, calibration=calibration
        )
        self.settings, self.calibration = parts.resolve(context)
        self.strategy = choose_strategy(self.settings)
        self._reasoner = own or choose_reasoner(self.settings, llm=llm)
        self._local = type(self._reasoner) is LocalReasoner
        self._movable = self._local and retriever is None and vectors is None
        self.runner = Runner(self._roots, parts, measure=measure)

    def run(self, tasks: Sequence[LabelledTask], processes: int, concurrency: int, report: Progress) -> list[TaskRun]:
        """Return the tasks' runs, in the order of the tasks."""
        processes = min(processes, len(tasks))
        # Before the workers start, so that they find what each of them would make.
        self.runner.prepare(report)
        if self._movable and processes > 1:
            setup = Setup(
                roots=self._roots,
                context=asdict(replace(self._context, reasoner="local")),
                strategy=repr(self.strategy),
                strategy_name=self.settings.strategy,
                digest=self.runner.load(report).catalog.digest,
                calibration=self.calibration.to_dict() if self.calibration else None,
                measure=self._measure,
            )
            return run_in_processes(tasks, setup, processes, report)
        if not self._local:
            return run_concurrently(tasks, self.runner, concurrency, report)
        runs: list[TaskRun] = []
        for task in tasks:
            runs.append(self.runner.run(task))
            report("evaluate", len(runs))
        return runs

    def shown_settings(self) -> dict[str, Any]:
        """Return the settings that were in force, without secrets and without those that nothing looked at."""
        idle = {"cache_dir", "on_ambiguous", "llm_base_url", "embedding_base_url"}
        values = {one.name: getattr(self.settings, one.name) for one in fields(Settings) if one.repr}
        shown = {
            name: value
            for name, value in values.items()
            if name not in idle and not (self._local and name.startswith(("llm_", "fallback_", "on_failure")))
        }
        if not self._local:
            # An address may hold a password.
            shown["llm_host"] = urlsplit(self.settings.llm_base_url).hostname
        return {**shown, "reasoner": self._reasoner.name}


def check_tasks(tasks: Sequence[LabelledTask]) -> None:
    """Refuse none, and ids that are not distinct.

    Raises:
        TaskFileError: the message says which.
    """
    if not tasks:
        raise TaskFileError("there is no task to evaluate; pass one labelled task or more")
    twice = [task_id for task_id, count in Counter(task.id for task in tasks).items() if count > 1]
    if twice:
        raise TaskFileError(f"the id {twice[0]!r} is that of several tasks; give each one of its own")


def _context(
    options: Mapping[str, Any],
    offline: bool,
    reasoner: Reasoner | str | None,
    embeddings: Embeddings | str | None,
    llm: BaseChatModel | None,
) -> SelectorContext:
    if options.get("on_ambiguous") == "ask":
        raise SettingError("on_ambiguous='ask' cannot be evaluated: nobody is there to be asked")
    given = {**options, "on_ambiguous": "report"}
    return run_context(given, offline=offline, reasoner=reasoner, embeddings=embeddings, llm=llm)


def count_of(name: str, value: int | str | None) -> int | None:
    """Return how many processes, or tasks at once, a caller wants; None where that is left open.

    Raises:
        SettingError: it is no whole number in range.
    """
    if value is None:
        return None
    number = int(value) if str(value).strip().isascii() and str(value).strip().isdecimal() else 0
    if not 1 <= number <= MOST or isinstance(value, bool):
        raise SettingError(f"{name} is {value!r}: it must be a whole number from 1 to {MOST}")
    return number


def fitting_processes(tasks: int) -> int:
    """Return the number of processes for so many tasks."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        cores = os.cpu_count() or 1
    return max(1, min(cores, tasks // TASKS_A_PROCESS, MOST))
