"""Progress on stderr, shown only when something takes longer than a second."""

import sys
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status

PATIENCE = 1.0
"""Seconds before anything is shown."""

PLAIN_INTERVAL = 2.0
"""Seconds between lines where stderr is no terminal."""

_WORDS = {
    "scan": "reading skills",
    "index": "indexing skills",
    "embed": "embedding texts",
    "evaluate": "evaluating tasks",
    "read": "reading knowledge files",
    "tag": "tagging chunks",
}


class Progress:
    """A spinner with a count on a terminal, a line now and then elsewhere; nothing at all for quick work."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._status: Status | None = None
        self._next = monotonic() + PATIENCE

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def report(self, step: str, done: int, total: int | None = None) -> None:
        """Take note that `done` skills or tasks are through `step`, of `total` where that is known."""
        if monotonic() < self._next:
            return
        line = f"{_WORDS.get(step, step)}: {done:,}" + (f" of {total:,}" if total is not None else "")
        if not self._console.is_terminal:
            print(f"skill-selector: {line}", file=sys.stderr)  # noqa: T201 - progress of a run whose stderr is kept
            self._next = monotonic() + PLAIN_INTERVAL
        elif self._status is None:
            self._status = self._console.status(line)
            self._status.start()
        else:
            self._status.update(line)

    def stop(self) -> None:
        """Clear the spinner away, before something else is printed."""
        if self._status is not None:
            self._status.stop()
            self._status = None
