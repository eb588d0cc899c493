"""The numbers behind a report's plots."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skill_selector.evaluation.figures import Figure, figure, group_places
from skill_selector.evaluation.prediction import MOST_RANKED, Prediction, TaskRun
from skill_selector.evaluation.task import LabelledTask

BINS = 10

ALL = "all languages"

Judged = tuple[float, bool]
"""A score from 0 to 100, and whether the skill that got it is gold."""


class Bin(NamedTuple):
    """Scores that lie close together: what they promise, and how often they were right."""

    score: float
    """The mean score, 0 to 100."""
    right: Figure


class Refusal(NamedTuple):
    """What a threshold would have come to."""

    threshold: float
    right_hit: float | None
    """Over the tasks of kind match; None where there is none."""
    wrong_hit: float
    """Over all tasks."""
    abstained: float | None
    """Over the tasks of kind none; None where there is none."""


def best_judged(tasks: Sequence[LabelledTask], runs: Sequence[TaskRun]) -> list[Judged]:
    """Return the score of each task's best skill."""
    return [
        (run["ranked"][0]["score"], run["ranked"][0]["skill"]["id"] in task.gold_ids)
        for task, run in zip(tasks, runs, strict=True)
        if run["ranked"]
    ]


def all_judged(tasks: Sequence[LabelledTask], runs: Sequence[TaskRun]) -> list[Judged]:
    """Return the score of every skill that was ranked."""
    return [
        (one["score"], one["skill"]["id"] in task.gold_ids)
        for task, run in zip(tasks, runs, strict=True)
        for one in run["ranked"]
    ]


def reliability(judged: Iterable[Judged]) -> list[Bin]:
    """Return the scores in `BINS` equal bins, without the empty ones: of the scores of 60, 60 % should be right."""
    bins: dict[int, list[Judged]] = defaultdict(list)
    for score, right in judged:
        bins[min(int(score * BINS / 100), BINS - 1)].append((score, right))
    return [
        Bin(sum(score for score, _ in held) / len(held), figure([float(right) for _, right in held]))
        for _, held in sorted(bins.items())
    ]


def refusal(tasks: Sequence[LabelledTask], predictions: Sequence[Prediction], gap: float) -> list[Refusal]:
    """Return what each threshold from 0 to 100 would have come to, the gap and the scores being what they were."""
    rows = [
        (task.kind, one["top_score"], one["score_gap"], bool(one["ranked"]) and one["ranked"][0] in task.gold_ids)
        for task, one in zip(tasks, predictions, strict=True)
    ]
    kinds = [kind for kind, *_ in rows]
    points: list[Refusal] = []
    for threshold in range(101):
        # A score of 0 is no hit at any threshold, and it is what a veto leaves.
        hits = [(kind, right) for kind, top, lead, right in rows if top > 0 and top >= threshold and lead >= gap]
        right_hits = sum(kind == "match" and right for kind, right in hits)
        refused = kinds.count("none") - sum(kind == "none" for kind, _ in hits)
        points.append(
            Refusal(
                threshold,
                _share(right_hits, kinds.count("match")),
                sum(not right for _, right in hits) / len(rows),
                _share(refused, kinds.count("none")),
            )
        )
    return points


def recall_by_k(tasks: Sequence[LabelledTask], predictions: Sequence[Prediction]) -> dict[str, list[float]]:
    """Return recall@1 to @50 over the tasks of kind match, `ALL` of them and by language where there are several."""
    shares: dict[str, list[list[float]]] = defaultdict(list)
    for task, one in zip(tasks, predictions, strict=True):
        if task.kind == "match":
            places = group_places(task, one)
            curve = [sum(at <= k for at in places) / len(task.gold) for k in range(1, MOST_RANKED + 1)]
            shares[ALL].append(curve)
            shares[task.lang].append(curve)
    if len(shares) == 2:
        shares = defaultdict(list, {ALL: shares[ALL]})
    return {
        name: [sum(column) / len(curves) for column in zip(*curves, strict=True)] for name, curves in shares.items()
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
