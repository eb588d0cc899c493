"""The numbers behind the plots."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_selector.evaluation.curves import ALL, all_judged, best_judged, recall_by_k, refusal, reliability
from skill_selector.evaluation.figures import score
from skill_selector.evaluation.prediction import Prediction, TaskRun
from skill_selector.evaluation.task import LabelledTask

MakeTask = Callable[..., LabelledTask]
MakeRun = Callable[..., TaskRun]
MakePrediction = Callable[..., Prediction]


def test_scores_are_judged_by_the_gold(make_task: MakeTask, make_run: MakeRun) -> None:
    tasks = [make_task("a", gold=["y"]), make_task("b", "none"), make_task("c", gold=["x"])]
    runs = [make_run("a", ["x", "y"]), make_run("b", ["x"], score=30.0), make_run("c", [], judged=0)]
    assert best_judged(tasks, runs) == [(80.0, False), (30.0, False)]
    assert all_judged(tasks, runs) == [(80.0, False), (70.0, True), (30.0, False)]


def test_bins_hold_the_mean_score_and_the_share_that_is_right() -> None:
    bins = reliability([(0.0, False), (9.9, False), (62.0, True), (68.0, False), (90.0, True), (100.0, True)])
    assert [(one.score, one.right.mean, one.right.n) for one in bins] == [
        (pytest.approx(4.95), 0.0, 2),
        (65.0, 0.5, 2),
        (95.0, 1.0, 2),
    ]


def test_no_score_makes_no_bin() -> None:
    assert reliability([]) == []


def test_a_higher_threshold_refuses_more(make_task: MakeTask, make_prediction: MakePrediction) -> None:
    tasks = [make_task("a", gold=["x"]), make_task("b", gold=["x"]), make_task("c", "none")]
    made = [
        make_prediction("a", ["x"], score=80.0),
        make_prediction("b", ["y"], score=50.0),
        make_prediction("c", ["x"], score=30.0),
    ]
    points = refusal(tasks, made, gap=10.0)
    assert [point.threshold for point in points] == list(range(101))
    assert [points[at][1:] for at in (0, 30)] == [(0.5, 2 / 3, 0.0)] * 2
    assert points[31][1:] == (0.5, 1 / 3, 1.0)
    assert points[51][1:] == (0.5, 0.0, 1.0)
    assert points[81][1:] == (0.0, 0.0, 1.0)


def test_what_no_task_could_show_is_none(make_task: MakeTask, make_prediction: MakePrediction) -> None:
    point = refusal([make_task("a", "ambiguous", ["x"])], [make_prediction("a", ["x"])], 10.0)[0]
    assert (point.right_hit, point.abstained) == (None, None)


def test_a_vetoed_skill_is_no_hit_at_threshold_0(make_task: MakeTask, make_prediction: MakePrediction) -> None:
    made = make_prediction("a", ["x"], "no_match", score=0.0, gap=0.0)
    assert refusal([make_task("a", gold=["x"])], [made], 0.0)[0].right_hit == 0


_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["match", "none", "ambiguous"]), st.booleans(), st.integers(0, 1000), st.integers(0, 1000)
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(_ROWS, st.integers(1, 100), st.integers(0, 100))
def test_at_the_threshold_in_force_it_is_what_the_figures_say(
    rows: list[tuple[str, bool, int, int]], threshold: int, gap: int
) -> None:
    tasks: list[LabelledTask] = []
    made: list[Prediction] = []
    for number, (kind, right, tenths, lead) in enumerate(rows):
        gold = () if kind == "none" else (("x",),)
        tasks.append(LabelledTask(id=str(number), lang="en", kind=kind, task="do it", gold=gold))  # type: ignore[arg-type]
        top, second = tenths / 10, min(tenths, lead) / 10
        hit = top >= threshold and second >= gap
        first = "x" if right else "y"
        made.append(
            {
                "id": str(number),
                "ranked": [first],
                "outcome": "hit" if hit else "ambiguous",
                "best": first if hit else None,
                "top_score": top,
                "score_gap": second,
            }
        )
    figures, point = score(tasks, made), refusal(tasks, made, gap)[threshold]
    assert point.wrong_hit == pytest.approx(figures["all"]["wrong_hit"].mean)
    for subset, name in (("match", "right_hit"), ("none", "abstained")):
        wanted = figures[subset][name].mean if subset in figures else None
        assert getattr(point, name) == (wanted if wanted is None else pytest.approx(wanted))


def test_recall_grows_with_k_and_agrees_with_the_figures(make_task: MakeTask, make_prediction: MakePrediction) -> None:
    others = [f"o{number}" for number in range(11)]
    tasks = [make_task("a", gold=["x", "y"]), make_task("b", gold=["x"], lang="zh"), make_task("c", "none")]
    made = [make_prediction("a", ["x", *others, "y"]), make_prediction("b", ["z"]), make_prediction("c", ["x"])]
    curves, figures = recall_by_k(tasks, made), score(tasks, made)
    assert list(curves) == [ALL, "en", "zh"]
    assert all(len(curve) == 50 and curve == sorted(curve) for curve in curves.values())
    assert (curves["en"][0], curves["en"][11], curves["en"][12]) == (0.5, 0.5, 1.0)
    assert (curves[ALL][9], curves[ALL][49]) == (figures["match"]["recall@10"].mean, figures["match"]["recall@50"].mean)


def test_one_language_is_not_drawn_twice_and_none_not_at_all(
    make_task: MakeTask, make_prediction: MakePrediction
) -> None:
    assert list(recall_by_k([make_task("a", gold=["x"])], [make_prediction("a", ["x"])])) == [ALL]
    assert recall_by_k([make_task("a", "none")], [make_prediction("a", ["x"])]) == {}
