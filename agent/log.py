"""The log of executions: an SQLite file that several processes share, or a LangGraph store."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from langgraph.store.base import BaseStore

from skill_selector.agent.execution import Execution, utc_text
from skill_selector.graph.errors import ExecutionLogError, SettingError

VERSION = 1
WAIT = 10.0
"""Seconds that one process waits for another one's transaction."""
NAMESPACE = ("skill_selector", "executions")
PAGE = 200
"""Entries that a store is asked for at a time."""


class ExecutionLog(Protocol):
    """Where executions are kept. Both methods block."""

    def append(self, execution: Execution) -> None:
        """Keep one that is masked already.

        Raises:
            ExecutionLogError: it could not be kept.
        """

    def read(
        self,
        limit: int = 100,
        tool_name: str | None = None,
        since: datetime | str | None = None,
        user: str | None = None,
    ) -> list[Execution]:
        """Return the latest first.

        Args:
            limit: how many at most.
            tool_name: of this tool only.
            since: a time, or its text in ISO 8601; executions that began then or later.
            user: of this user only.

        Raises:
            ExecutionLogError: the log cannot be read.
            SettingError: `limit` or `since` cannot be used.
        """


class SqliteExecutionLog:
    """The log in a file, which is made when it is first written to."""

    def __init__(self, file: str | Path) -> None:
        self.file = Path(file)

    def append(self, execution: Execution) -> None:
        """Keep one; see `ExecutionLog`."""
        row = (
            execution.id,
            execution.timestamp,
            execution.tool_name,
            execution.user_id,
            json.dumps(execution.to_dict(), ensure_ascii=False),
        )
        with self._opened() as connection:
            connection.execute("INSERT OR REPLACE INTO executions VALUES (?, ?, ?, ?, ?)", row)

    def read(
        self,
        limit: int = 100,
        tool_name: str | None = None,
        since: datetime | str | None = None,
        user: str | None = None,
    ) -> list[Execution]:
        """Return the latest first; see `ExecutionLog`."""
        wanted = {"tool_name = ?": tool_name, "timestamp >= ?": _moment(since), "user_id = ?": user}
        given = {clause: value for clause, value in wanted.items() if value is not None}
        where = f"WHERE {' AND '.join(given)}" if given else ""
        if not self.file.exists():
            _count(limit)
            return []
        with self._opened() as connection:
            rows = connection.execute(
                f"SELECT record FROM executions {where} ORDER BY timestamp DESC, rowid DESC LIMIT ?",  # noqa: S608 - the clauses are ours
                (*given.values(), _count(limit)),
            ).fetchall()
        return [Execution.from_dict(json.loads(record)) for (record,) in rows]

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.file, timeout=WAIT)) as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version > VERSION:
                    raise ExecutionLogError(
                        f"{self.file} was written by a later version ({version}; this one knows {VERSION}): update "
                        "skill-selector, or name another file"
                    )
                if version < VERSION:
                    _create(connection)
                with connection:
                    yield connection
        except (sqlite3.Error, OSError) as error:
            raise ExecutionLogError(
                f"the log of executions {self.file} cannot be used: {error}; free or move the file, or name another"
            ) from error


class StoreExecutionLog:
    """The log in any LangGraph store."""

    def __init__(self, store: BaseStore, namespace: tuple[str, ...] = NAMESPACE) -> None:
        self.store = store
        self.namespace = namespace

    def append(self, execution: Execution) -> None:
        """Keep one; see `ExecutionLog`."""
        # the key sorts by time; the store must not try to embed it
        key = f"{execution.timestamp} {execution.id}"
        try:
            self.store.put(self.namespace, key, execution.to_dict(), index=False)
        except Exception as error:
            raise ExecutionLogError(f"the store did not keep an execution: {error}") from error

    def read(
        self,
        limit: int = 100,
        tool_name: str | None = None,
        since: datetime | str | None = None,
        user: str | None = None,
    ) -> list[Execution]:
        """Return the latest first; see `ExecutionLog`. A store can only be read whole."""
        count, moment = _count(limit), _moment(since)
        wanted = {key: value for key, value in (("tool_name", tool_name), ("user_id", user)) if value is not None}
        try:
            found = [Execution.from_dict(values) for values in self._all(wanted)]
        except Exception as error:
            raise ExecutionLogError(f"the store's executions cannot be read: {error}") from error
        kept = [one for one in found if moment is None or one.timestamp >= moment]
        return sorted(kept, key=lambda one: (one.timestamp, one.id), reverse=True)[:count]

    def _all(self, wanted: dict[str, str]) -> Iterator[dict[str, object]]:
        offset = 0
        while True:
            page = self.store.search(self.namespace, filter=wanted or None, limit=PAGE, offset=offset)
            yield from (item.value for item in page)
            if len(page) < PAGE:
                return
            offset += PAGE


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS executions("
            "id TEXT PRIMARY KEY, timestamp TEXT NOT NULL, tool_name TEXT NOT NULL, user_id TEXT, record TEXT NOT NULL)"
        )
        connection.execute("CREATE INDEX IF NOT EXISTS by_time ON executions(timestamp)")
        connection.execute(f"PRAGMA user_version={VERSION}")


def _count(limit: int) -> int:
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise SettingError(f"limit={limit!r}: must be a whole number from 1")
    return limit


def _moment(since: datetime | str | None) -> str | None:
    if since is None:
        return None
    try:
        return utc_text(datetime.fromisoformat(since) if isinstance(since, str) else since)
    except (ValueError, OverflowError) as error:
        raise SettingError(f"since={since!r}: must be a time such as 2026-11-30T08:00:00Z ({error})") from error
