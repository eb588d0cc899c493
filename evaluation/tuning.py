"""Threshold, gap and weights that suit labelled tasks: chosen near the shipped ones, and tried on tasks left out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from skill_selector.evaluation.figures import Figure, figure
from skill_selector.evaluation.regression import Floats, TaskRows, Weights, cross_validate, fold_of, refit
from skill_selector.evaluation.task import Kind
from skill_selector.reasoners.rubric import score_of, sigmoid

RIDGES = (math.inf, 300.0, 100.0, 30.0, 10.0)
"""How strongly the shipped weights hold, the first without any change; in tasks' candidates, roughly."""
FOLDS, SEED = 5, 0
FIRSTS = 2
"""How many of a task's best candidates the loss is over: those that decide."""
THRESHOLDS = tuple(float(value) for value in range(30, 91, 2))
GAPS = (0.0, 2.5, 5.0, 7.5, 10.0, 15.0, 20.0, 30.0)
BELIEF = 30
"""As how many tasks the score's own promise counts beside what was counted: where it says 80, one in five is wrong."""
STEADINESS = 0.2
"""Share of tasks that a bar must win for each 100 points that it is moved."""


@dataclass(frozen=True, eq=False)
class Case:
    """A labelled task with its candidates."""

    kind: Kind
    rows: TaskRows
    most: Floats
    """The highest score that each may get [candidates], 0 to 100."""

    def scores(self, log_odds: Floats) -> Floats:
        """Return the scores [candidates] of their log-odds."""
        return np.array([min(score_of(line), most) for line, most in zip(log_odds, self.most, strict=True)])


@dataclass(frozen=True)
class Bar:
    """What a hit needs."""

    threshold: float
    gap: float


@dataclass(frozen=True, eq=False)
class Tuned:
    """What was chosen."""

    weights: Weights
    ridge: float
    """Infinite where the shipped weights stand."""
    bar: Bar
    reached: bool
    """No more wrong hits are to be expected than was asked for."""


@dataclass(frozen=True)
class Verdict:
    """What one task comes to before a bar decides."""

    kind: Kind
    top: float
    lead: float
    right: bool
    promise: float
    """How likely the first fits, by its own score, 0 to 1."""

    def hit(self, bar: Bar) -> bool:
        """Return whether its first is a hit."""
        return self.top > 0 and self.top >= bar.threshold and self.lead >= bar.gap

    def tied(self, bar: Bar) -> bool:
        """Return whether it is ambiguous."""
        return self.top > 0 and self.top >= bar.threshold and self.lead < bar.gap


def verdicts(cases: Sequence[Case], lines: Sequence[Floats]) -> list[Verdict]:
    """Return what each task comes to, given its candidates' log-odds."""
    found: list[Verdict] = []
    for case, line in zip(cases, lines, strict=True):
        if not len(line):
            found.append(Verdict(case.kind, 0.0, 0.0, False, 0.0))
            continue
        scores = case.scores(line)
        order = np.argsort(-scores, kind="stable")
        best = int(order[0])
        second = float(scores[order[1]]) if len(order) > 1 else 0.0
        right = bool(case.rows.fits[best] == 1)
        found.append(
            Verdict(case.kind, float(scores[best]), float(scores[best]) - second, right, sigmoid(float(line[best])))
        )
    return found


def tune(cases: Sequence[Case], start: Weights, bar: Bar, wrong_hit: float) -> Tuned:
    """Return weights and a bar for the tasks.

    Args:
        cases: the tasks.
        start: the shipped weights; others must beat them on tasks that were left out, by more than chance.
        bar: the one in force; another must win tasks.
        wrong_hit: the largest share of tasks that may come to a wrong hit.
    """
    rows = [case.rows for case in cases]
    lines = {ridge: cross_validate(rows, FOLDS, SEED, partial(refit, start=start, ridge=ridge)) for ridge in RIDGES}
    ridge = _best_ridge(rows, lines)
    chosen, reached = choose_bar(verdicts(cases, lines[ridge]), bar, wrong_hit)
    return Tuned(refit(rows, start, ridge), ridge, chosen, reached)


def try_out(cases: Sequence[Case], start: Weights, bar: Bar, wrong_hit: float) -> dict[str, Figure]:
    """Return the figures of `tune` on tasks that it has not seen, a fold at a time."""
    fold = fold_of(len(cases), FOLDS, SEED + 1)
    decided: list[tuple[Verdict, Bar]] = []
    for number in np.unique(fold):
        tuned = tune([one for one, own in zip(cases, fold, strict=True) if own != number], start, bar, wrong_hit)
        held = [one for one, own in zip(cases, fold, strict=True) if own == number]
        found = verdicts(held, [tuned.weights.log_odds(one.rows.signals) for one in held])
        decided += [(one, tuned.bar) for one in found]
    return figures_of(decided)


def figures_of(decided: Sequence[tuple[Verdict, Bar]]) -> dict[str, Figure]:
    """Return right_hit, wrong_hit, abstained and uncertain, those that any task belongs to."""
    values: dict[str, list[bool]] = {
        "right_hit": [one.hit(bar) and one.right for one, bar in decided if one.kind == "match"],
        "wrong_hit": [one.hit(bar) and not one.right for one, bar in decided],
        "abstained": [not one.hit(bar) for one, bar in decided if one.kind == "none"],
        "uncertain": [one.tied(bar) for one, bar in decided if one.kind == "ambiguous"],
    }
    return {name: figure([float(value) for value in own]) for name, own in values.items() if own}


def choose_bar(found: Sequence[Verdict], bar: Bar, wrong_hit: float) -> tuple[Bar, bool]:
    """Return the bar that most tasks come out right with, and whether it keeps wrong hits as rare as asked for.

    Where none does, the one with the fewest. Without ambiguous tasks nothing speaks for another gap.
    """
    gaps = {bar.gap, *GAPS} if any(one.kind == "ambiguous" for one in found) else {bar.gap}
    bars = [Bar(*pair) for pair in product(sorted({bar.threshold, *THRESHOLDS}), sorted(gaps))]
    wrong = {one: _expected_wrong(found, one) for one in bars}
    allowed = [one for one in bars if wrong[one] <= wrong_hit]
    if not allowed:
        return min(bars, key=lambda one: (wrong[one], _moved(one, bar))), False
    return max(allowed, key=lambda one: (_gained(found, one) - STEADINESS * _moved(one, bar), -_moved(one, bar))), True


def _gained(found: Sequence[Verdict], bar: Bar) -> float:
    """Return the share of tasks that come out right."""
    right = sum(
        one.hit(bar) and one.right
        if one.kind == "match"
        else one.tied(bar)
        if one.kind == "ambiguous"
        else not one.hit(bar)
        for one in found
    )
    return right / len(found)


def _expected_wrong(found: Sequence[Verdict], bar: Bar) -> float:
    """Return the share of wrong hits to be expected: what was counted, and what the scores promise, together."""
    hits = [one for one in found if one.hit(bar)]
    counted, promised = sum(not one.right for one in hits), sum(1 - one.promise for one in hits)
    return (counted + BELIEF * promised / len(found)) / (len(found) + BELIEF)


def _moved(bar: Bar, start: Bar) -> float:
    return (abs(bar.threshold - start.threshold) + abs(bar.gap - start.gap)) / 100


def _best_ridge(rows: Sequence[TaskRows], lines: dict[float, list[Floats]]) -> float:
    """Return the ridge of the least loss, the first one unless the gain on it exceeds its standard error."""
    losses = {
        ridge: np.array([_loss(task, line) for task, line in zip(rows, own, strict=True)])
        for ridge, own in lines.items()
    }
    first = next(iter(losses))
    best = min(losses, key=lambda ridge: float(losses[ridge].mean()))
    gain = losses[first] - losses[best]
    return best if gain.mean() > gain.std() / math.sqrt(len(gain)) else first


def _loss(task: TaskRows, line: Floats) -> float:
    best = np.argsort(-line, kind="stable")[:FIRSTS]
    return float(np.sum(np.logaddexp(0.0, line[best]) - task.fits[best] * line[best]))
