"""What each command does, between its arguments and its exit status."""

import argparse
import gc
import sys
from typing import Any

from skill_selector import console, listing, scoreboard
from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.garbage import paused_collection
from skill_selector.explanation import explain
from skill_selector.graph.errors import SettingError, SkillSelectorError, TaskError
from skill_selector.progress import Progress
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
            why = {"explanation": explain(selection)} if options.explain else {}
            console.out_json({**selection.to_dict(), **why})
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
    """Print the catalogue block, or whole skills: all, or what is chosen for a task; 1 when there is nothing."""
    if options.task is None and (options.strategy is not None or options.top_k is not None):
        named = "--top-k" if options.strategy is None else "--strategy"
        raise SettingError(f"{named} chooses among candidates, which needs a task; add --task, or leave {named} out")
    from skill_selector.graph.settings import resolve_settings  # noqa: PLC0415 - `--help` does without all of it
    from skill_selector.injecting import inject_selection  # noqa: PLC0415
    from skill_selector.injection.forms import Injector  # noqa: PLC0415

    settings = resolve_settings()
    injector = Injector.of(settings, form=options.form, budget=_tokens(options.budget), location=options.location)
    selection = None if options.task is None else _select(_read_task(options.task), options)
    made = (
        injector.inject(_scan(options.skills)) if selection is None else inject_selection(selection, injector, settings)
    )
    with console.printing():
        if options.json:
            console.out_json({"outcome": selection.outcome if selection else None, **made.to_dict()})
        elif made.text:
            console.out(made.text)
    if selection is not None:
        console.note_degraded(selection)
        if not made.skills:
            console.note(selection.headline)
    console.note(made.summary if made.skills else "no skill to list")
    return HIT if made.skills else NO_HIT


def _tokens(budget: str | None) -> int | None:
    try:
        return None if budget is None else int(budget)
    except ValueError:
        raise SettingError(f"--budget is {budget!r}: it must be a whole number of tokens") from None


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
            calibration=options.calibration,
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


def calibrate(options: argparse.Namespace) -> int:
    """Fit the local score to labelled tasks; 0 unless something was wrong."""
    from skill_selector import evaluation  # noqa: PLC0415 - no other command measures
    from skill_selector.evaluation.files import check_writable  # noqa: PLC0415 - the same

    tasks = evaluation.load_tasks(options.queries)
    if options.out:
        check_writable(options.out)
    with Progress() as progress:

        def warn(notice: str) -> None:
            progress.stop()
            console.note(notice)

        made = evaluation.calibrate(
            tasks,
            options.skills,
            wrong_hit=options.wrong_hit,
            processes=options.processes,
            progress=lambda step, done: progress.report(step, done, len(tasks) if step == "evaluate" else None),
            warn=warn,
            top_k=options.top_k,
            strategy=options.strategy,
        )
    if options.out:
        made.write(options.out)
    with console.printing():
        if options.json:
            console.out_json(made.to_dict())
        else:
            scoreboard.show_calibration(made)
    if options.out:
        console.note(f"the calibration is {options.out}; select with --calibration or SELECTOR_CALIBRATION")
    return HIT


def _select(task: str, options: argparse.Namespace, *, ask: bool = False) -> SkillSelection:
    # What is imported stays until the process ends: searching it for garbage, then and at the end, takes a quarter of
    # the whole run.
    with paused_collection():
        from skill_selector.api import select_skill  # noqa: PLC0415 - `scan` does without the graph
        from skill_selector.graph.settings import resolve_settings  # noqa: PLC0415 - the same
    gc.freeze()

    with Progress() as progress:

        def put(question: dict[str, Any]) -> str | None:
            progress.stop()
            return console.ask(question)

        return select_skill(
            task,
            options.skills,
            offline=options.offline,
            calibration=options.calibration,
            ask=put if ask else None,
            progress=progress.report,
            project_directory=getattr(options, "project", None) or resolve_settings().project_directory or ".",
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
    text = _read_standard_input() if task == "-" else task
    if not text.strip():
        raise TaskError("the task is empty; say in words what shall be done")
    return text


def _read_standard_input() -> str:
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:  # a stand-in for the real one
        return sys.stdin.read()
    data = buffer.read()
    try:
        return str(data, "utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaskError(
            f"standard input is no text in UTF-8 (byte {error.start + 1} is 0x{data[error.start]:02x}); convert it "
            "first, as by: iconv -f GB18030 -t UTF-8"
        ) from None
