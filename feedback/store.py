"""What every place for counts can do, sync and async."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

from skill_selector.feedback.counts import NO_COUNTS, Counts, Note, Record, Subject

LONGEST_COMMENT = 1_000
"""Characters of a comment that are kept; the rest is cut, and the cut shown."""

Merge = Literal["replace", "add"]


class FeedbackStore(ABC):
    """Counts by subject. Each call is whole or nothing, and threads may share a store.

    The async half runs the sync one in a thread. Every method raises `FeedbackError` where the place cannot be used.
    """

    @abstractmethod
    def count(
        self,
        subjects: Sequence[Subject],
        *,
        injected: int = 0,
        good: int = 0,
        bad: int = 0,
        note: tuple[str, float | None, str] | None = None,
        run_id: str | None = None,
    ) -> list[str]:
        """Add to the counts of each subject, and return the ids of their records.

        Args:
            subjects: what was used or judged; a record is made where there is none.
            injected: how many more times it went into a prompt.
            good: how many more times somebody called that good.
            bad: how many more times somebody called it bad.
            note: key, score and comment that came with it.
            run_id: the run that it was injected in, so that feedback on the run finds it.
        """

    @abstractmethod
    def counts(self, kind: str) -> Mapping[str, Counts]:
        """Return the counts of everything of a kind, by each of its names."""

    @abstractmethod
    def records(self, kind: str | None = None) -> list[Record]:
        """Return all records, or those of a kind, by kind and label."""

    @abstractmethod
    def notes(self, kind: str | None = None) -> list[Note]:
        """Return what was said, the oldest first."""

    @abstractmethod
    def injected_in(self, run_id: str) -> list[Subject]:
        """Return what was injected in a run."""

    @abstractmethod
    def put(self, records: Iterable[Record], merge: Merge = "replace") -> int:
        """Keep records as they are, and return how many there were.

        Args:
            records: such as an export holds; records of other ids stay as they are.
            merge: what holds where there is a record of the same id: the new one, or the sum of both counts.
        """

    def counts_of(self, subject: Subject) -> Counts | None:
        """Return the counts of one subject; None where nothing was counted yet."""
        known = self.counts(subject.kind)
        return next((known[name] for name in subject.names if name in known), None)

    async def acount(
        self,
        subjects: Sequence[Subject],
        *,
        injected: int = 0,
        good: int = 0,
        bad: int = 0,
        note: tuple[str, float | None, str] | None = None,
        run_id: str | None = None,
    ) -> list[str]:
        """As `count`."""
        return await asyncio.to_thread(
            self.count, subjects, injected=injected, good=good, bad=bad, note=note, run_id=run_id
        )

    async def acounts(self, kind: str) -> Mapping[str, Counts]:
        """As `counts`."""
        return await asyncio.to_thread(self.counts, kind)

    async def arecords(self, kind: str | None = None) -> list[Record]:
        """As `records`."""
        return await asyncio.to_thread(self.records, kind)

    async def anotes(self, kind: str | None = None) -> list[Note]:
        """As `notes`."""
        return await asyncio.to_thread(self.notes, kind)

    async def ainjected_in(self, run_id: str) -> list[Subject]:
        """As `injected_in`."""
        return await asyncio.to_thread(self.injected_in, run_id)

    async def aput(self, records: Iterable[Record], merge: Merge = "replace") -> int:
        """As `put`."""
        return await asyncio.to_thread(self.put, records, merge)


def now() -> str:
    """Return the time as it is kept: UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def legible(text: str) -> str:
    """Return a text without the halves of characters that an escape in a stranger's file may leave."""
    return text.encode("utf-8", "replace").decode("utf-8")


def shortened(comment: str) -> str:
    """Return a comment as it is kept."""
    comment = legible(comment)
    return comment if len(comment) <= LONGEST_COMMENT else comment[: LONGEST_COMMENT - 1] + "…"


def summed(record: Record, known: Counts | None, merge: Merge) -> Counts:
    """Return the counts to keep of a record that is put where `known` may be already."""
    if merge == "replace":
        return record.counts
    old, new = known or NO_COUNTS, record.counts
    return Counts(injected=old.injected + new.injected, good=old.good + new.good, bad=old.bad + new.bad)
