"""Labelled tasks and folders in, a calibration of the local score out."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Any

import numpy as np

from skill_selector.evaluation.calibrated import Calibrated, rounded
from skill_selector.evaluation.figures import Figure
from skill_selector.evaluation.job import Directories, Job, check_tasks, count_of, fitting_processes
from skill_selector.evaluation.measured import Measured, rows_of
from skill_selector.evaluation.notices import fallback_notices, gold_notices
from skill_selector.evaluation.prediction import TaskRun
from skill_selector.evaluation.regression import Weights
from skill_selector.evaluation.task import LabelledTask, load_tasks
from skill_selector.evaluation.tuning import Bar, Case, Tuned, figures_of, try_out, tune, verdicts
from skill_selector.graph.errors import EvaluationError, SettingError
from skill_selector.graph.settings import run_context
from skill_selector.reasoners.calibration import Calibration, intercept, reweighted, total_weights
from skill_selector.reasoners.rubric import MODELS, ModelName, model_name
from skill_selector.retrievers.library import Progress

WRONG_HIT = 0.05
"""The largest share of wrong hits that is aimed at by default."""
LEAST_TASKS, FEW_TASKS = 10, 40
"""Below the first nothing can be learned, below the second little."""
LEAST_OF_A_KIND = 3
"""Tasks that fit a skill, or with candidates that don't, below which nothing can be learned either."""


def calibrate(
    tasks: Sequence[LabelledTask] | str | os.PathLike[str],
    directories: Directories,
    *,
    wrong_hit: float | str | None = None,
    embeddings: str | None = None,
    processes: int | str | None = None,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
    **options: Any,
) -> Calibrated:
    """Fit threshold, gap and weights of the local score to labelled tasks, with the shipped ones as the prior.

    Weights change only where others do better on tasks that were left out, by more than chance. Selections take the
    result by `calibration=`, `--calibration FILE` or SELECTOR_CALIBRATION.

    Args:
        tasks: labelled tasks, or the file that holds them; see `load_tasks`.
        directories: a folder of skills, or several, lowest precedence first. They are read once.
        wrong_hit: the largest share of tasks that may come to a wrong hit, 0 to 1 (0.05).
        embeddings: the name of some; see `select_skill`.
        processes: how many processes share the tasks; see `evaluate`.
        progress: called with the step (`scan`, `index`, `embed`, `evaluate`) and how many skills or tasks are done.
        warn: called with each of the result's `warnings` as soon as it is known.
        **options: settings of the runs, by the names of `SelectorContext`.

    Raises:
        EvaluationError: the tasks are too few, or nothing can be learned from them; or as `evaluate`.
        SkillSelectorError: as `select_skill`.
    """
    given = load_tasks(tasks) if isinstance(tasks, str | os.PathLike) else tasks
    check_tasks(given)
    goal, share = _goal(wrong_hit), count_of("processes", processes)
    job = Job(directories, _context(options, embeddings), measure=True)
    if job.strategy.judge != "rubric":
        raise SettingError(f"strategy {job.strategy.name!r} decides by its routes' score, which has no weights to fit")
    if len(given) < LEAST_TASKS:
        raise EvaluationError(
            f"{len(given)} labelled tasks are too few to calibrate with: label {LEAST_TASKS} or more, better "
            f"{FEW_TASKS}, some of which no skill fits"
        )
    report = progress or (lambda _step, _done: None)
    library = job.runner.load(report)
    notes = _Notes(warn)
    notes.add(gold_notices(given, library))
    runs = job.run(given, share or fitting_processes(len(given)), 1, report)
    notes.add(fallback_notices(runs))
    return _fitted(given, runs, job, goal, notes)


def _fitted(
    tasks: Sequence[LabelledTask], runs: Sequence[TaskRun], job: Job, goal: float, notes: "_Notes"
) -> Calibrated:
    library = job.runner.load()
    measured = [run.get("measured", []) for run in runs]
    name = _model_of(measured)
    cases = _cases(tasks, measured, name)
    _check(cases)
    notes.add(_doubts(tasks))
    start = Weights(np.array(list(total_weights(MODELS[name]).values())), intercept(MODELS[name]))
    bar = Bar(job.settings.hit_threshold, job.settings.min_gap)
    before = figures_of([(one, bar) for one in verdicts(cases, [start.log_odds(case.rows.signals) for case in cases])])
    after = try_out(cases, start, bar, goal)
    tuned = tune(cases, start, bar, goal)
    notes.add(_judgement(tuned, before, after, goal))
    about = {
        "tasks": len(tasks),
        **{kind: sum(task.kind == kind for task in tasks) for kind in ("match", "none", "ambiguous")},
        "tasks_digest": _digest(tasks),
        "skills": len(library.skills),
        "catalog_digest": library.catalog.digest,
        "strategy": job.settings.strategy,
        "embeddings": job.settings.embeddings,
    }
    figures = {
        when: {key: one._asdict() for key, one in rounded(own).items()}
        for when, own in (("before", before), ("after", after))
    }
    calibration = _calibration(name, tuned, goal, about, figures)
    return Calibrated(calibration=calibration, before=before, after=after, warnings=tuple(notes.kept))


class _Notes:
    """Warnings, kept and passed on."""

    def __init__(self, warn: Callable[[str], None] | None) -> None:
        self.kept: list[str] = []
        self._warn = warn

    def add(self, found: Iterator[str]) -> None:
        for notice in found:
            self.kept.append(notice)
            if self._warn:
                self._warn(notice)


def _context(options: dict[str, Any], embeddings: str | None) -> Any:
    if options.get("on_ambiguous") == "ask":
        raise SettingError("on_ambiguous='ask' cannot be calibrated: nobody is there to be asked")
    if options.get("reasoner") not in {None, "local"}:
        raise SettingError(f"reasoner={options['reasoner']!r}: the local reasoner alone has a score to calibrate")
    rest = {name: value for name, value in options.items() if name != "reasoner"}
    return run_context({**rest, "on_ambiguous": "report"}, offline=False, reasoner="local", embeddings=embeddings)


def _goal(wrong_hit: float | str | None) -> float:
    try:
        goal = WRONG_HIT if wrong_hit is None else float(wrong_hit)
    except (TypeError, ValueError):
        goal = -1.0
    if not 0 < goal <= 1:
        raise SettingError(f"wrong_hit is {wrong_hit!r}: it must be a share of tasks, more than 0 and at most 1")
    return goal


def _model_of(measured: Sequence[Sequence[Measured]]) -> ModelName:
    """Return the model that scored most tasks: a task without vectors, among others, is scored by another one."""
    names = Counter(
        model_name(own[0]["signals"].get("standing"), semantic=own[0]["semantic"]) for own in measured if own
    )
    return names.most_common(1)[0][0] if names else "plain"


def _cases(tasks: Sequence[LabelledTask], measured: Sequence[Sequence[Measured]], name: ModelName) -> list[Case]:
    signals = tuple(total_weights(MODELS[name]))
    cases: list[Case] = []
    for task, own in zip(tasks, measured, strict=True):
        # found by substrings, a candidate has no standing and is no hit
        held = [one for one in own if all(signal in one["signals"] for signal in signals)]
        rows = rows_of(held, signals, task.gold_ids)
        cases.append(Case(task.kind, rows, np.array([one["most"] for one in held])))
    return cases


def _check(cases: Sequence[Case]) -> None:
    fits = sum(bool((case.rows.fits == 1).any()) for case in cases)
    misses = sum(bool((case.rows.fits == 0).any()) for case in cases)
    if fits < LEAST_OF_A_KIND:
        raise EvaluationError(
            f"only {fits} of {len(cases)} tasks have a skill that fits among their candidates, so that nothing can be "
            "learned about what fits: label more tasks with the ids of skills of these folders"
        )
    if misses < LEAST_OF_A_KIND:
        raise EvaluationError(
            f"only {misses} of {len(cases)} tasks have a candidate that does not fit, so that nothing can be learned "
            "about what doesn't: use folders with more skills, or label tasks that no skill fits"
        )


def _doubts(tasks: Sequence[LabelledTask]) -> Iterator[str]:
    if len(tasks) < FEW_TASKS:
        yield f"{len(tasks)} tasks are few, so that little can change: label {FEW_TASKS} or more"
    if sum(task.kind == "none" for task in tasks) < LEAST_OF_A_KIND:
        yield "hardly any task fits no skill, so that refusing was not tested: label some of kind none"
    if not any(task.kind == "ambiguous" for task in tasks):
        yield "no task is of kind ambiguous, so that the gap stays as it is"


def _judgement(tuned: Tuned, before: dict[str, Figure], after: dict[str, Figure], goal: float) -> Iterator[str]:
    if not tuned.reached:
        yield f"no threshold keeps wrong hits to {goal:g} of the tasks; the one with the fewest was taken"
    elif after["wrong_hit"].mean > max(goal, before["wrong_hit"].mean):
        yield f"on tasks left out, wrong_hit is {after['wrong_hit'].mean:.3f}, more than the {goal:g} asked for"
    if (
        "right_hit" in after
        and after["right_hit"].mean < before["right_hit"].mean
        and (after["wrong_hit"].mean >= before["wrong_hit"].mean)
    ):
        yield "on tasks left out, this does no better than what is shipped: keep that, or label more tasks"


def _calibration(
    name: ModelName, tuned: Tuned, goal: float, about: dict[str, Any], figures: dict[str, Any]
) -> Calibration:
    model = MODELS[name]
    weights = dict(zip(total_weights(model), map(float, tuned.weights.slopes), strict=True))
    shift = tuned.weights.intercept - intercept(reweighted(model, weights, 0.0))
    return Calibration(
        hit_threshold=tuned.bar.threshold,
        min_gap=tuned.bar.gap,
        model=name,
        weights={signal: round(weight, 6) for signal, weight in weights.items()},
        shift=round(shift, 6),
        goal={"wrong_hit": goal},
        fitted_on=about,
        figures=figures,
    )


def _digest(tasks: Sequence[LabelledTask]) -> str:
    text = json.dumps([asdict(task) for task in tasks], sort_keys=True)
    return blake2b(text.encode("utf-8"), digest_size=16).hexdigest()
