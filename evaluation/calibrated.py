"""What `calibrate` comes to, as Python, JSON and notebooks see it."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

from skill_selector.evaluation.figures import Figure
from skill_selector.evaluation.files import write_whole
from skill_selector.reasoners.calibration import Calibration


@dataclass(frozen=True, kw_only=True)
class Calibrated:
    """A calibration, and what it is worth on tasks that it has not seen."""

    columns: ClassVar = ("figure", "before", "after", "95 % interval", "n")
    """Of the table of figures."""

    calibration: Calibration
    before: dict[str, Figure]
    """What the shipped weights and the settings in force come to."""
    after: dict[str, Figure]
    """The same tasks, each decided by what was fitted without it."""
    warnings: tuple[str, ...]

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return the figures as text, in the order of `columns`."""
        return [
            (
                name,
                f"{self.before[name].mean:.3f}",
                f"{one.mean:.3f}",
                f"{one.low:.3f} to {one.high:.3f}",
                f"{one.n:,}",
            )
            for name, one in self.after.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of `calibrate --json`."""
        return {"calibration": self.calibration.to_dict(), "warnings": list(self.warnings)}

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the calibration's file; whole, or not at all.

        Raises:
            EvaluationError: it cannot be written.
        """
        write_whole(path, json.dumps(self.calibration.to_dict(), indent=2, ensure_ascii=False) + "\n")

    def __str__(self) -> str:
        return "\n".join(f"{row[0]:<12}{row[1]} → {row[2]}  {row[3]:<16}  n={row[4]}" for row in self.rows())

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows())
        heads = "".join(f"<th>{head}</th>" for head in self.columns)
        return f"<table><tr>{heads}</tr>{rows}</table>"


def rounded(figures: Mapping[str, Figure]) -> dict[str, Figure]:
    """Return the figures with as many digits as people read."""
    return {
        name: Figure(round(one.mean, 4), round(one.low, 4), round(one.high, 4), one.n) for name, one in figures.items()
    }
