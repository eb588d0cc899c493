"""The readable record of one step."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from skill_selector.graph.records import TraceEntry, Usage
from skill_selector.reasoners.base import NO_USAGE

REASON_STEPS = ("analyze", "rank")


def reason_seconds(trace: Iterable[TraceEntry]) -> float:
    """Return how long the Reason steps of a task took so far: nearly all of it is waiting for a model."""
    return sum(entry["seconds"] for entry in trace if entry["step"] in REASON_STEPS)


@dataclass(frozen=True)
class Stopwatch:
    """Started when a step starts; makes the step's trace entry when it ends."""

    step: str
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    _start: float = field(default_factory=perf_counter)

    def entry(
        self, round_number: int, *, given: dict[str, Any], made: dict[str, Any], cost: Usage | None = None
    ) -> TraceEntry:
        """Return the entry: what was given, by reference, and what was made of it, both plain JSON values."""
        return {
            "step": self.step,
            "round": round_number,
            "input": given,
            "output": made,
            "started": self.started.isoformat(timespec="milliseconds"),
            "seconds": round(perf_counter() - self._start, 4),
            "cost": cost or NO_USAGE.copy(),
        }
