"""The first step: take the input in, forget the last task, find the skills."""

from typing import Any

from langgraph.types import Overwrite

from skill_selector.graph.records import CatalogSummary
from skill_selector.graph.state import SelectorState
from skill_selector.nodes.decision import nothing_to_choose, undecided
from skill_selector.nodes.parts import Parts, stream_progress
from skill_selector.nodes.task import find_roots, find_task
from skill_selector.nodes.trace import Stopwatch
from skill_selector.retrievers.strategy import choose_strategy


class Scan:
    """Consumes the input, resets every key that belongs to one task, and loads the catalogue."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def run(self, state: SelectorState) -> dict[str, Any]:
        """Return the update that starts a task.

        Raises:
            TaskError, SkillDirectoryError, SettingError: the input or a setting cannot be used.
        """
        watch = Stopwatch("scan")
        task = find_task(state)
        roots = find_roots(state)
        settings = self._parts.settings()
        choose_strategy(settings)
        library = self._parts.libraries.load(roots, stream_progress(), cache_dir=settings.cache_dir)
        summary = library.catalog.summary()
        entry = watch.entry(
            0,
            given={"roots": summary["roots"], "task_characters": len(task)},
            made={"count": summary["count"], "digest": summary["digest"], "selectable": len(library.skills)},
        )
        return {
            **_fresh(task, summary),
            **(undecided() if library.skills else nothing_to_choose()),
            "next_step": "analyze" if library.skills else "end",
            "selector_trace": Overwrite([entry]),
        }


def _fresh(task: str, catalog: CatalogSummary) -> dict[str, Any]:
    """Values of every per-task key, so that nothing of a thread's last task survives."""
    return {
        "resolved_task": task,
        "catalog": catalog,
        "attempt": 0,
        "analysis": None,
        "candidates": [],
        "retrieved": [],
        "rounds": [],
        "degraded": [],
    }
