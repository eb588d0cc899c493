"""Counts in one SQLite file, which several processes may write at once."""

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from skill_selector.feedback.counts import Counts, Note, Record, Subject
from skill_selector.feedback.database import Database
from skill_selector.feedback.store import FeedbackStore, Merge, legible, now, shortened, summed
from skill_selector.graph.errors import FeedbackError

VERSION = 1
"""Of the tables; a file of a later one is refused rather than misread. Columns that this one does not know stay."""
RUNS_KEPT = 100_000
"""Injections that are remembered by their run; feedback on older runs finds nothing."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
  kind TEXT NOT NULL, id TEXT NOT NULL, label TEXT NOT NULL DEFAULT '',
  injected INTEGER NOT NULL DEFAULT 0, good INTEGER NOT NULL DEFAULT 0, bad INTEGER NOT NULL DEFAULT 0,
  first_at TEXT, last_at TEXT, more TEXT, PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS names (
  kind TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (
  number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, at TEXT NOT NULL, key TEXT NOT NULL,
  score REAL, comment TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
  number INTEGER PRIMARY KEY, run TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (run, kind, id));
"""
_ADD = """
INSERT INTO records (kind, id, label, injected, good, bad, first_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (kind, id) DO UPDATE SET
  label = coalesce(nullif(excluded.label, ''), label),
  injected = injected + excluded.injected, good = good + excluded.good, bad = bad + excluded.bad,
  first_at = coalesce(first_at, excluded.first_at), last_at = excluded.last_at
"""
_PUT = """
INSERT INTO records (kind, id, label, injected, good, bad, first_at, last_at, more) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (kind, id) DO UPDATE SET
  label = excluded.label, injected = excluded.injected, good = excluded.good, bad = excluded.bad,
  first_at = excluded.first_at, last_at = excluded.last_at, more = excluded.more
"""
_RECORDS = """
SELECT kind, id, label, injected, good, bad, first_at, last_at, more FROM records
WHERE ?1 IS NULL OR kind = ?1 ORDER BY kind, label, id
"""
_NOTES = """
SELECT kind, id, at, key, score, comment FROM notes WHERE ?1 IS NULL OR kind = ?1 ORDER BY number
"""
_INJECTED = """
SELECT kind, label, min(name) FROM runs JOIN records USING (kind, id) JOIN names USING (kind, id)
WHERE run = ? GROUP BY kind, id ORDER BY runs.number
"""


class SqliteFeedback(FeedbackStore):
    """Counts in a file, in WAL mode: increments are statements of the database, so that none is lost.

    Reading a file that is not there finds nothing and makes none.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._database = Database(
            path,
            schema=_SCHEMA,
            version=VERSION,
            holds="counts",
            error=FeedbackError,
            setting="SELECTOR_FEEDBACK_FILE",
        )
        self.path = self._database.path

    def close(self) -> None:
        """Let go of the file; the next call opens it again."""
        self._database.close()

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
        """Add to the counts of each subject in one transaction; see `FeedbackStore.count`."""
        at, ids = now(), []
        with self._database.writing() as database:
            for subject in subjects:
                found = _id_of(database, subject) or uuid4().hex
                ids.append(found)
                values = (subject.kind, found, legible(subject.label), injected, good, bad, at, at)
                database.execute(_ADD, values)
                _name(database, subject.kind, subject.names, found)
                if note:
                    key, score, comment = note
                    database.execute(
                        "INSERT INTO notes (kind, id, at, key, score, comment) VALUES (?, ?, ?, ?, ?, ?)",
                        (subject.kind, found, at, key, score, shortened(comment)),
                    )
                if run_id is not None:
                    _remember(database, run_id, subject.kind, found)
        return ids

    def counts(self, kind: str) -> Mapping[str, Counts]:
        """Return the counts of everything of a kind, by each of its names."""
        sql = "SELECT name, injected, good, bad FROM names JOIN records USING (kind, id) WHERE kind = ?"
        return {name: Counts(injected=i, good=g, bad=b) for name, i, g, b in self._database.rows(sql, (kind,))}

    def records(self, kind: str | None = None) -> list[Record]:
        """Return all records, or those of a kind, by kind and label."""
        names: dict[tuple[str, str], list[str]] = {}
        with self._database.reading() as database:
            if database is None:
                return []
            named = database.execute("SELECT kind, id, name FROM names WHERE ?1 IS NULL OR kind = ?1", (kind,))
            for one, found, name in named:
                names.setdefault((one, found), []).append(name)
            rows = database.execute(_RECORDS, (kind,)).fetchall()
        return [_record(row, tuple(names.get((row[0], row[1]), ()))) for row in rows]

    def notes(self, kind: str | None = None) -> list[Note]:
        """Return what was said, the oldest first."""
        return [
            Note(kind=row[0], id=row[1], at=row[2], key=row[3], score=row[4], comment=row[5])
            for row in self._database.rows(_NOTES, (kind,))
        ]

    def injected_in(self, run_id: str) -> list[Subject]:
        """Return what was injected in a run."""
        return [
            Subject(kind=kind, names=(name,), label=label)
            for kind, label, name in self._database.rows(_INJECTED, (run_id,))
        ]

    def put(self, records: Iterable[Record], merge: Merge = "replace") -> int:
        """Keep records as they are; see `FeedbackStore.put`."""
        listed = list(records)
        with self._database.writing() as database:
            for record in listed:
                old = database.execute(
                    "SELECT injected, good, bad FROM records WHERE kind = ? AND id = ?", (record.kind, record.id)
                ).fetchone()
                known = Counts(injected=old[0], good=old[1], bad=old[2]) if old else None
                kept = summed(record, known, merge)
                more = json.dumps(dict(record.more), ensure_ascii=False) if record.more else None
                values = (record.kind, record.id, legible(record.label), kept.injected, kept.good, kept.bad)
                database.execute(_PUT, (*values, record.first_at, record.last_at, more))
                _name(database, record.kind, record.names, record.id)
        return len(listed)


def _id_of(database: sqlite3.Connection, subject: Subject) -> str | None:
    for name in subject.names:
        row = database.execute("SELECT id FROM names WHERE kind = ? AND name = ?", (subject.kind, name)).fetchone()
        if row:
            return str(row[0])
    return None


def _name(database: sqlite3.Connection, kind: str, names: Iterable[str], found: str) -> None:
    database.executemany("INSERT OR IGNORE INTO names VALUES (?, ?, ?)", [(kind, name, found) for name in names])


def _remember(database: sqlite3.Connection, run_id: str, kind: str, found: str) -> None:
    database.execute("INSERT OR IGNORE INTO runs (run, kind, id) VALUES (?, ?, ?)", (run_id, kind, found))
    database.execute("DELETE FROM runs WHERE number <= (SELECT max(number) FROM runs) - ?", (RUNS_KEPT,))


def _record(row: Sequence[Any], names: tuple[str, ...]) -> Record:
    kind, found, label, injected, good, bad, first_at, last_at, more = row
    return Record(
        kind=kind,
        id=found,
        label=label,
        names=names,
        counts=Counts(injected=injected, good=good, bad=bad),
        first_at=first_at,
        last_at=last_at,
        more=json.loads(more) if more else {},
    )
