"""What each command does, between its arguments and its exit status."""

import argparse
import gc
import sys
from typing import Any

from skill_selector import console, listing, scoreboard
from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.garbage import paused_collection
from skill_selector.graph.errors import SettingError, SkillSelectorError, TaskError
from skill_selector.progress import Progress
from skill_selector.prompts.catalogue import render_catalogue
from skill_selector.selection import SkillSelection

HIT, NO_HIT = 0, 1
"""Exit statuses."""


def select(options: argparse.Namespace) -> int:
    """Choose a skill; 0 for a hit, 1 for none."""
    task = _read_task(options.task)
    if options.ask and options.task == "-":
        raise SkillSelectorError("--ask reads your answer from standard input, which TASK - has used up; pass the task")
    selection = _select(task, options, ask=options.ask or _asks_by_setting(options))
    with console.printing():
        if options.json:
            console.out_json(selection.to_dict())
        else:
            console.show_selection(selection, explain=options.explain)
    return HIT if selection.hit else NO_HIT


def scan(options: argparse.Namespace) -> int:
    """List skills and diagnostics; 1 when `--strict` and anything was wrong."""
    catalog = _scan(options.directories)
    with console.printing():
        if options.json:
            console.out_json(
                {
                    "roots": list(catalog.roots),
                    "skills": [skill.to_dict() for skill in catalog.skills],
                    "diagnostics": [diagnostic.to_dict() for diagnostic in catalog.diagnostics],
                }
            )
        else:
            listing.show_catalog(catalog)
    return NO_HIT if options.strict and catalog.diagnostics else HIT


def index(options: argparse.Namespace) -> int:
    """Make index and vectors on disk; 0 unless something was wrong."""
    from skill_selector.indexing import index_skills  # noqa: PLC0415 - no other command needs it

    with Progress() as progress:
        made = index_skills(options.directories, strategy=options.strategy, progress=progress.report)
    with console.printing():
        if options.json:
            console.out_json(made)
        else:
            console.out(f"{made['count']:,} skills; {made['texts']:,} texts, {made['embedded']:,} of them embedded now")
    if not options.json:
        console.note(f"vectors: {made['embedder'] or 'none'}; kept in {made['folder']}")
    return HIT


def catalog(options: argparse.Namespace) -> int:
    """Print the catalogue block of every skill, or of a task's candidates; 1 when it is empty."""
    if options.task is None and (options.strategy is not None or options.top_k is not None):
        named = "--top-k" if options.strategy is None else "--strategy"
        raise SettingError(f"{named} chooses among candidates, which needs a task; add --task, or leave {named} out")
    found = _scan(options.skills)
    skills = [skill for skill in found.skills if not skill.manual_only]
    if options.task is not None:
        selection = _select(_read_task(options.task), options)
        skills = [found.by_id[one["skill"]["id"]] for one in selection.ranked]
    block = render_catalogue((skill.name, skill.description, skill.file) for skill in skills)
    with console.printing():
        if options.json:
            console.out_json({"block": block, "skills": [skill.id for skill in skills], "characters": len(block)})
        elif block:
            console.out(block)
    if not skills:
        console.note("no skill to list")
    return HIT if skills else NO_HIT


def evaluate(options: argparse.Namespace) -> int:
    """Measure on labelled tasks; 0 unless something was wrong."""
    from skill_selector import evaluation  # noqa: PLC0415 - no other command measures
    from skill_selector.evaluation.files import check_writable  # noqa: PLC0415 - the same
    from skill_selector.evaluation.report import check_report  # noqa: PLC0415 - the same

    tasks = evaluation.load_tasks(options.queries)
    if options.predictions:
        check_writable(options.predictions)
    if options.report:
        check_report(options.report)
    with Progress() as progress:

        def warn(notice: str) -> None:
            progress.stop()
            console.note(notice)

        measured = evaluation.evaluate(
            tasks,
            options.skills,
            offline=options.offline,
            processes=options.processes,
            concurrency=options.concurrency,
            progress=lambda step, done: progress.report(step, done, len(tasks) if step == "evaluate" else None),
            warn=warn,
            top_k=options.top_k,
            strategy=options.strategy,
        )
    if options.predictions:
        evaluation.write_predictions(options.predictions, measured.predictions)
    if options.report:
        console.note(f"the report is {evaluation.write_report(measured, options.report)}")
    with console.printing():
        if options.json:
            console.out_json(measured.to_dict())
        else:
            scoreboard.show_evaluation(measured)
    return HIT


def _select(task: str, options: argparse.Namespace, *, ask: bool = False) -> SkillSelection:
    # What is imported stays until the process ends: searching it for garbage, then and at the end, takes a quarter of
    # the whole run.
    with paused_collection():
        from skill_selector.api import select_skill  # noqa: PLC0415 - `scan` does without the graph
    gc.freeze()

    with Progress() as progress:

        def put(question: dict[str, Any]) -> str | None:
            progress.stop()
            return console.ask(question)

        return select_skill(
            task,
            options.skills,
            offline=options.offline,
            ask=put if ask else None,
            progress=progress.report,
            top_k=options.top_k,
            strategy=options.strategy,
        )


def select_for(task: str, options: argparse.Namespace) -> SkillSelection:
    """Return the selection that a command of another module needs first."""
    return _select(task, options)


def _asks_by_setting(options: argparse.Namespace) -> bool:
    """Say whether the settings want a human to be asked, and one may sit there."""
    from skill_selector.graph.context import SelectorContext  # noqa: PLC0415 - `--help` does without it
    from skill_selector.graph.settings import resolve_settings  # noqa: PLC0415 - the same

    if options.task == "-" or not (sys.stdin and sys.stdin.isatty()):
        return False
    given = SelectorContext(
        top_k=options.top_k, strategy=options.strategy, reasoner="local" if options.offline else None
    )
    return resolve_settings(given).on_ambiguous == "ask"


def _scan(directories: list[str]) -> Catalog:
    from skill_selector.catalog.cache import open_cache  # noqa: PLC0415 - `--help` does without all of it
    from skill_selector.catalog.scanner import scan as scan_roots  # noqa: PLC0415
    from skill_selector.catalog.snapshot import Snapshots  # noqa: PLC0415
    from skill_selector.graph.settings import resolve_settings  # noqa: PLC0415

    snapshots = Snapshots(open_cache(resolve_settings().cache_dir))
    with Progress() as progress:
        return scan_roots(directories, progress=lambda done: progress.report("scan", done), snapshots=snapshots)


def _read_task(task: str) -> str:
    if task == "-" and sys.stdin is None:
        raise TaskError("the task is to be read from standard input, which is closed; pass the task in words")
    text = sys.stdin.read() if task == "-" else task
    if not text.strip():
        raise TaskError("the task is empty; say in words what shall be done")
    return text
