"""An evaluation as people read it: the figures as a table on stdout, time and cost on stderr."""

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from skill_selector.console import note, stdout

if TYPE_CHECKING:
    from skill_selector.evaluation.result import Evaluation


def show_evaluation(evaluation: "Evaluation") -> None:
    """Print the figures, and what they took."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in evaluation.columns:
        table.add_column(column, justify="right" if column == "n" else "left", no_wrap=True)
    for row in evaluation.rows():
        table.add_row(*map(Text, row))
    stdout().print(table)
    seconds, usage = evaluation.seconds, evaluation.usage
    took = f"{1000 * seconds['median']:,.0f} ms a task, 95 % below {1000 * seconds['p95']:,.0f} ms"
    if usage["calls"]:
        took += f"; {usage['calls']:,} model calls, {usage['prompt_tokens']:,} + {usage['completion_tokens']:,} tokens"
    note(took)
