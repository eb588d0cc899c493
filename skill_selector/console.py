"""What people see in a terminal: results on stdout, everything else on stderr.

Texts of skills and models are printed as `Text`, never as markup, and without control characters.
"""

import sys
import unicodedata
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from skill_selector.graph.records import RUBRIC, RankedSkill
from skill_selector.selection import REASONS, SkillSelection

PIPED_WIDTH = 120
"""Columns of tables where stdout is no terminal."""

BAR_WIDTH = 10
"""Cells of a bar that stands for 40 points; the other parts' bars are to the same scale."""

_OUTCOME_STYLES = {"hit": "bold green", "ambiguous": "bold yellow", "no_match": "bold red"}


def out(text: str) -> None:
    """Print a text to stdout as it is."""
    print(text)  # noqa: T201 - the one place where results leave


def note(text: str) -> None:
    """Print a line about the run to stderr."""
    print(f"skill-selector: {plain(text)}", file=sys.stderr)  # noqa: T201 - the one place where notes leave


def plain(text: str) -> str:
    """Return a text on one line, without characters that a terminal would obey."""
    return " ".join("".join(" " if unicodedata.category(one) in {"Cc", "Cf"} else one for one in text).split())


def show_selection(selection: SkillSelection, *, explain: bool = False) -> None:
    """Print a selection: the outcome, what was understood, the candidates; with `explain` also how it came about."""
    console = stdout()
    console.print(Text(plain(selection.headline), style=_OUTCOME_STYLES[selection.outcome]), soft_wrap=True)
    _facts(console, [("why", REASONS[selection.reason]), ("path", selection.skill_path)])
    if analysis := selection.analysis:
        console.print("\nunderstood", style="bold")
        listed = [(name.replace("_", " "), analysis[name]) for name in ("keywords", "constraints", "tech_stack")]
        _facts(
            console,
            [
                ("intent", analysis["intent"]),
                *((name, ", ".join(values)) for name, values in listed),
                ("when to use", analysis["when_to_use"]),
            ],
        )
    if selection.ranked:
        console.print("\ncandidates", style="bold")
        for one in selection.ranked:
            _show_candidate(console, one, explain=explain)
    if explain:
        _explain(console, selection)
    for fault in selection.degraded:
        note(f"{fault['step']}: {fault['what']} failed ({fault['why']}); used {fault['instead']}")
    if count := sum(selection.catalog["diagnostics_by_kind"].values()):
        note(f"{count} diagnostics about the skills; see: skill-selector scan {' '.join(selection.catalog['roots'])}")


def ask(question: dict[str, Any]) -> str | None:
    """Put the question to whoever sits at the terminal; None for none of the candidates, or no answer."""
    console = Console(stderr=True, highlight=False)
    console.print(Text(question["question"], "bold"))
    offered = question["candidates"]
    for number, one in enumerate(offered, 1):
        console.print(Text(f"  {number}  {plain(one['name'])} ({one['score']:g})  {_short(plain(one['description']))}"))
    console.print(f"  0  none of them\nnumber [0-{len(offered)}]: ", end="")
    while True:
        line = sys.stdin.readline()
        if not line or line.strip() in {"", "0"}:
            return None
        if line.strip().isdecimal() and int(line) <= len(offered):
            return str(offered[int(line) - 1]["id"])
        console.print(f"a number from 0 to {len(offered)}: ", end="")


def stdout() -> Console:
    """Return a console on stdout; tables are wider where it is no terminal."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _cell(text: str) -> Text:
    return Text(plain(text))


def _short(text: str, most: int = 160) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _facts(console: Console, facts: list[tuple[str, str | None]]) -> None:
    for name, value in facts:
        if value:
            console.print(Text(f"  {name:<12}", "dim") + Text(plain(value)), soft_wrap=True)


def _show_candidate(console: Console, one: RankedSkill, *, explain: bool) -> None:
    copies = f" (and {len(one['copies'])} copies)" if one["copies"] else ""
    console.print(Text(f"  {one['score']:5g}  ", "bold") + Text(plain(one["skill"]["id"]) + copies), soft_wrap=True)
    parts = Text("         ")
    for part, points in one["dimensions"].items():
        full = round(points / max(RUBRIC.values()) * BAR_WIDTH)
        parts += Text(f"{part.replace('_', ' ')} ", "dim") + Text("█" * full or "·", "blue")
        parts += Text(f" {points:g}/{RUBRIC[part]:g}   ", "dim")
    console.print(parts, soft_wrap=True)
    console.print(Text(f"         {plain(one['veto'] or one['reason'])}"), soft_wrap=True)
    if explain:
        routes = ", ".join(f"{name} {share:.2f}" for name, share in one["routes"].items())
        found = f"{one['retrieval_score']:.2f} = {routes}" if routes else "found by substring"
        console.print(Text(f"         retrieval: {found}", "dim"), soft_wrap=True)


def _explain(console: Console, selection: SkillSelection) -> None:
    console.print("\nsteps", style="bold")
    table = _table("round", "step", "seconds", "calls", "tokens", "made")
    for one in selection.trace:
        cost = one["cost"]
        tokens = f"{cost['prompt_tokens']}+{cost['completion_tokens']}"
        made = "; ".join(f"{name} {value}" for name, value in one["output"].items() if name != "candidates")
        cells = (str(one["round"]), one["step"], f"{one['seconds']:.3f}", str(cost["calls"]), tokens, _short(made))
        table.add_row(*map(_cell, cells))
    console.print(table)
