"""The fit, on data whose truth is known."""

import numpy as np
import pytest

from skill_selector.evaluation.regression import (
    TaskRows,
    Weights,
    area_under_curve,
    cross_validate,
    fit,
    fold_of,
    log_loss,
    refit,
)


def made(count: int = 400, seed: int = 0, shift: float = -1.0) -> list[TaskRows]:
    """Return tasks of two candidates whose labels follow log-odds of 2 x first - 1 x second + shift."""
    chance = np.random.default_rng(seed)
    tasks = []
    for _ in range(count):
        signals = chance.normal(size=(2, 2))
        fits = chance.random(2) < 1 / (1 + np.exp(-(signals @ [2.0, -1.0] + shift)))
        tasks.append(TaskRows(signals, fits.astype(float)))
    return tasks


def test_weights_that_made_the_labels_are_found_again() -> None:
    weights = fit(made(3000), ridge=0.01)

    assert weights.slopes == pytest.approx([2.0, -1.0], abs=0.2)
    assert weights.intercept == pytest.approx(-1.0, abs=0.2)


def test_the_slope_of_the_loss_is_zero_at_what_is_found() -> None:
    tasks = made()
    weights = fit(tasks, ridge=0.0)
    signals, fits = np.concatenate([one.signals for one in tasks]), np.concatenate([one.fits for one in tasks])
    left = 1 / (1 + np.exp(-weights.log_odds(signals))) - fits

    assert signals.T @ left == pytest.approx([0, 0], abs=1e-4)
    assert left.sum() == pytest.approx(0, abs=1e-4)


def test_labels_that_a_signal_separates_give_finite_weights() -> None:
    rows = [TaskRows(np.array([[1.0], [0.0]]), np.array([1.0, 0.0]))] * 20

    assert np.isfinite(fit(rows).slopes).all()


def test_a_signal_that_never_changes_has_no_weight() -> None:
    tasks = [TaskRows(np.column_stack([one.signals, np.ones(2)]), one.fits) for one in made(50)]

    assert fit(tasks).slopes[2] == pytest.approx(0, abs=1e-6)


def test_a_fit_needs_both_kinds_of_candidates() -> None:
    with pytest.raises(ValueError, match="fit and candidates that do not"):
        fit([TaskRows(np.ones((2, 1)), np.ones(2))])


def test_cross_validation_judges_each_task_by_the_others() -> None:
    tasks = made(40)
    found = cross_validate(tasks, folds=len(tasks))
    without = fit(tasks[1:])

    assert found[0] == pytest.approx(without.log_odds(tasks[0].signals))
    assert area_under_curve(found, tasks) > 0.8


def test_the_area_is_that_of_counting_pairs() -> None:
    tasks = [TaskRows(np.zeros((4, 1)), np.array([1.0, 0.0, 0.0, 0.5]))]

    assert area_under_curve([np.array([0.5, 0.5, 0.1, 9.0])], tasks) == pytest.approx(0.75)


def test_a_task_that_counts_twice_is_as_good_as_two() -> None:
    tasks = made(60)
    doubled = [TaskRows(one.signals, one.fits, 2.0) for one in tasks[:20]]
    found, wanted = fit([*doubled, *tasks[20:]]), fit([*tasks[:20], *tasks])

    assert found.slopes == pytest.approx(wanted.slopes)
    assert found.intercept == pytest.approx(wanted.intercept)


def test_a_refit_stays_at_its_start_where_the_ridge_holds_it_and_leaves_it_where_not() -> None:
    start = Weights(np.array([0.0, 0.0]), 0.0)
    tasks = made(3000)

    assert refit(tasks, start, float("inf")) is start
    assert refit(tasks, start, 1e9).slopes == pytest.approx([0, 0], abs=1e-3)
    assert refit(tasks, start, 0.01).slopes == pytest.approx([2.0, -1.0], abs=0.2)
    assert refit(tasks, start, 0.01).intercept == pytest.approx(-1.0, abs=0.2)


def test_a_signal_that_never_varies_keeps_its_weight() -> None:
    tasks = [TaskRows(np.column_stack([one.signals, np.ones(2)]), one.fits) for one in made(200)]

    assert refit(tasks, Weights(np.array([1.0, 1.0, 7.0]), 0.0), 1.0).slopes[2] == pytest.approx(7.0)


def test_tasks_of_one_group_share_a_fold() -> None:
    fold = fold_of(40, 5, groups=[str(at // 4) for at in range(40)])

    assert all(len(set(fold[at : at + 4])) == 1 for at in range(0, 40, 4))
    assert len(set(fold)) == 5


def test_the_loss_is_over_the_best_candidates_alone() -> None:
    task = TaskRows(np.zeros((3, 1)), np.array([1.0, 0.0, 1.0]))

    # -ln σ(2) = 0.1269; a candidate at even odds costs 0.6931 whatever its label.
    assert log_loss([np.array([2.0, 0.0, -9.0])], [task], 1) == pytest.approx(0.1269, abs=1e-4)
    assert log_loss([np.array([2.0, 0.0, -9.0])], [task], 2) == pytest.approx((0.1269 + 0.6931) / 2, abs=1e-4)
