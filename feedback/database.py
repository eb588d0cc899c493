"""A SQLite file in WAL mode that threads and processes share, opened when first used."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any
from weakref import finalize

from skill_selector.graph.errors import SkillSelectorError

PATIENCE = 30_000
"""Milliseconds that a write waits for those of other processes."""


class Database:
    """The file. Reading one that is not there finds nothing and makes none."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        schema: str,
        version: int,
        holds: str,
        error: type[SkillSelectorError],
        setting: str,
    ) -> None:
        """Bind it to a file.

        Args:
            path: the file.
            schema: statements that make the tables where there are none.
            version: of the tables; a file of a later one is refused rather than misread.
            holds: what is in it, for messages, such as "counts".
            error: what is raised where the file cannot be used.
            setting: the setting that names another file.
        """
        self.path = Path(os.path.abspath(os.path.expanduser(path)))
        self._schema, self._version = schema, version
        self._holds, self._error, self._setting = holds, error, setting
        self._lock = RLock()
        self._open: tuple[int, sqlite3.Connection] | None = None
        self._finalizer: Callable[[], Any] | None = None

    def close(self) -> None:
        """Let go of the file; the next call opens it again."""
        with self._lock:
            if self._finalizer and self._open and self._open[0] == os.getpid():
                self._finalizer()
            self._open = None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """Give one view of the file, or None where there is none."""
        with self._lock, self._checked():
            if not self.path.exists():
                yield None
                return
            database = self._connection()
            database.execute("BEGIN")
            try:
                yield database
            finally:
                database.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give a transaction, which is whole or nothing."""
        with self._lock, self._checked():
            database = self._connection()
            # Taken at once: a read that becomes a write is refused where another process wrote in between.
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    def rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Return the rows of a query; none where there is no file."""
        with self.reading() as database:
            return database.execute(sql, values).fetchall() if database else []

    def _connection(self) -> sqlite3.Connection:
        if self._open and self._open[0] == os.getpid():
            if self.path.exists():
                return self._open[1]
            self.close()  # somebody removed the file: what is written to it now would be lost
        self.path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        # Transactions are begun above, not by the module.
        database = sqlite3.connect(self.path, timeout=PATIENCE / 1000, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(database)
        except BaseException:
            database.close()
            raise
        self._finalizer = finalize(self, database.close)
        self._open = os.getpid(), database
        return database

    @contextmanager
    def _checked(self) -> Iterator[None]:
        way = f"free it, correct its permissions, or name another one in {self._setting}"
        try:
            yield
        except sqlite3.Error as error:
            self.close()
            if not isinstance(error, sqlite3.OperationalError):
                way = f"move it away to begin anew, or name another one in {self._setting}"
            raise self._error(f"the {self._holds} in {self.path} cannot be used ({error}); {way}") from error
        except OSError as error:
            why = error.strerror or error
            raise self._error(f"the {self._holds} in {self.path} cannot be used ({why}); {way}") from error

    def _prepare(self, database: sqlite3.Connection) -> None:
        database.execute(f"PRAGMA busy_timeout = {PATIENCE}")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version > self._version:
            raise self._error(f"{self.path} was written by a later release (format {version}); update skill-selector")
        database.execute("PRAGMA synchronous = NORMAL")
        if version == self._version:
            return
        # Several first starts at once: whoever comes second waits, and finds everything done. Where WAL is not
        # possible, as on some network drives, the default journal serves.
        with suppress(sqlite3.OperationalError):
            database.execute("PRAGMA journal_mode = WAL")
        database.execute("BEGIN IMMEDIATE")
        try:
            for statement in filter(str.strip, self._schema.split(";")):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {self._version}")
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")
