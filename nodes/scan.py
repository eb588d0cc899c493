"""The first step: take the input in, forget the last task, find the skills, and see whether the task calls one."""

from typing import Any, Literal

from langgraph.types import Overwrite

from skill_selector.graph.records import CatalogSummary
from skill_selector.graph.settings import Settings
from skill_selector.graph.state import SelectorState
from skill_selector.nodes.analysiscache import model_key
from skill_selector.nodes.call import Call, find_call
from skill_selector.nodes.decision import nothing_to_choose, result_of_call, undecided
from skill_selector.nodes.parts import Parts, stream_progress
from skill_selector.nodes.task import find_roots, find_task
from skill_selector.nodes.trace import Stopwatch
from skill_selector.retrievers.library import Library
from skill_selector.retrievers.strategy import choose_strategy
from skill_selector.retrievers.words import load_words


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
        call = find_call(task, library.catalog)
        entry = watch.entry(
            0,
            given={"roots": summary["roots"], "task_characters": len(task)},
            made={
                "count": summary["count"],
                "digest": summary["digest"],
                "selectable": len(library.skills),
                **({"call": call.wanted, "called": [one["skill"]["id"] for one in call.ranked]} if call else {}),
            },
        )
        return {
            **_fresh(task, summary),
            **_first_result(call, library),
            **self._key(settings),
            "degraded": call.degraded if call else [],
            "next_step": _next_step(call, library, settings),
            "selector_trace": Overwrite([entry]),
        }

    def _key(self, settings: Settings) -> dict[str, str]:
        if not self._parts.cached:
            return {}
        return {
            "model_key": model_key(settings, load_words(settings.words_file), self._parts.reasoner or self._parts.llm)
        }


def _first_result(call: Call | None, library: Library) -> dict[str, Any]:
    if call and call.outcome:
        return result_of_call(call.outcome, call.ranked)
    return undecided() if library.skills else nothing_to_choose()


def _next_step(call: Call | None, library: Library, settings: Settings) -> Literal["analyze", "confirm", "end"]:
    if call and call.outcome:
        return "confirm" if call.outcome == "ambiguous_call" and settings.on_ambiguous == "ask" else "end"
    return "analyze" if library.skills else "end"


def _fresh(task: str, catalog: CatalogSummary) -> dict[str, Any]:
    """Values of every per-task key, so that nothing of a thread's last task survives."""
    return {
        "resolved_task": task,
        "catalog": catalog,
        "attempt": 0,
        "analysis": None,
        "candidates": [],
        "excluded": [],
        "retrieved": [],
        "rounds": [],
        "degraded": [],
    }
