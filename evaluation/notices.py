"""What makes figures doubtful: gold that cannot be chosen, and tasks where something fell back."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from skill_selector.evaluation.prediction import TaskRun
from skill_selector.evaluation.task import LabelledTask
from skill_selector.retrievers.library import Library

NAMED = 3
"""Examples in a notice."""


def fallback_notices(runs: Sequence[TaskRun]) -> Iterator[str]:
    """Yield a line for each kind of fault that something fell back from."""
    fallen: Counter[str] = Counter()
    for run in runs:
        fallen.update({f"{one['what']} failed ({one['why']}); used {one['instead']}" for one in run["degraded"]})
    for what, count in fallen.most_common(NAMED):
        yield f"in {count:,} of {len(runs):,} tasks {what}"
    if len(fallen) > NAMED:
        yield f"there were {len(fallen) - NAMED:,} other kinds of fault"


def gold_notices(tasks: Sequence[LabelledTask], library: Library) -> Iterator[str]:
    """Yield a line where gold skills are not there, and one where they are never selected by themselves."""
    gold = dict.fromkeys(one for task in tasks for group in task.gold for one in group)
    manual = [one for one in library.catalog.by_id if library.catalog.by_id[one].manual_only and one in gold]
    unknown = [one for one in gold if one not in library.catalog.by_id]
    if unknown:
        touched = _touched(tasks, unknown)
        hint = ""
        if len(unknown) == len(gold) and library.catalog.skills:
            hint = f"; ids are paths below the scanned folder, such as {library.catalog.skills[0].id}"
        yield f"{len(unknown):,} gold ids, of {touched:,} tasks, are not in the catalogue: {_some(unknown)}{hint}"
    if manual:
        touched = _touched(tasks, manual)
        yield (
            f"{len(manual):,} gold ids, of {touched:,} tasks, are of skills that their authors keep out of automatic "
            f"selection: {_some(manual)}"
        )


def _touched(tasks: Sequence[LabelledTask], ids: Collection[str]) -> int:
    held = frozenset(ids)
    return sum(bool(task.gold_ids & held) for task in tasks)


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
    return ", ".join(ids[:NAMED]) + more
