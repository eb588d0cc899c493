"""Which tasks went most wrong."""

from collections.abc import Callable

from skill_selector.evaluation.misses import worst_misses
from skill_selector.evaluation.prediction import TaskRun
from skill_selector.evaluation.task import LabelledTask

MakeTask = Callable[..., LabelledTask]
MakeRun = Callable[..., TaskRun]


def test_a_sure_wrong_hit_is_worst_and_a_refused_right_skill_least(make_task: MakeTask, make_run: MakeRun) -> None:
    tasks = [
        make_task("refused", gold=["x"]),
        make_task("low", gold=["x"]),
        make_task("lost", gold=["x"]),
        make_task("unsure wrong", "none"),
        make_task("sure wrong", gold=["x"]),
        make_task("tie unseen", "ambiguous", ["x", "y"]),
    ]
    runs = [
        make_run("refused", ["x", "y"], "no_match", score=40.0, reason="below_threshold"),
        make_run("low", ["y", "z", "x"], "no_match", score=40.0),
        make_run("lost", ["y", "z"], "no_match", score=40.0),
        make_run("unsure wrong", ["y"], score=61.0),
        make_run("sure wrong", ["y", "x"], score=95.0),
        make_run("tie unseen", ["x", "y"], score=80.0),
    ]
    found = worst_misses(tasks, runs)
    assert [(one.task.id, one.fault) for one in found] == [
        ("sure wrong", "it is a hit, but that skill does not fit"),
        ("unsure wrong", "it is a hit, but that skill does not fit"),
        ("lost", "no skill that fits is among the first 2"),
        ("low", "no skill that fits comes before place 3"),
        ("refused", "the right skill is first, but the outcome is no_match: below threshold"),
        ("tie unseen", "several skills fit equally, but the outcome is hit: clear winner"),
    ]
    assert [one.task.id for one in worst_misses(tasks, runs, most=2)] == ["sure wrong", "unsure wrong"]


def test_what_is_right_is_no_miss(make_task: MakeTask, make_run: MakeRun) -> None:
    tasks = [make_task("a", gold=["x"]), make_task("b", "none"), make_task("c", "ambiguous", ["x", "y"])]
    runs = [make_run("a", ["x"]), make_run("b", ["x"], "no_match"), make_run("c", ["y", "x"], "ambiguous")]
    assert worst_misses(tasks, runs) == []
