"""An evaluation as people read it: the figures as a table on stdout, time and cost on stderr."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from skill_selector.console import note, stdout
from skill_selector.reasoners.calibration import total_weights
from skill_selector.reasoners.rubric import MODELS

if TYPE_CHECKING:
    from skill_selector.evaluation.calibrated import Calibrated
    from skill_selector.evaluation.result import Evaluation

SAME = 1e-5
"""Weights that differ by less are the same, rounded."""


def show_evaluation(evaluation: "Evaluation") -> None:
    """Print the figures, and what they took."""
    _show_table(evaluation.columns, evaluation.rows())
    seconds, usage = evaluation.seconds, evaluation.usage
    took = f"{1000 * seconds['median']:,.0f} ms a task, 95 % below {1000 * seconds['p95']:,.0f} ms"
    if usage["calls"]:
        took += f"; {usage['calls']:,} model calls, {usage['prompt_tokens']:,} + {usage['completion_tokens']:,} tokens"
    note(took)


def show_calibration(made: "Calibrated") -> None:
    """Print the figures before and after, and what was chosen."""
    _show_table(made.columns, made.rows())
    chosen = made.calibration
    shipped = total_weights(MODELS[chosen.model])
    changed = any(abs(chosen.weights[name] - weight) > SAME for name, weight in shipped.items())
    weights = "weights fitted to the tasks" if changed else "the shipped weights"
    note(f"threshold {chosen.hit_threshold:g}, gap {chosen.min_gap:g}, {weights}")


def _show_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, justify="right" if column == "n" else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    stdout().print(table)
