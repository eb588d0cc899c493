"""What one task came to: the prediction that is scored and written out, and the details that a report shows."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NotRequired

from typing_extensions import TypedDict

from skill_selector.evaluation.files import write_whole
from skill_selector.evaluation.measured import Measured
from skill_selector.graph.records import Degradation, Outcome, RankedSkill, Reason, Usage
from skill_selector.nodes.decision import best_round
from skill_selector.reasoners.base import NO_USAGE

MOST_RANKED = 50
"""Skill ids in a prediction."""


class Prediction(TypedDict):
    """One line of a file of predictions."""

    id: str
    """The task's."""
    ranked: list[str]
    """Skill ids, best first: rank's order, then the remaining order of retrieval; at most `MOST_RANKED`."""
    outcome: Outcome
    best: str | None
    """The chosen skill; null unless the outcome is a hit."""
    top_score: float
    """0 to 100."""
    score_gap: float


class TaskRun(TypedDict):
    """One task's run through the graph. Plain JSON: it travels between processes."""

    prediction: Prediction
    ranked: list[RankedSkill]
    """What Reason #2 scored, best first."""
    reason: Reason
    intent: str
    """What Reason #1 understood; empty where nothing was there to choose from."""
    degraded: list[Degradation]
    usage: Usage
    seconds: float
    """Wall time of the whole run but for the scan of the folders."""
    digest: str
    """The catalogue's."""
    measured: NotRequired[list[Measured]]
    """What the local reasoner measured of the candidates, where that was asked for."""


def run_of(task_id: str, state: Mapping[str, Any], retrieved: Mapping[int, Sequence[str]], seconds: float) -> TaskRun:
    """Return what a run came to.

    Args:
        task_id: the labelled task's.
        state: the graph's last state, private keys included.
        retrieved: the order of retrieval of each round, by its number.
        seconds: wall time of the whole run.
    """
    rounds = state["rounds"]
    order = retrieved.get(best_round(rounds)["number"], ()) if rounds else ()
    first = [one["skill"]["id"] for one in state["ranked"]]
    best, analysis = state["best"], state["analysis"]
    scanning = sum(one["seconds"] for one in state["selector_trace"] if one["step"] == "scan")
    return {
        "prediction": {
            "id": task_id,
            "ranked": list(dict.fromkeys([*first, *order]))[:MOST_RANKED],
            "outcome": state["outcome"],
            "best": best["id"] if best else None,
            "top_score": state["top_score"],
            "score_gap": state["score_gap"],
        },
        "ranked": state["ranked"],
        "reason": state["reason"],
        "intent": analysis["intent"] if analysis else "",
        "degraded": state["degraded"],
        "usage": add_usage(one["cost"] for one in state["selector_trace"]),
        "seconds": max(0.0, round(seconds - scanning, 4)),
        "digest": state["catalog"]["digest"],
    }


def add_usage(costs: Iterable[Usage]) -> Usage:
    """Return the sum of what several steps cost."""
    total = NO_USAGE.copy()
    for cost in costs:
        total["calls"] += cost["calls"]
        total["prompt_tokens"] += cost["prompt_tokens"]
        total["completion_tokens"] += cost["completion_tokens"]
    return total


def write_predictions(path: str | os.PathLike[str], predictions: Iterable[Prediction]) -> None:
    """Write a file of predictions, one JSON object a line; whole, or not at all.

    Raises:
        EvaluationError: the file cannot be written.
    """
    write_whole(path, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in predictions))
