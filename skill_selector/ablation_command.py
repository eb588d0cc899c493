"""What `skill-selector ablate` does."""

import argparse
from dataclasses import asdict
from typing import Any

from skill_selector import console
from skill_selector.evaluation.ablation import NAMES, WAYS
from skill_selector.evaluation.ablation import ablate as run_ablation
from skill_selector.evaluation.contexttask import load_context_tasks
from skill_selector.graph.errors import SettingError, TaskFileError
from skill_selector.progress import Progress
from skill_selector.scoreboard import show_table

DONE = 0
"""Exit status."""


def ablate(options: argparse.Namespace) -> int:
    """Measure compiled context beside plain retrieval and nothing; 0 unless something was wrong."""
    tasks = [one for one in load_context_tasks(options.tasks) if options.split in ("all", one.split)]
    if not tasks:
        raise TaskFileError(f"{options.tasks} holds no task of the split {options.split!r}; leave --split out for all")
    with Progress() as progress:
        made = run_ablation(
            tasks,
            knowledge=options.knowledge,
            skills=options.skills,
            budget=_budget(options.budget),
            progress=lambda step, done: progress.report(step, done, len(tasks)),
        )
    figures = made.figures(tasks)
    with console.printing():
        if options.json:
            shown: dict[str, Any] = {"figures": figures, "runs": [asdict(run) for run in made.runs]}
            console.out_json(shown)
        else:
            rows = [
                [subset, way, *(_shown(name, named[name]) for name in NAMES), str(named["coverage"].n)]
                for subset, ways in figures.items()
                for way in WAYS
                for named in [ways[way]]
            ]
            show_table(["tasks", "way", *NAMES, "n"], rows)
    return DONE


def _shown(name: str, figure: Any) -> str:
    if name == "tokens":
        return f"{figure.mean:,.0f}"
    return f"{figure.mean:.3f} [{figure.low:.2f}, {figure.high:.2f}]"


def _budget(given: str) -> int:
    if not given.isdecimal() or not 300 <= int(given) <= 1_000_000:
        raise SettingError(f"--budget is {given!r}: it must be a whole number of tokens, 300 or more")
    return int(given)
