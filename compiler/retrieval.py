"""Running routes side by side, each with a time limit that holds whatever the route does."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_all
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Lock, Thread

from skill_selector.graph.errors import SkillSelectorError
from skill_selector.knowledge.search import Hit
from skill_selector.prompts.fencing import one_line

MOST_HANGING = 3
"""Calls of one route that may hang at a time; it is not called again before one of them comes back."""

Work = Callable[[], list[Hit]]


@dataclass
class Outcomes:
    """What came of the routes."""

    hits: dict[str, list[Hit]] = field(default_factory=dict)
    """Of those that answered."""
    failures: dict[str, str] = field(default_factory=dict)
    """Of the others: why."""
    seconds: dict[str, float] = field(default_factory=dict)


class RouteRunner:
    """Runs routes in threads of their own. A thread cannot be stopped: one that hangs is left behind, as a daemon."""

    def __init__(self) -> None:
        self._hanging: Counter[str] = Counter()
        self._lock = Lock()

    def run(self, work: Mapping[str, Work], limit: float) -> Outcomes:
        """Return what the routes found within `limit` seconds each; they all start at once."""
        started = self._start(work)
        wait_for_all([one for one in started.values() if one], timeout=limit)
        return self._collect(started, limit)

    async def arun(self, work: Mapping[str, Work], limit: float) -> Outcomes:
        """Do the same without blocking the event loop."""
        started = self._start(work)
        waiting = [asyncio.wrap_future(one) for one in started.values() if one]
        if waiting:
            await asyncio.wait(waiting, timeout=limit)
        for one in waiting:
            # Only the wrapper is cancelled: what hangs may come back after the loop was closed. And the exceptions are
            # looked at, which the loop would otherwise report as forgotten.
            if not one.cancel():
                one.exception()
        return self._collect(started, limit)

    def _start(self, work: Mapping[str, Work]) -> "dict[str, Future[tuple[list[Hit], float]] | None]":
        started: dict[str, Future[tuple[list[Hit], float]] | None] = {}
        for name, route in work.items():
            with self._lock:
                free = self._hanging[name] < MOST_HANGING
                self._hanging[name] += free
            started[name] = self._thread(name, route) if free else None
        return started

    def _thread(self, name: str, route: Work) -> "Future[tuple[list[Hit], float]]":
        future: Future[tuple[list[Hit], float]] = Future()
        future.set_running_or_notify_cancel()
        context = copy_context()

        def run() -> None:
            began = time.perf_counter()
            try:
                found = context.run(route)
                result = found, time.perf_counter() - began
            except BaseException as error:
                self._settle(name)
                future.set_exception(error)
            else:
                self._settle(name)
                future.set_result(result)

        Thread(target=run, name=f"route-{name}", daemon=True).start()
        return future

    def _settle(self, name: str) -> None:
        with self._lock:
            self._hanging[name] -= 1

    def _collect(self, started: "Mapping[str, Future[tuple[list[Hit], float]] | None]", limit: float) -> Outcomes:
        found = Outcomes()
        for name, future in started.items():
            if future is None:
                found.failures[name] = f"{MOST_HANGING} earlier calls of it still hang"
            elif not future.done():
                found.failures[name] = f"no answer within {limit:g} s"
                found.seconds[name] = limit
            else:
                self._take(name, future, found)
        return found

    def _take(self, name: str, future: "Future[tuple[list[Hit], float]]", found: Outcomes) -> None:
        error = future.exception()
        if error is None:
            hits, seconds = future.result()
            found.seconds[name] = round(seconds, 5)
            try:
                found.hits[name] = _checked(hits)
            except (TypeError, ValueError, AttributeError) as fault:
                found.failures[name] = f"it returned no list of hits ({one_line(str(fault))[:100]})"
        elif isinstance(error, Exception):
            said = one_line(str(error))[:200]
            found.failures[name] = said if isinstance(error, SkillSelectorError) else f"{type(error).__name__}: {said}"
        else:
            raise error


def _checked(hits: object) -> list[Hit]:
    """Return the hits with scores from 0 to 1, each chunk once.

    Raises:
        TypeError, ValueError, AttributeError: it is no list of hits.
    """
    best: dict[str, float] = {}
    for chunk_id, score in hits:  # type: ignore[attr-defined]
        number = float(score)
        if not isinstance(chunk_id, str) or math.isnan(number):
            raise ValueError(f"{chunk_id!r} with {score!r}")
        best[chunk_id] = max(best.get(chunk_id, 0.0), min(1.0, max(0.0, number)))
    return [Hit(chunk_id, score) for chunk_id, score in best.items() if score > 0]
