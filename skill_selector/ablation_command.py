"""What `skill-selector ablate` does."""

import argparse

from rich.table import Table
from rich.text import Text

from skill_selector import console
from skill_selector.evaluation.ablation import BUDGET, MEASURES, Ablation
from skill_selector.evaluation.ablation import ablate as run_ablation
from skill_selector.evaluation.context_task import SPLITS, load_context_tasks
from skill_selector.evaluation.figures import Figure
from skill_selector.graph.errors import SettingError, TaskFileError
from skill_selector.progress import Progress

DONE = 0
"""Exit status."""
LEAST_BUDGET = 300


def ablate(options: argparse.Namespace) -> int:
    """Compare compiled context with plain retrieval and with nothing; 0 unless something was wrong."""
    budget = _budget(options.budget)
    wanted = SPLITS if options.split == "all" else (options.split,)
    tasks = [one for one in load_context_tasks(options.tasks) if one.split in wanted]
    if not tasks:
        raise TaskFileError(f"{options.tasks} holds no task of the split {options.split}; try --split all")
    with Progress() as progress:
        made = run_ablation(
            tasks,
            options.knowledge,
            options.skills,
            budget=budget,
            advance=lambda done: progress.report("ablate", done, len(tasks)),
        )
    with console.printing():
        if options.json:
            console.out_json(made.to_dict())
        else:
            _show(made)
    return DONE


def _budget(given: str | None) -> int:
    try:
        value = BUDGET if given is None else int(given)
    except ValueError:
        raise SettingError(f"--budget {given}: it must be a whole number of tokens") from None
    if value < LEAST_BUDGET:
        raise SettingError(f"--budget {given}: it must be {LEAST_BUDGET} at least")
    return value


def _show(made: Ablation) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("tasks", "n", "context", *MEASURES, "tokens"):
        table.add_column(name, justify="right" if name == "n" else "left", no_wrap=True)
    for subset, conditions in made.figures().items():
        for condition, named in conditions.items():
            cells = [subset, str(named["tokens"].n), condition]
            cells += [_cell(named[name], ".2f") for name in MEASURES] + [_cell(named["tokens"], ",.0f")]
            table.add_row(*(Text(console.plain(cell)) for cell in cells))
    console.stdout().print(table)
    console.note(
        f"mean and 95 % interval at a budget of {made.budget:,} tokens; success: a scripted model that knows "
        "nothing but its prompt gets every fact right"
    )


def _cell(one: Figure, form: str) -> str:
    return f"{one.mean:{form}} [{one.low:{form}}, {one.high:{form}}]"
