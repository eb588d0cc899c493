"""The figures: each a share from 0 to 1, a mean over tasks with a 95 % interval."""

from collections.abc import Iterable, Sequence
from math import fsum, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from skill_selector.evaluation.prediction import Prediction
from skill_selector.evaluation.task import LabelledTask

DEPTHS = (10, 50)
"""The k of recall@k."""

ROUNDS = 10_000
SEED = 7
"""Of the bootstrap."""
Z = 1.959964
"""The normal distribution holds 95 % within this many standard deviations of its mean."""


class Figure(NamedTuple):
    """A mean over `n` tasks, with the interval that it lies in at 95 %."""

    mean: float
    low: float
    high: float
    n: int


Figures: TypeAlias = dict[str, dict[str, Figure]]
"""By subset (`all`, a kind, or kind/lang), then by name."""


def score(tasks: Sequence[LabelledTask], predictions: Iterable[Prediction]) -> Figures:
    """Return the figures. A task without a prediction is a failure in every figure that it belongs to.

    | figure | what | tasks |
    |---|---|---|
    | hit@1, hit@5 | a gold skill is ranked first, or among the first five | match (hit@1: ambiguous too) |
    | recall@10, @50 | share of the gold groups found among the first 10, 50 | match |
    | mrr | reciprocal rank of the first gold skill | match |
    | right_hit | the outcome is a hit, and the chosen skill is gold | match |
    | wrong_hit | the outcome is a hit, and the chosen skill is not gold | all |
    | abstained | the outcome is no hit | none |
    | uncertain | the outcome is ambiguous | ambiguous |

    Raises:
        ValueError: two predictions are of one task, or one is of no task.
    """
    by_id = {one.id: one for one in tasks}
    made: dict[str, Prediction] = {}
    for one in predictions:
        if one["id"] not in by_id or one["id"] in made:
            raise ValueError(f"the id {one['id']!r} is that of {'two predictions' if one['id'] in made else 'no task'}")
        made[one["id"]] = one
    values: dict[str, dict[str, list[float]]] = {}
    for task in tasks:
        for name, value in judge(task, made.get(task.id)).items():
            subsets = (task.kind, f"{task.kind}/{task.lang}", *(["all"] if name == "wrong_hit" else []))
            for subset in subsets:
                values.setdefault(subset, {}).setdefault(name, []).append(value)
    return {
        subset: {name: figure(shares) for name, shares in named.items()} for subset, named in sorted(values.items())
    }


def judge(task: LabelledTask, prediction: Prediction | None) -> dict[str, float]:
    """Return one task's values by name; None is a prediction that is missing."""
    outcome = prediction["outcome"] if prediction else None
    right = prediction is not None and prediction["best"] in task.gold_ids
    hit = outcome == "hit"
    values = {"wrong_hit": float(prediction is None or (hit and not right))}
    if task.kind == "none":
        return {**values, "abstained": float(prediction is not None and not hit)}
    place = gold_place(task, prediction)
    values["hit@1"] = float(place == 1)
    if task.kind == "ambiguous":
        return {**values, "uncertain": float(outcome == "ambiguous")}
    found = group_places(task, prediction)
    return {
        **values,
        "hit@5": float(place is not None and place <= 5),
        "mrr": 1 / place if place else 0.0,
        **{f"recall@{k}": sum(at <= k for at in found) / len(task.gold) for k in DEPTHS},
        "right_hit": float(hit and right),
    }


def gold_place(task: LabelledTask, prediction: Prediction | None) -> int | None:
    """Return at which place, from 1, the first gold skill is ranked; None where none is."""
    return min(group_places(task, prediction), default=None)


def group_places(task: LabelledTask, prediction: Prediction | None) -> list[int]:
    """Return the place, from 1, of the first skill of each gold group that is ranked at all."""
    places = {skill: at for at, skill in reversed(list(enumerate(prediction["ranked"] if prediction else (), 1)))}
    found = (min((places[one] for one in group if one in places), default=None) for group in task.gold)
    return [at for at in found if at is not None]


def figure(values: Sequence[float]) -> Figure:
    """Return the mean of one task's values, with Wilson's interval where each is 0 or 1, else the bootstrap's."""
    n, mean = len(values), fsum(values) / len(values)
    wide = wilson(mean, n) if all(value in (0.0, 1.0) for value in values) else bootstrap(values)
    return Figure(mean, *wide, n)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Return the score interval of a proportion (Wilson 1927): none of 30 may still be 11 %."""
    spread = Z * sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    low, high = ((share + Z**2 / (2 * n) + side) / (1 + Z**2 / n) for side in (-spread, spread))
    # At the ends the two terms are equal, but for rounding.
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a mean (Efron 1979).

    Resampling n values is drawing, from a multinomial, how often each distinct one turns up: quick, and the order of
    the tasks makes no difference.
    """
    n = len(values)
    distinct, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    drawn = np.random.default_rng(SEED).multinomial(n, counts / n, size=ROUNDS)
    low, high = np.quantile(drawn @ distinct / n, [0.025, 0.975]).clip(0.0, 1.0)
    return float(low), float(high)
