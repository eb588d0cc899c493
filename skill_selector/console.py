"""What people see in a terminal: results on stdout, everything else on stderr.

Texts of skills and models are printed as `Text`, never as markup, and without control characters.
"""

import json
import os
import shlex
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from skill_selector.explanation import Loss, loss
from skill_selector.graph.records import RUBRIC, RankedSkill, TraceEntry
from skill_selector.selection import REASONS, SkillSelection, flagged

PIPED_WIDTH = 120
"""Columns of tables where stdout is no terminal."""

BAR_WIDTH = 10
"""Cells of a bar that stands for 40 points; the other parts' bars are to the same scale."""

NARROW = 60
"""Columns below which a table would be cut to shreds."""

_OUTCOME_STYLES = {"hit": "bold green", "ambiguous": "bold yellow", "no_match": "bold red"}


@contextmanager
def printing() -> Iterator[None]:
    """Print results inside it: whoever reads them may leave early, which is no error."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def silence() -> None:
    """Send what is still to be written to stdout nowhere, so that the interpreter can end without complaint."""
    with suppress(OSError, ValueError):  # a stand-in for stdout has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def out_json(value: dict[str, Any]) -> None:
    """Print JSON: readable where stdout can hold every character, else with escapes of JSON's own."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    out(text)


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
    bar = selection.thresholds if explain else None
    needed = f"score {bar['score']:g}, {bar['gap']:g} ahead of the next" if bar else None
    _facts(console, [("why", REASONS[selection.reason]), ("path", selection.skill_path), ("a hit needs", needed)])
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
            _show_candidate(console, one, lost=loss(one, selection) if explain else None, explain=explain)
    if explain:
        _explain(console, selection)
    note_degraded(selection)
    if count := sum(selection.catalog["diagnostics_by_kind"].values()):
        noun = "diagnostic" if count == 1 else "diagnostics"
        note(f"{count} {noun} about the skills; see: skill-selector scan {shlex.join(selection.catalog['roots'])}")


def note_degraded(selection: SkillSelection) -> None:
    """Print what fell back to stderr."""
    for fault in selection.degraded:
        note(f"{fault['step']}: {fault['what']} failed ({fault['why']}); used {fault['instead']}")


def ask(question: dict[str, Any]) -> str | None:
    """Put the question to whoever sits at the terminal; None for none of the candidates.

    Raises:
        EOFError: standard input ended before there was an answer.
    """
    console = Console(stderr=True, highlight=False)
    console.print(Text(question["question"], "bold"))
    offered = question["candidates"]
    for number, one in enumerate(offered, 1):
        console.print(Text(f"  {number}  {plain(one['name'])} ({one['score']:g})  {_short(plain(one['description']))}"))
    console.print(f"  0  none of them\nnumber [0-{len(offered)}]: ", end="")
    while True:
        line = sys.stdin.readline() if sys.stdin else ""
        if not line:
            console.print()
            note("nobody answered")
            raise EOFError
        if line.strip() in {"", "0"}:
            return None
        if line.strip().isdecimal() and int(line) <= len(offered):
            return str(offered[int(line) - 1]["id"])
        console.print(f"a number from 0 to {len(offered)}: ", end="")


def stdout() -> Console:
    """Return a console on stdout; tables are wider where it is no terminal."""
    return _Console(highlight=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave the exit status to the command: rich would end the process with 1."""
        raise BrokenPipeError


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


def _show_candidate(console: Console, one: RankedSkill, *, lost: Loss | None, explain: bool) -> None:
    copies = f" (and {len(one['copies'])} copies)" if one["copies"] else ""
    console.print(Text(f"  {one['score']:5g}  ", "bold") + Text(plain(one["skill"]["id"]) + copies), soft_wrap=True)
    parts = Text("         ")
    for part, points in one["dimensions"].items():
        full = round(points / max(RUBRIC.values()) * BAR_WIDTH)
        parts += Text(f"{part.replace('_', ' ')} ", "dim") + Text("█" * full or "·", "blue")
        parts += Text(f" {points:g}/{RUBRIC[part]:g}   ", "dim")
    console.print(parts, soft_wrap=True)
    console.print(Text(f"         {plain(one['veto'] or one['reason'])}{flagged(one)}"), soft_wrap=True)
    if explain:
        routes = ", ".join(
            f"{name} {share:.2f}{_rank(one.get('ranks', {}).get(name))}" for name, share in one["routes"].items()
        )
        found = f"{one['retrieval_score']:.2f} = {routes}" if routes else "found by substring"
        console.print(Text(f"         retrieval: {found}", "dim"), soft_wrap=True)
    if lost:
        console.print(Text(f"         not chosen: {plain(lost['text'])}", "dim"), soft_wrap=True)


def _rank(rank: int | None) -> str:
    return f" (rank {rank:,})" if rank else ""


def _explain(console: Console, selection: SkillSelection) -> None:
    console.print("\nsteps", style="bold")
    rows = [_step_cells(one) for one in selection.trace]
    if console.width < NARROW:
        for number, step, seconds, calls, tokens, made in rows:
            line = f"{number} {step} {seconds} s, {calls} calls, {tokens} tokens: {made}"
            console.print(_cell(line), soft_wrap=True)
        return
    table = _table("round", "step", "seconds", "calls", "tokens", "made")
    for cells in rows:
        table.add_row(*map(_cell, cells))
    console.print(table)


def _step_cells(one: TraceEntry) -> tuple[str, ...]:
    cost = one["cost"]
    tokens = f"{cost['prompt_tokens']}+{cost['completion_tokens']}"
    made = "; ".join(f"{name} {_made(name, value)}" for name, value in one["output"].items())
    return str(one["round"]), one["step"], f"{one['seconds']:.3f}", str(cost["calls"]), tokens, _short(made)


def _made(name: str, value: Any) -> str:
    if name == "candidates":
        return ", ".join(f"{one['id']} {one['score']:.2f}" for one in value) or "none"
    return str(value)
