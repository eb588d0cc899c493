"""Counts in any LangGraph `BaseStore`, such as the one that a server lends its graphs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import RLock
from typing import Any, TypeVar
from uuid import uuid4
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore

from skill_selector.feedback.counts import Counts, Note, Record, Subject
from skill_selector.feedback.exchange import record_from, record_to_dict
from skill_selector.feedback.store import FeedbackStore, Merge, legible, now, shortened, summed
from skill_selector.graph.errors import FeedbackError, SkillSelectorError

NAMESPACE = ("skill_selector", "feedback")
PAGE = 200
"""Items that are asked for at once."""

_T = TypeVar("_T")

_locks: "WeakKeyDictionary[BaseStore, RLock]" = WeakKeyDictionary()
_locking = RLock()


class LangGraphFeedback(FeedbackStore):
    """Counts as items of a store.

    A `BaseStore` has no increment: one lock a store makes counting exact within a process. Where several processes
    write to one database at the same moment, a count may be lost; use the SQLite file there.
    """

    def __init__(self, store: BaseStore, namespace: tuple[str, ...] = NAMESPACE) -> None:
        self._store = store
        self._namespace = namespace
        with _locking:
            self._lock = _locks.setdefault(store, RLock())

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
        """Add to the counts of each subject; see `FeedbackStore.count`."""
        at = now()

        def add() -> list[str]:
            ids = []
            for subject in subjects:
                old = self._find(subject)
                value: dict[str, Any] = (
                    record_to_dict(old) if old else {"id": uuid4().hex, "kind": subject.kind, "first_at": at}
                )
                for name, more in (("injected", injected), ("good", good), ("bad", bad)):
                    value[name] = value.get(name, 0) + more
                value["names"] = list(dict.fromkeys([*value.get("names", ()), *subject.names]))
                value |= {"last_at": at, "label": legible(subject.label) or value.get("label", "")}
                self._keep(record_from(value, "counting"))
                ids.append(value["id"])
                if note:
                    said = {"kind": subject.kind, "id": value["id"], "at": at, "key": note[0], "score": note[1]}
                    self._put("notes", f"{at} {uuid4().hex}", {**said, "comment": shortened(note[2])})
                if run_id is not None:
                    self._put(
                        "runs", f"{run_id} {value['id']}", {"run": run_id, "kind": subject.kind, "id": value["id"]}
                    )
            return ids

        return self._exclusively(add)

    def counts(self, kind: str) -> Mapping[str, Counts]:
        """Return the counts of everything of a kind, by each of its names."""
        return {name: record.counts for record in self.records(kind) for name in record.names}

    def records(self, kind: str | None = None) -> list[Record]:
        """Return all records, or those of a kind, by kind and label."""
        found = self._exclusively(lambda: self._all("records", *([kind] if kind else [])))
        records = [record_from(value, "the store") for value in found]
        return sorted(records, key=lambda one: (one.kind, one.label, one.id))

    def notes(self, kind: str | None = None) -> list[Note]:
        """Return what was said, the oldest first."""
        found = [Note(**value) for value in self._exclusively(lambda: self._all("notes"))]
        return sorted((one for one in found if kind in (None, one.kind)), key=lambda one: one.at)

    def injected_in(self, run_id: str) -> list[Subject]:
        """Return what was injected in a run."""

        def find() -> list[Subject]:
            subjects = []
            for value in self._all("runs", filter={"run": run_id}):
                record = self._get("records", value["kind"], key=value["id"])
                if record:
                    names = tuple(record["names"][:1])
                    subjects.append(Subject(kind=value["kind"], names=names, label=record["label"]))
            return subjects

        return self._exclusively(find)

    def put(self, records: Iterable[Record], merge: Merge = "replace") -> int:
        """Keep records as they are; see `FeedbackStore.put`."""

        def keep() -> int:
            listed = list(records)
            for record in listed:
                old = self._get("records", record.kind, key=record.id)
                known = record_from(old, "the store").counts if old else None
                counts = summed(record, known, merge)
                self._keep(record_from({**record_to_dict(record), **_numbers(counts)}, "import"))
            return len(listed)

        return self._exclusively(keep)

    def _find(self, subject: Subject) -> Record | None:
        for name in subject.names:
            at = self._get("names", subject.kind, key=name)
            found = self._get("records", subject.kind, key=at["id"]) if at else None
            if found:
                return record_from(found, "the store")
        return None

    def _keep(self, record: Record) -> None:
        self._put("records", record.id, record_to_dict(record), record.kind)
        for name in record.names:
            # A name stays with the record that had it first.
            if self._get("names", record.kind, key=name) is None:
                self._put("names", name, {"id": record.id}, record.kind)

    def _get(self, *place: str, key: str) -> dict[str, Any] | None:
        item = self._store.get((*self._namespace, *place), key)
        return item.value if item else None

    def _put(self, first: str, key: str, value: dict[str, Any], *place: str) -> None:
        # Nothing here is to be searched by meaning.
        self._store.put((*self._namespace, first, *place), key, value, index=False)

    def _all(self, *place: str, filter: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            page = self._store.search((*self._namespace, *place), filter=filter, limit=PAGE, offset=len(found))
            found += [item.value for item in page]
            if len(page) < PAGE:
                return found

    def _exclusively(self, work: Callable[[], _T]) -> _T:
        with self._lock:
            try:
                return work()
            except SkillSelectorError:
                raise
            except Exception as error:  # a store may raise anything
                raise FeedbackError(
                    f"the store {type(self._store).__name__} cannot keep counts ({type(error).__name__}: {error}); "
                    "correct it, or leave it out to use the file"
                ) from error


def _numbers(counts: Counts) -> dict[str, int]:
    return {"injected": counts.injected, "good": counts.good, "bad": counts.bad}
