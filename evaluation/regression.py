"""Logistic regression of "this skill fits" over signals, and what it is worth: the ground of the local score."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

RIDGE = 1 / 0.3
"""Penalty on the squared weights of standardised signals."""
FIRSTS = 2
"""How many of each task's best candidates the intercept is fitted to once more: those that decide an outcome."""
STEPS = 100
SAME = 1e-9
"""The spread below which a signal counts as the same everywhere."""


@dataclass(frozen=True, eq=False)
class TaskRows:
    """The candidates of one task."""

    signals: Floats
    """[candidates, signals]"""
    fits: Floats
    """[candidates], 1 fits, 0 does not, 0.5 partly."""
    weight: float = 1.0
    """How much the task counts."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Log-odds = signals @ slopes + intercept."""

    slopes: Floats
    """[signals], for a unit of each."""
    intercept: float

    def log_odds(self, signals: Floats) -> Floats:
        """Return the log-odds of each row [candidates]."""
        return np.asarray(signals @ self.slopes + self.intercept)


def fit(tasks: Sequence[TaskRows], ridge: float = RIDGE) -> Weights:
    """Return the weights that explain the labels best, the intercept fitted to the first of each task.

    Raises:
        ValueError: no candidate fits, or all do.
    """
    signals, fits, counts = _stacked(tasks)
    if not 0 < fits.mean() < 1:
        raise ValueError("the tasks need candidates that fit and candidates that do not")
    rows, mean, spread = _standardised(signals, counts)
    penalty = np.append(np.full(signals.shape[1], ridge), 0.0)
    found = _newton(rows, fits, counts, penalty)
    slopes = found[:-1] / spread
    weights = Weights(slopes, float(found[-1] - slopes @ mean))
    return Weights(slopes, weights.intercept + _shift(tasks, weights))


def refit(tasks: Sequence[TaskRows], start: Weights, ridge: float) -> Weights:
    """Return weights near those at the start, which stand for everything that was known before.

    Both slopes, for a standardised unit, and intercept are drawn to them by the ridge: without tasks, or with an
    infinite ridge, they stay.
    """
    signals, fits, counts = _stacked(tasks)
    if not len(signals) or math.isinf(ridge):
        return start
    rows, mean, spread = _standardised(signals, counts)
    change = _newton(rows, fits, counts, np.full(rows.shape[1], ridge), start.log_odds(signals))
    slopes = change[:-1] / spread
    return Weights(start.slopes + slopes, start.intercept + float(change[-1] - slopes @ mean))


def cross_validate(
    tasks: Sequence[TaskRows],
    folds: int = 10,
    seed: int = 0,
    learn: Callable[[Sequence[TaskRows]], Weights] = fit,
    groups: Sequence[str] | None = None,
) -> list[Floats]:
    """Return each task's log-odds by weights that were fitted to the other folds' tasks.

    Args:
        tasks: the rows.
        folds: how many.
        seed: of the shuffle.
        learn: makes the weights.
        groups: tasks of one group stay in one fold, such as one task over several catalogues.
    """
    found: list[Floats] = [np.empty(0)] * len(tasks)
    fold = fold_of(len(tasks), folds, seed, groups)
    for number in np.unique(fold):
        weights = learn([one for one, own in zip(tasks, fold, strict=True) if own != number])
        for at in np.flatnonzero(fold == number).tolist():
            found[at] = weights.log_odds(tasks[at].signals)
    return found


def fold_of(count: int, folds: int, seed: int = 0, groups: Sequence[str] | None = None) -> NDArray[np.intp]:
    """Return each task's fold, drawn at random [tasks]."""
    names = [str(at) for at in range(count)] if groups is None else groups
    distinct = list(dict.fromkeys(names))
    drawn = dict(zip(distinct, np.random.default_rng(seed).permutation(len(distinct)) % folds, strict=True))
    return np.array([drawn[name] for name in names], dtype=np.intp)


def log_loss(log_odds: Sequence[Floats], tasks: Sequence[TaskRows], firsts: int) -> float:
    """Return the mean loss over the best candidates of each task: what calibration is worth where it decides."""
    losses: list[float] = []
    for line, task in zip(log_odds, tasks, strict=True):
        best = np.argsort(-line, kind="stable")[:firsts]
        losses += (np.logaddexp(0.0, line[best]) - task.fits[best] * line[best]).tolist()
    return float(np.mean(losses))


def area_under_curve(log_odds: Sequence[Floats], tasks: Sequence[TaskRows]) -> float:
    """Return how often a candidate that fits has more than one that does not, over all tasks; 0.5 is chance."""
    values = np.concatenate(list(log_odds))
    fits = np.concatenate([one.fits for one in tasks])
    better, worse = values[fits == 1], values[fits == 0]
    if not len(better) or not len(worse):
        return float("nan")
    above = (better[:, None] > worse).mean() + 0.5 * (better[:, None] == worse).mean()
    return float(above)


def _stacked(tasks: Sequence[TaskRows]) -> tuple[Floats, Floats, Floats]:
    """Return the signals, the labels and the weights of all candidates."""
    signals = np.concatenate([one.signals for one in tasks])
    fits = np.concatenate([one.fits for one in tasks])
    return signals, fits, np.concatenate([np.full(len(one.fits), one.weight) for one in tasks])


def _standardised(signals: Floats, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the signals in spreads from their mean, with a column of ones; the mean; the spread."""
    mean = np.average(signals, axis=0, weights=counts)
    spread = np.sqrt(np.average((signals - mean) ** 2, axis=0, weights=counts))
    # what never varies can explain nothing
    spread = np.where(spread < SAME, np.inf, spread)
    return np.column_stack([(signals - mean) / spread, np.ones(len(signals))]), mean, spread


def _shift(tasks: Sequence[TaskRows], weights: Weights) -> float:
    firsts: list[float] = []
    fits: list[float] = []
    counts: list[float] = []
    for one in tasks:
        log_odds = weights.log_odds(one.signals)
        best = np.argsort(-log_odds, kind="stable")[:FIRSTS]
        firsts += log_odds[best].tolist()
        fits += one.fits[best].tolist()
        counts += [one.weight] * len(best)
    wanted = np.array(fits)
    if not 0 < wanted.mean() < 1:
        return 0.0
    return float(_newton(np.ones((len(firsts), 1)), wanted, np.array(counts), np.zeros(1), np.array(firsts))[0])


def _newton(rows: Floats, fits: Floats, counts: Floats, penalty: Floats, offsets: Floats | float = 0.0) -> Floats:
    """Return the weights that minimise log loss and penalty; a step that does not help is halved."""

    def loss(at: Floats) -> float:
        line = rows @ at + offsets
        return float(np.sum(counts * (np.logaddexp(0.0, line) - fits * line)) + 0.5 * np.sum(penalty * at**2))

    found = np.zeros(rows.shape[1])
    current = loss(found)
    for _ in range(STEPS):
        share = 1 / (1 + np.exp(-(rows @ found + offsets)))
        slope = rows.T @ (counts * (share - fits)) + penalty * found
        curve = (rows * (counts * share * (1 - share))[:, None]).T @ rows + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curve, slope)
        size = _best_size(loss, found, step, current)
        if not size or float(np.abs(step).max()) * size < 1e-9:
            break
        found = found - size * step
        current = loss(found)
    return found


def _best_size(loss: Callable[[Floats], float], found: Floats, step: Floats, current: float) -> float:
    size = 1.0
    while size > 1e-6:
        if loss(found - size * step) <= current:
            return size
        size /= 2
    return 0.0
