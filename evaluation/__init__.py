"""Measuring: labelled tasks in, figures, predictions and a report out.

The names below load what they need when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skill_selector.evaluation.calibrated import Calibrated
    from skill_selector.evaluation.calibrator import calibrate
    from skill_selector.evaluation.figures import Figure, score
    from skill_selector.evaluation.job import evaluate
    from skill_selector.evaluation.prediction import Prediction, write_predictions
    from skill_selector.evaluation.report import write_report
    from skill_selector.evaluation.result import Evaluation
    from skill_selector.evaluation.task import LabelledTask, load_tasks

_HOMES = {
    "Calibrated": "calibrated",
    "Evaluation": "result",
    "Figure": "figures",
    "LabelledTask": "task",
    "Prediction": "prediction",
    "calibrate": "calibrator",
    "evaluate": "job",
    "load_tasks": "task",
    "score": "figures",
    "write_predictions": "prediction",
    "write_report": "report",
}

__all__ = [
    "Calibrated",
    "Evaluation",
    "Figure",
    "LabelledTask",
    "Prediction",
    "calibrate",
    "evaluate",
    "load_tasks",
    "score",
    "write_predictions",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
