"""What an evaluation comes to, as Python, JSON and notebooks see it."""

from dataclasses import dataclass
from html import escape
from statistics import median
from typing import Any, ClassVar

from skill_selector.evaluation.figures import Figures
from skill_selector.evaluation.prediction import Prediction, TaskRun, add_usage
from skill_selector.evaluation.task import LabelledTask
from skill_selector.graph.records import CatalogSummary, Usage
from skill_selector.nodes.decision import Bar


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What the selector made of labelled tasks."""

    columns: ClassVar = ("tasks", "figure", "mean", "95 % interval", "n")
    """Of the table of figures."""

    tasks: tuple[LabelledTask, ...]
    runs: tuple[TaskRun, ...]
    """One a task, in the order of the tasks."""
    figures: Figures
    bar: Bar
    """The threshold and the gap that decided."""
    catalog: CatalogSummary
    settings: dict[str, Any]
    """Those that were in force, by name, but for secrets; and who reasoned."""
    warnings: tuple[str, ...]

    @property
    def predictions(self) -> list[Prediction]:
        """The predictions, in the order of the tasks."""
        return [run["prediction"] for run in self.runs]

    @property
    def seconds(self) -> dict[str, float]:
        """Wall time of a task, without the scan: the median, and what 95 % of the tasks stay below."""
        times = sorted(run["seconds"] for run in self.runs)
        return {"median": median(times), "p95": times[int(0.95 * (len(times) - 1))]}

    @property
    def usage(self) -> Usage:
        """Model calls and tokens of all tasks."""
        return add_usage(run["usage"] for run in self.runs)

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return the figures as text, in the order of `columns`."""
        return [
            (subset, name, f"{one.mean:.3f}", f"{one.low:.3f} to {one.high:.3f}", f"{one.n:,}")
            for subset, figures in self.figures.items()
            for name, one in figures.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of `evaluate --json`; the predictions are a file of their own."""
        return {
            "tasks": len(self.tasks),
            "figures": {
                subset: {name: one._asdict() for name, one in figures.items()}
                for subset, figures in self.figures.items()
            },
            "seconds": self.seconds,
            "usage": self.usage,
            "warnings": list(self.warnings),
            "settings": self.settings,
            "catalog": self.catalog,
        }

    def __str__(self) -> str:
        return "\n".join(f"{row[0]:<16}{row[1]:<12}{row[2]}  {row[3]:<16}  n={row[4]}" for row in self.rows())

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows())
        heads = "".join(f"<th>{head}</th>" for head in self.columns)
        return f"<table><tr>{heads}</tr>{rows}</table>"
