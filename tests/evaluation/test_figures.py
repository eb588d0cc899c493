"""The figures: worked numbers, and what must hold for any tasks and predictions."""

from collections.abc import Callable
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_selector.evaluation.figures import Figures, figure, score
from skill_selector.evaluation.prediction import Prediction
from skill_selector.evaluation.task import Kind, LabelledTask
from skill_selector.graph.records import Outcome

MakeTask = Callable[..., LabelledTask]
MakePrediction = Callable[..., Prediction]


def means(figures: Figures, subset: str) -> dict[str, float]:
    return {name: one.mean for name, one in figures[subset].items()}


def test_a_hit_on_the_first_skill_is_right_in_every_figure(
    make_task: MakeTask, make_prediction: MakePrediction
) -> None:
    figures = score([make_task("a", gold=["x"])], [make_prediction("a", ["x", "y"])])
    wanted = {"hit@1": 1.0, "hit@5": 1.0, "mrr": 1.0, "recall@10": 1.0, "recall@50": 1.0, "right_hit": 1.0}
    assert means(figures, "match") == {"wrong_hit": 0.0, **wanted}
    assert means(figures, "all") == {"wrong_hit": 0.0}
    assert set(figures) == {"all", "match", "match/en"}


def test_places_are_counted_by_group_and_by_depth(make_task: MakeTask, make_prediction: MakePrediction) -> None:
    ranked = ["o1", "o2", "o3", "copy of x", *(f"p{at}" for at in range(6)), "y"]
    task = make_task("a", gold=[("x", "copy of x"), "y", "z"])
    figures = means(score([task], [make_prediction("a", ranked, "no_match")]), "match")
    assert (figures["hit@1"], figures["hit@5"], figures["mrr"]) == (0, 1, 1 / 4)
    assert (figures["recall@10"], figures["recall@50"]) == (1 / 3, 2 / 3)
    assert (figures["right_hit"], figures["wrong_hit"]) == (0, 0)


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [(5, "hit@5", 1), (6, "hit@5", 0), (10, "recall@10", 1), (11, "recall@10", 0), (50, "recall@50", 1)],
)
def test_the_last_place_counts_and_the_next_does_not(
    make_task: MakeTask, make_prediction: MakePrediction, place: int, name: str, value: float
) -> None:
    ranked = [*(f"o{number}" for number in range(place - 1)), "x"]
    figures = score([make_task("a", gold=["x"])], [make_prediction("a", ranked, "no_match")])
    assert means(figures, "match")[name] == value


def test_a_skill_that_is_ranked_twice_stands_at_its_first_place(
    make_task: MakeTask, make_prediction: MakePrediction
) -> None:
    figures = score([make_task("a", gold=["x"])], [make_prediction("a", ["x", "y", "x"], "no_match")])
    assert means(figures, "match")["mrr"] == 1


def test_a_hit_on_another_skill_is_wrong_whatever_else_is_ranked(
    make_task: MakeTask, make_prediction: MakePrediction
) -> None:
    figures = means(score([make_task("a", gold=["x"])], [make_prediction("a", ["y", "x"])]), "match")
    assert (figures["wrong_hit"], figures["right_hit"], figures["mrr"]) == (1, 0, 1 / 2)


def test_where_nothing_fits_a_refusal_is_right(make_task: MakeTask, make_prediction: MakePrediction) -> None:
    tasks = [make_task(name, "none") for name in "abcd"]
    made = [
        make_prediction("a", ["x"], "no_match"),
        make_prediction("b", ["x"], "ambiguous"),
        make_prediction("c", [], "no_match"),
        make_prediction("d", ["x"], "hit"),
    ]
    figures = score(tasks, made)
    assert means(figures, "none") == {"wrong_hit": 1 / 4, "abstained": 3 / 4}
    assert means(figures, "all") == {"wrong_hit": 1 / 4}


def test_where_several_fit_only_ambiguous_is_right(make_task: MakeTask, make_prediction: MakePrediction) -> None:
    tasks = [make_task(name, "ambiguous", ["x", "y"]) for name in "abc"]
    made = [
        make_prediction("a", ["x", "y"], "ambiguous"),
        make_prediction("b", ["y", "x"], "hit"),
        make_prediction("c", ["z"], "hit"),
    ]
    figures = means(score(tasks, made), "ambiguous")
    assert figures == {"wrong_hit": 1 / 3, "hit@1": 2 / 3, "uncertain": 1 / 3}


def test_a_task_without_prediction_fails_in_every_figure(make_task: MakeTask) -> None:
    tasks = [make_task("a", gold=["x"]), make_task("b", "none"), make_task("c", "ambiguous", ["x", "y"])]
    for subset, figures in score(tasks, []).items():
        for name, one in figures.items():
            assert one.mean == (1.0 if name == "wrong_hit" else 0.0), (subset, name)


def test_languages_are_subsets_of_their_kind(make_task: MakeTask, make_prediction: MakePrediction) -> None:
    tasks = [make_task("a", gold=["x"]), make_task("b", gold=["x"], lang="zh"), make_task("c", gold=["x"], lang="zh")]
    figures = score(tasks, [make_prediction("a", ["x"]), make_prediction("b", ["x"])])
    assert [figures[name]["right_hit"].mean for name in ("match", "match/en", "match/zh")] == [2 / 3, 1, 1 / 2]
    assert [figures[name]["right_hit"].n for name in ("match", "match/en", "match/zh")] == [3, 1, 2]


def test_predictions_that_belong_to_no_task_or_twice_to_one_are_refused(
    make_task: MakeTask, make_prediction: MakePrediction
) -> None:
    tasks = [make_task("a", gold=["x"])]
    with pytest.raises(ValueError, match="'b' is that of no task"):
        score(tasks, [make_prediction("b", ["x"])])
    with pytest.raises(ValueError, match="'a' is that of two predictions"):
        score(tasks, [make_prediction("a", ["x"])] * 2)


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    # Wilson's interval as published tables have it; with none right, z² / (n + z²).
    [(5, 10, 0.2366, 0.7634), (90, 100, 0.8256, 0.9448), (0, 30, 0.0, 0.1135), (30, 30, 0.8865, 1.0)],
)
def test_the_interval_of_a_proportion_is_wilsons(right: int, n: int, low: float, high: float) -> None:
    found = figure([1.0] * right + [0.0] * (n - right))
    assert found.mean == right / n
    assert found.low == pytest.approx(low, abs=1e-4)
    assert found.high == pytest.approx(high, abs=1e-4)


def test_equal_values_leave_no_doubt() -> None:
    assert figure([0.25] * 8) == (0.25, 0.25, 0.25, 8)


_SKILLS = st.sampled_from([f"s{number}" for number in range(6)])


@st.composite
def _tasks(draw: st.DrawFn) -> list[LabelledTask]:
    tasks = []
    for number in range(draw(st.integers(1, 6))):
        kind: Kind = draw(st.sampled_from(get_args(Kind)))
        groups = (
            []
            if kind == "none"
            else draw(st.lists(st.tuples(_SKILLS) | st.tuples(_SKILLS, _SKILLS), min_size=1, max_size=4))
        )
        lang = draw(st.sampled_from(["en", "zh"]))
        tasks.append(LabelledTask(id=str(number), lang=lang, kind=kind, task="do it", gold=tuple(groups)))
    return tasks


@st.composite
def _scored(draw: st.DrawFn) -> tuple[list[LabelledTask], list[Prediction]]:
    tasks = draw(_tasks())
    predictions: list[Prediction] = []
    for task in tasks:
        ranked = draw(st.lists(_SKILLS, unique=True, max_size=6))
        outcome: Outcome = draw(st.sampled_from(get_args(Outcome)))
        best = draw(st.sampled_from(ranked)) if ranked and outcome == "hit" else None
        if draw(st.integers(0, 5)):
            predictions.append(
                {"id": task.id, "ranked": ranked, "outcome": outcome, "best": best, "top_score": 70.0, "score_gap": 1.0}
            )
    return tasks, predictions


@settings(max_examples=40, deadline=None)
@given(_scored())
def test_every_figure_is_a_share_inside_its_interval(scored: tuple[list[LabelledTask], list[Prediction]]) -> None:
    tasks, predictions = scored
    for figures in score(tasks, predictions).values():
        for one in figures.values():
            assert 0 <= one.low <= one.mean + 1e-9
            assert one.mean - 1e-9 <= one.high <= 1
            assert 1 <= one.n <= len(tasks)


@settings(max_examples=40, deadline=None)
@given(_scored(), st.randoms(use_true_random=False))
def test_the_order_of_tasks_and_predictions_changes_nothing(
    scored: tuple[list[LabelledTask], list[Prediction]], random: Any
) -> None:
    tasks, predictions = scored
    before = score(tasks, predictions)
    random.shuffle(tasks)
    random.shuffle(predictions)
    assert score(tasks, predictions) == before


@settings(max_examples=40, deadline=None)
@given(_tasks())
def test_a_perfect_prediction_gives_ones(tasks: list[LabelledTask]) -> None:
    outcomes = {"match": "hit", "none": "no_match", "ambiguous": "ambiguous"}
    perfect: list[Any] = [
        {
            "id": task.id,
            "ranked": list(dict.fromkeys(group[0] for group in task.gold)),
            "outcome": outcomes[task.kind],
            "best": task.gold[0][0] if task.kind == "match" else None,
            "top_score": 100.0,
            "score_gap": 100.0,
        }
        for task in tasks
    ]
    for figures in score(tasks, perfect).values():
        for name, one in figures.items():
            wanted = 0.0 if name == "wrong_hit" else 1.0
            assert one.mean == wanted, name
            assert wanted in (one.low, one.high), name
