"""Logistic regression of "this skill fits" over signals, and what it is worth: the ground of the local score."""

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


@dataclass(frozen=True, eq=False)
class TaskRows:
    """The candidates of one task."""

    signals: Floats
    """[candidates, signals]"""
    fits: Floats
    """[candidates], 1 fits, 0 does not, 0.5 partly."""


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
    signals = np.concatenate([one.signals for one in tasks])
    fits = np.concatenate([one.fits for one in tasks])
    if not 0 < fits.mean() < 1:
        raise ValueError("the tasks need candidates that fit and candidates that do not")
    mean, spread = signals.mean(axis=0), signals.std(axis=0) + 1e-9
    rows = np.column_stack([(signals - mean) / spread, np.ones(len(signals))])
    penalty = np.append(np.full(signals.shape[1], ridge), 0.0)
    found = _newton(rows, fits, penalty, np.zeros(rows.shape[1]))
    slopes = found[:-1] / spread
    weights = Weights(slopes, float(found[-1] - slopes @ mean))
    return Weights(slopes, weights.intercept + _shift(tasks, weights))


def cross_validate(tasks: Sequence[TaskRows], folds: int = 10, seed: int = 0, ridge: float = RIDGE) -> list[Floats]:
    """Return each task's log-odds by weights that were fitted to the other folds' tasks."""
    fold = np.random.default_rng(seed).permutation(len(tasks)) % folds
    found: list[Floats] = [np.empty(0)] * len(tasks)
    for number in range(min(folds, len(tasks))):
        weights = fit([one for one, own in zip(tasks, fold, strict=True) if own != number], ridge)
        for at in np.flatnonzero(fold == number).tolist():
            found[at] = weights.log_odds(tasks[at].signals)
    return found


def area_under_curve(log_odds: Sequence[Floats], tasks: Sequence[TaskRows]) -> float:
    """Return how often a candidate that fits has more than one that does not, over all tasks; 0.5 is chance."""
    values = np.concatenate(list(log_odds))
    fits = np.concatenate([one.fits for one in tasks])
    better, worse = values[fits == 1], values[fits == 0]
    if not len(better) or not len(worse):
        return float("nan")
    above = (better[:, None] > worse).mean() + 0.5 * (better[:, None] == worse).mean()
    return float(above)


def _shift(tasks: Sequence[TaskRows], weights: Weights) -> float:
    firsts: list[float] = []
    fits: list[float] = []
    for one in tasks:
        log_odds = weights.log_odds(one.signals)
        best = np.argsort(-log_odds, kind="stable")[:FIRSTS]
        firsts += log_odds[best].tolist()
        fits += one.fits[best].tolist()
    offsets, wanted = np.array(firsts), np.array(fits)
    if not 0 < wanted.mean() < 1:
        return 0.0
    return float(_newton(np.ones((len(offsets), 1)), wanted, np.zeros(1), np.zeros(1), offsets)[0])


def _newton(rows: Floats, fits: Floats, penalty: Floats, start: Floats, offsets: Floats | float = 0.0) -> Floats:
    """Return the weights that minimise log loss and penalty; a step that does not help is halved."""

    def loss(at: Floats) -> float:
        line = rows @ at + offsets
        return float(np.sum(np.logaddexp(0.0, line) - fits * line) + 0.5 * np.sum(penalty * at**2))

    found, current = start, loss(start)
    for _ in range(STEPS):
        share = 1 / (1 + np.exp(-(rows @ found + offsets)))
        slope = rows.T @ (share - fits) + penalty * found
        curve = (rows * (share * (1 - share))[:, None]).T @ rows + np.diag(penalty + 1e-9)
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
