"""Threshold, gap and weights for labelled tasks: little from few, what is there from many."""

from collections.abc import Sequence

import numpy as np
import pytest

from skill_selector.evaluation.regression import TaskRows, Weights
from skill_selector.evaluation.task import Kind
from skill_selector.evaluation.tuning import Bar, Case, choose_bar, figures_of, try_out, tune, verdicts

START = Weights(np.array([2.0, 0.0]), 0.0)
BAR = Bar(60.0, 10.0)


def case(kind: Kind, firsts: Sequence[float], fits: Sequence[float], most: float = 100.0) -> Case:
    signals = np.column_stack([firsts, np.zeros(len(firsts))])
    return Case(kind, TaskRows(signals, np.array(fits, dtype=float)), np.full(len(firsts), most))


def world(count: int, truth: Sequence[float] = (2.0, 0.0), shift: float = 0.0, seed: int = 0) -> list[Case]:
    """Return tasks of three candidates, whose labels follow log-odds of the truth."""
    chance = np.random.default_rng(seed)
    found: list[Case] = []
    for _ in range(count):
        signals = chance.normal(scale=1.5, size=(3, 2))
        fits = (chance.random(3) < 1 / (1 + np.exp(-(signals @ np.array(truth) + shift)))).astype(float)
        kind: Kind = "none" if not fits.any() else "ambiguous" if fits.sum() > 1 else "match"
        found.append(Case(kind, TaskRows(signals, fits), np.full(3, 100.0)))
    return found


def test_a_task_is_a_hit_where_its_first_passes_threshold_and_gap() -> None:
    # Scores of log-odds 2, 0 and -2: 91.7, 60 and 16.9.
    (one,) = verdicts([case("match", [1.0, 0.0, -1.0], [1, 0, 0])], [np.array([2.0, 0.0, -2.0])])

    assert (one.top, one.lead) == pytest.approx((91.7, 31.7), abs=0.05)
    assert one.right
    assert one.hit(Bar(90, 30))
    assert not one.hit(Bar(92, 30))
    assert one.tied(Bar(90, 32))
    assert one.promise == pytest.approx(0.88, abs=0.001)


def test_what_rules_a_skill_out_holds_at_any_bar() -> None:
    (one,) = verdicts([case("match", [3.0], [1], most=0.0)], [np.array([6.0])])

    assert not one.hit(Bar(0, 0))


def test_a_task_without_candidates_is_no_hit() -> None:
    found = verdicts([Case("none", TaskRows(np.empty((0, 2)), np.empty(0)), np.empty(0))], [np.empty(0)])

    assert figures_of([(found[0], BAR)])["abstained"].mean == 1.0


def test_figures_are_those_of_the_kinds() -> None:
    cases = [
        case("match", [2.0, -2.0], [1, 0]),
        case("match", [2.0, -2.0], [0, 1]),
        case("none", [-2.0, -2.0], [0, 0]),
        case("ambiguous", [2.0, 2.0], [1, 1]),
    ]
    found = figures_of([(one, BAR) for one in verdicts(cases, [START.log_odds(one.rows.signals) for one in cases])])

    assert {name: one.mean for name, one in found.items()} == {
        "right_hit": 0.5,
        "wrong_hit": 0.25,
        "abstained": 1.0,
        "uncertain": 1.0,
    }


def test_tasks_that_agree_with_what_is_shipped_leave_it_alone() -> None:
    tuned = tune(world(20, shift=-1.0), Weights(START.slopes, -1.0), BAR, 0.2)

    assert tuned.weights.slopes == pytest.approx(START.slopes, abs=0.3)


def test_many_tasks_that_disagree_change_the_weights() -> None:
    tuned = tune(world(400, truth=(0.5, 2.5), shift=-1.0), START, BAR, 0.2)

    assert np.isfinite(tuned.ridge)
    assert tuned.weights.slopes == pytest.approx([0.5, 2.5], abs=0.7)
    assert tuned.weights.intercept == pytest.approx(-1.0, abs=0.4)


def test_tasks_left_out_gain_by_what_the_others_taught() -> None:
    cases = world(200, truth=(0.5, 2.5), shift=-1.0)
    before = figures_of([(one, BAR) for one in verdicts(cases, [START.log_odds(one.rows.signals) for one in cases])])
    after = try_out(cases, START, BAR, 0.2)

    assert after["wrong_hit"].mean < before["wrong_hit"].mean
    assert after["wrong_hit"].n == 200


def test_the_bar_rises_until_wrong_hits_are_as_rare_as_asked_for() -> None:
    cases = world(300, shift=-1.0)
    found = verdicts(cases, [START.log_odds(one.rows.signals) - 1.0 for one in cases])
    strict, reached = choose_bar(found, BAR, 0.03)
    loose, _ = choose_bar(found, BAR, 0.3)

    assert reached
    assert figures_of([(one, strict) for one in found])["wrong_hit"].mean <= 0.04
    assert strict.threshold > loose.threshold


def test_a_goal_that_no_bar_reaches_is_said() -> None:
    # Whatever the threshold, it is too sure of the wrong ones.
    found = verdicts([case("none", [9.0], [0])] * 30, [np.array([18.0])] * 30)

    assert choose_bar(found, BAR, 0.01)[1] is False


def test_without_ambiguous_tasks_the_gap_stays() -> None:
    cases = [one for one in world(100) if one.kind != "ambiguous"]

    assert tune(cases, START, Bar(60.0, 12.5), 0.1).bar.gap == 12.5
