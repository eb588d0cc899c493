"""The tasks that went most wrong."""

from collections.abc import Sequence
from typing import NamedTuple

from skill_selector.evaluation.figures import gold_place
from skill_selector.evaluation.prediction import TaskRun
from skill_selector.evaluation.task import LabelledTask

MOST = 30


class Miss(NamedTuple):
    """A task that went wrong, and how."""

    task: LabelledTask
    run: TaskRun
    fault: str
    order: tuple[int, float]
    """The smaller, the worse."""


def worst_misses(tasks: Sequence[LabelledTask], runs: Sequence[TaskRun], most: int = MOST) -> list[Miss]:
    """Return the misses, the worst first.

    A wrong hit is worst, the surer the worse: an agent would have acted on it. Then come skills that were not found,
    those that were ranked too low, those that were first but refused, and ties that were not seen as such.
    """
    found = (_miss(task, run) for task, run in zip(tasks, runs, strict=True))
    return sorted((one for one in found if one), key=lambda one: one.order)[:most]


def _miss(task: LabelledTask, run: TaskRun) -> Miss | None:
    prediction = run["prediction"]
    outcome, score = prediction["outcome"], prediction["top_score"]
    if outcome == "hit" and prediction["best"] not in task.gold_ids:
        return Miss(task, run, "it is a hit, but that skill does not fit", (0, -score))
    if task.kind == "none" or (task.kind == "match" and outcome == "hit"):
        return None
    place = gold_place(task, prediction)
    if place != 1:
        seen = f"is among the first {len(prediction['ranked'])}" if place is None else f"comes before place {place}"
        return Miss(task, run, f"no skill that fits {seen}", (1, -score) if place is None else (2, -place))
    why = run["reason"].replace("_", " ")
    if task.kind == "match":
        return Miss(task, run, f"the right skill is first, but the outcome is {outcome}: {why}", (3, score))
    if outcome != "ambiguous":
        return Miss(task, run, f"several skills fit equally, but the outcome is {outcome}: {why}", (4, score))
    return None
