"""What a run of the graph becomes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from skill_selector.evaluation.prediction import MOST_RANKED, Prediction, add_usage, run_of, write_predictions

MakePrediction = Callable[..., Prediction]


def state(ranked: list[str], rounds: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    cost = {"calls": 1, "prompt_tokens": 10, "completion_tokens": 2}
    steps = [("scan", 0.5), ("analyze", 0.1), ("rank", 0.1)]
    return {
        "ranked": [{"skill": {"id": one}} for one in ranked],
        "rounds": rounds,
        "outcome": "no_match",
        "reason": "below_threshold",
        "best": None,
        "top_score": 40.0,
        "score_gap": 5.0,
        "analysis": {"intent": "merge files"},
        "degraded": [],
        "catalog": {"digest": "d"},
        "selector_trace": [{"step": step, "seconds": seconds, "cost": cost} for step, seconds in steps],
        **more,
    }


def closed(number: int, outcome: str = "ambiguous", gap: float = 5.0) -> dict[str, Any]:
    return {"number": number, "outcome": outcome, "score_gap": gap}


def test_ranks_order_comes_first_then_what_retrieval_brought_up() -> None:
    run = run_of("t", state(["b", "a"], [closed(1)]), {1: ["a", "b", "c", "d"]}, 1.0)
    assert run["prediction"]["ranked"] == ["b", "a", "c", "d"]


def test_the_order_of_retrieval_is_that_of_the_round_that_stands() -> None:
    rounds = [closed(1, gap=9.0), closed(2, gap=3.0)]
    run = run_of("t", state(["a"], rounds), {1: ["a", "first"], 2: ["a", "second"]}, 1.0)
    assert run["prediction"]["ranked"] == ["a", "first"]


def test_at_most_fifty_skills_are_named() -> None:
    run = run_of("t", state(["s60"], [closed(1)]), {1: [f"s{number}" for number in range(80)]}, 1.0)
    assert len(run["prediction"]["ranked"]) == MOST_RANKED == 50
    assert run["prediction"]["ranked"][:2] == ["s60", "s0"]


def test_time_leaves_the_scan_out_and_cost_is_added_up() -> None:
    run = run_of("t", state([], [closed(1)]), {}, 1.25)
    assert run["seconds"] == 0.75
    assert run["usage"] == {"calls": 3, "prompt_tokens": 30, "completion_tokens": 6}
    assert add_usage([]) == {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}


def test_an_empty_catalogue_is_a_prediction_too() -> None:
    run = run_of("t", state([], [], analysis=None, reason="empty_catalog"), {}, 0.5)
    assert (run["prediction"]["ranked"], run["intent"]) == ([], "")


def test_predictions_are_lines_of_json_with_the_agreed_keys(tmp_path: Path, make_prediction: MakePrediction) -> None:
    path = tmp_path / "out.jsonl"
    write_predictions(path, [make_prediction("任务", ["技能/a", "b"]), make_prediction("b", ["c"], "no_match")])
    first, second = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    assert list(first) == ["id", "ranked", "outcome", "best", "top_score", "score_gap"]
    assert (first["id"], first["best"], second["best"]) == ("任务", "技能/a", None)
    assert "任务" in path.read_text(encoding="utf-8")


def test_a_file_name_that_is_no_text_survives_the_file(tmp_path: Path, make_prediction: MakePrediction) -> None:
    write_predictions(tmp_path / "out.jsonl", [make_prediction("a", ["caf\udce9"])])
    assert json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))["best"] == "caf\udce9"
