"""A scan as people read it: the skills, then what is wrong file by file, then a summary by kind of fault."""

import os
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.diagnostic import Diagnostic, Severity, count_kinds
from skill_selector.console import out, plain, stdout

MOST_ROWS = 200
"""Skills in the table; `--json` has them all."""

_STYLES: dict[Severity, str] = {"error": "red", "warning": "yellow", "note": "cyan"}


def show_catalog(catalog: Catalog) -> None:
    """Print the skills and diagnostics of a scan, and a summary."""
    console = stdout()
    if catalog.skills:
        console.print(_skills(catalog))
        if len(catalog.skills) > MOST_ROWS:
            out(f"… and {len(catalog.skills) - MOST_ROWS:,} more; --json lists them all")
        out("")
    for path, faults in groupby(catalog.diagnostics, key=lambda one: one.path):
        _show_faults(console, path, list(faults), catalog.roots)
    if catalog.diagnostics:
        console.print(_kinds(catalog))
        out("")
    out(summary(catalog))


def summary(catalog: Catalog) -> str:
    """Return how many skills were loaded as they are, loaded with repairs, and not loaded."""
    repaired = {one.path for one in catalog.diagnostics if one.severity == "warning"}
    skipped = {one.path for one in catalog.diagnostics if one.severity == "error"}
    notes = sum(one.severity == "note" for one in catalog.diagnostics)
    loaded = len(catalog.skills) + len(catalog.shadowed)
    parts = [f"{loaded:,} loaded", f"{len(repaired - skipped):,} of them with warnings", f"{len(skipped):,} skipped"]
    if catalog.shadowed:
        parts.append(f"{len(catalog.shadowed):,} shadowed")
    return ", ".join([*parts, f"{notes:,} notes"])


def _skills(catalog: Catalog) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    table.add_column("skill", no_wrap=True)
    table.add_column("name", no_wrap=True)
    table.add_column("description", no_wrap=True, ratio=1)
    for skill in catalog.skills[:MOST_ROWS]:
        table.add_row(*(Text(plain(cell)) for cell in (skill.id, skill.name, skill.description)))
    return table


def _kinds(catalog: Catalog) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("files", justify="right")
    table.add_column("kind")
    table.add_column("severity")
    severities: dict[str, Severity] = {one.kind: one.severity for one in catalog.diagnostics}
    for kind, count in count_kinds(catalog.diagnostics).items():
        table.add_row(f"{count:,}", kind, Text(severities[kind], _STYLES[severities[kind]]))
    return table


def _show_faults(console: Console, path: str, faults: list[Diagnostic], roots: tuple[str, ...]) -> None:
    root = next((root for root in roots if path.startswith(root + "/")), None)
    console.print(Text(plain(os.path.relpath(path, root) if root else path), "bold"), soft_wrap=True)
    for one in faults:
        line = Text(f"  {one.severity:<8}", _STYLES[one.severity]) + Text(f"{one.kind}: {plain(one.message)}")
        console.print(line + Text(f"; {plain(one.fix)}", "dim"), soft_wrap=True)
