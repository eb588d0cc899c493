"""Labelled tasks over the skills of `pdf_skills`, and predictions and runs made by hand."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from skill_selector.evaluation.prediction import Prediction, TaskRun
from skill_selector.evaluation.task import Kind, LabelledTask
from skill_selector.graph.records import Outcome, RankedSkill, Reason
from skill_selector.reasoners.base import NO_USAGE

MakeTask = Callable[..., LabelledTask]
MakePrediction = Callable[..., Prediction]
MakeRun = Callable[..., TaskRun]
WriteTasks = Callable[..., Path]


@pytest.fixture
def make_task() -> MakeTask:
    """Return a function that makes a labelled task; gold is given as one group a skill, or as groups."""

    def make(
        task_id: str, kind: Kind = "match", gold: Sequence[str | tuple[str, ...]] = (), task: str = "", lang: str = "en"
    ) -> LabelledTask:
        groups = tuple((one,) if isinstance(one, str) else one for one in gold)
        return LabelledTask(id=task_id, lang=lang, kind=kind, task=task or f"do {task_id}", gold=groups)

    return make


@pytest.fixture
def make_prediction() -> MakePrediction:
    """Return a function that makes a prediction; the best skill is the first one where the outcome is a hit."""

    def make(
        task_id: str, ranked: Sequence[str] = (), outcome: Outcome = "hit", score: float = 80.0, gap: float = 20.0
    ) -> Prediction:
        best = ranked[0] if ranked and outcome == "hit" else None
        return {
            "id": task_id,
            "ranked": list(ranked),
            "outcome": outcome,
            "best": best,
            "top_score": score,
            "score_gap": gap,
        }

    return make


@pytest.fixture
def make_run(make_prediction: MakePrediction) -> MakeRun:
    """Return a function that makes a task's run, of which the first `judged` skills were scored, 10 points apart."""

    def make(
        task_id: str,
        ranked: Sequence[str] = (),
        outcome: Outcome = "hit",
        *,
        score: float = 80.0,
        judged: int = 2,
        reason: Reason = "clear_winner",
    ) -> TaskRun:
        scored = [_ranked(one, score - 10 * at) for at, one in enumerate(ranked[:judged])]
        return {
            "prediction": make_prediction(task_id, ranked, outcome, score, 10.0 if judged > 1 else score),
            "ranked": scored,
            "reason": reason,
            "intent": "merge files",
            "degraded": [],
            "usage": NO_USAGE.copy(),
            "seconds": 0.01,
            "digest": "d",
        }

    return make


def _ranked(skill_id: str, score: float) -> RankedSkill:
    return {
        "skill": {
            "id": skill_id,
            "name": skill_id,
            "description": "",
            "path": f"/{skill_id}",
            "category": None,
            "version": None,
        },
        "score": score,
        "dimensions": {"intent": score},
        "reason": "its words",
        "veto": None,
        "routes": {"raw": 0.5},
        "retrieval_score": 0.5,
        "copies": [],
    }


@pytest.fixture
def write_tasks(tmp_path: Path) -> WriteTasks:
    """Return a function that writes rows, or lines as they are, into a file of tasks."""

    def write(*rows: dict[str, Any] | str) -> Path:
        lines = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in rows]
        path = tmp_path / "tasks.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


@pytest.fixture
def pdf_tasks(make_task: MakeTask) -> list[LabelledTask]:
    """Five tasks over `pdf_skills`, one of them with no skill and one with two."""
    return [
        make_task("a", gold=["pdf-merge"], task="merge two PDF files into one document"),
        make_task("b", gold=["csv-chart"], task="draw a bar chart from a CSV table"),
        make_task("c", gold=["meeting-notes"], task="把会议录音整理成会议纪要", lang="zh"),
        make_task("d", "none", task="tune my piano to 442 Hz"),
        make_task("e", "ambiguous", ["pdf-merge", "csv-chart"], task="merge PDF files and draw CSV charts"),
    ]
