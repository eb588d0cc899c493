#!/usr/bin/env python3
"""Print the tables of an SQLite database, opened read-only: columns, keys, row counts and a few sample rows."""

import argparse
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

SHOWN_CHARACTERS = 40


def quoted(name: str) -> str:
    """Return an identifier that is safe to put into a statement."""
    return '"' + name.replace('"', '""') + '"'


def describe(connection: sqlite3.Connection, table: str, samples: int) -> Iterator[str]:
    """Yield the lines about one table."""
    name = quoted(table)
    count = connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0]  # noqa: S608 - quoted identifier
    yield f"## {table} ({count} rows)"
    for _, column, kind, required, default, key in connection.execute(f"PRAGMA table_info({name})"):
        notes = ["primary key"] if key else []
        notes += ["not null"] if required else []
        notes += [f"default {default}"] if default is not None else []
        yield f"- {column} {kind} {', '.join(notes)}".rstrip()
    for row in connection.execute(f"PRAGMA foreign_key_list({name})"):
        yield f"- {row[3]} -> {row[2]}.{row[4] or 'primary key'}"
    rows = connection.execute(f"SELECT * FROM {name} LIMIT ?", (samples,))  # noqa: S608 - quoted identifier
    for row in rows:
        yield "  " + " | ".join(str(value)[:SHOWN_CHARACTERS] for value in row)
    yield ""


def main() -> int:
    """Print every table; exit status 2 when the database can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("--samples", type=int, default=0, help="rows to show of each table")
    options = parser.parse_args()
    if not options.database.is_file():
        sys.stderr.write(f"{options.database} is not a file: name an SQLite database\n")
        return 2
    try:
        connection = sqlite3.connect(f"{options.database.resolve().as_uri()}?mode=ro", uri=True)
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        for (table,) in connection.execute(names).fetchall():
            sys.stdout.writelines(line + "\n" for line in describe(connection, table, options.samples))
    except sqlite3.Error as error:
        sys.stderr.write(f"{options.database}: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
