"""The log of executions: an SQLite file that several processes share, or a LangGraph store."""

import json
import os
from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from langgraph.store.base import BaseStore

from skill_selector.agent.execution import Execution, utc_text
from skill_selector.feedback.database import Database
from skill_selector.feedback.place import data_file
from skill_selector.graph.errors import ExecutionLogError, SettingError

VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS executions (
  id TEXT PRIMARY KEY, timestamp TEXT NOT NULL, tool_name TEXT NOT NULL, user_id TEXT, record TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS by_time ON executions (timestamp);
"""
FILE = "executions.sqlite"
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

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._database = Database(
            file,
            schema=_SCHEMA,
            version=VERSION,
            holds="executions",
            error=ExecutionLogError,
            setting="SELECTOR_LOG_FILE",
        )
        self.file = self._database.path

    def append(self, execution: Execution) -> None:
        """Keep one; see `ExecutionLog`."""
        row = (
            execution.id,
            execution.timestamp,
            execution.tool_name,
            execution.user_id,
            json.dumps(execution.to_dict(), ensure_ascii=False),
        )
        with self._database.writing() as database:
            database.execute("INSERT OR REPLACE INTO executions VALUES (?, ?, ?, ?, ?)", row)

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
        sql = f"SELECT record FROM executions {where} ORDER BY timestamp DESC, rowid DESC LIMIT ?"  # noqa: S608 - the clauses are ours
        rows = self._database.rows(sql, (*given.values(), _count(limit)))
        return [Execution.from_dict(json.loads(record)) for (record,) in rows]


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


def open_log(own: "ExecutionLog | BaseStore | None" = None, file: str | None = None) -> ExecutionLog:
    """Return where executions are kept.

    Args:
        own: a log or a LangGraph store of the caller's, which beats the file.
        file: the setting `log_file`; the user's data folder by default.
    """
    if isinstance(own, BaseStore):
        return StoreExecutionLog(own)
    return own if own is not None else SqliteExecutionLog(file if file is not None else data_file(FILE))


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
