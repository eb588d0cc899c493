"""Records of one root's files in an SQLite file that several processes share."""

import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from skill_selector.catalog.cache import warn_once

# The checksum covers what SQLite's own checks leave out: bits that changed on disk in the middle of a text.
SCHEMA = "CREATE TABLE files(key TEXT PRIMARY KEY, crc INTEGER NOT NULL, record BLOB NOT NULL)"
WAIT = 5.0
"""Seconds that one process waits for another one's transaction."""

# The file may be all right, but cannot be used now. Every other error means that it is not one of ours.
_UNUSABLE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
    }
)


class Store:
    """The file. No method raises: what cannot be read is not there, and what cannot be written is left out."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self) -> dict[str, bytes]:
        """Return the records that are undamaged, by key."""
        if not self.file.exists():
            return {}
        try:
            with closing(self._connect()) as connection:
                rows = connection.execute("SELECT key, crc, record FROM files").fetchall()
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)
            return {}
        return {key: record for key, crc, record in rows if isinstance(record, bytes) and _crc(record) == crc}

    def write(self, records: Iterable[tuple[str, bytes]], gone: Iterable[str] = ()) -> bool:
        """Add or replace records and remove those that are gone, all or nothing; tell whether that worked."""
        rows = [(key, _crc(record), record) for key, record in records]
        old = [(key,) for key in gone]
        for _ in range(2):  # a damaged file is thrown away at the first try
            try:
                with closing(self._connect()) as connection, _transaction(connection):
                    connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", rows)
                    connection.executemany("DELETE FROM files WHERE key = ?", old)
            except (sqlite3.Error, OSError) as error:
                if not self._give_up(error):
                    return False
            else:
                return True
        return False

    def discard(self) -> None:
        """Remove the file. The log goes first, so that it is never taken for that of a new file."""
        for suffix in ("-wal", "-shm", "-journal", ""):
            with suppress(OSError):
                self.file.with_name(self.file.name + suffix).unlink(missing_ok=True)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.file, timeout=WAIT, isolation_level=None)
        try:
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _give_up(self, error: Exception) -> bool:
        """Throw a damaged file away, and tell whether it was that."""
        code = getattr(error, "sqlite_errorcode", None)
        if isinstance(error, OSError) or (code is not None and code & 0xFF in _UNUSABLE):
            warn_once(self.file.parent, error)
            return False
        self.discard()
        return True


class _transaction:  # noqa: N801 - used like a function
    """A transaction that takes the write lock at its beginning, so that it waits instead of failing in the middle."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
        elif self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _prepare(connection: sqlite3.Connection) -> None:
    found = _schema(connection)
    if not found:
        with _transaction(connection):
            connection.execute(SCHEMA.replace("TABLE", "TABLE IF NOT EXISTS", 1))
        found = _schema(connection)
    # A view or a trigger would be somebody's SQL that we run.
    if found != [SCHEMA]:
        raise sqlite3.DatabaseError("the tables are not ours")


def _schema(connection: sqlite3.Connection) -> list[str]:
    return [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]


def _crc(record: bytes) -> int:
    return zlib.crc32(record)
