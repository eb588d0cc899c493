"""SQL, cut at its statements by sqlglot's tokeniser; tables and columns from its parser."""

import logging
import re
from collections.abc import Iterator
from typing import Any

from skill_selector.knowledge.chunk import Entity
from skill_selector.knowledge.piece import Cutting, Piece

MOST_PARSED = 20_000
"""Characters of a statement that is parsed: a dump's longer ones hold rows."""
DIALECTS = ("mysql", "postgres", "")
"""In the order in which they are tried; the last one is sqlglot's own, which takes most of the others'."""

_CREATE = re.compile(
    r"\bcreate\s+(?:or\s+replace\s+)?(?:temporary\s+)?(?P<what>table|view|materialized\s+view)\s+(?:if\s+not\s+exists\s+)?"
    r"[`\"\[]?(?P<name>[\w.]+)",
    re.IGNORECASE,
)
_ALTER = re.compile(r"\b(?:alter|drop|truncate)\s+table\b", re.IGNORECASE)
_TABLES = re.compile(r"\b(?:from|join|into|update)\s+[`\"\[]?([A-Za-z_][\w.]*)", re.IGNORECASE)


def cut_sql(text: str) -> Cutting:
    """Cut a text at its statements; comments above one belong to it."""
    faults = []
    pieces = []
    try:
        statements = list(_statements(text))
    except _failures() as error:
        statements = [(text.strip("\n"), _first_line(text))] if text.strip() else []
        faults.append(("bad_sql", f"it cannot be cut into statements ({_reason(error)})", "correct its quotes"))
    for statement, line in statements:
        created = _CREATE.search(statement)
        entities, fault = _parse(statement)
        if fault:
            what = f"line {line}: the statement cannot be parsed ({fault}); its names were guessed"
            faults.append(("unparsed_sql", what, "correct the statement, or leave it"))
        title = created["name"] if created else ""
        kind = "create" if created or _ALTER.search(statement) else "query"
        pieces.append(Piece(statement, title, line, "sql", kind, tuple(entities)))
    return Cutting(pieces, faults)


def entities_of_sql(text: str) -> list[Entity]:
    """Return the tables, columns and functions of SQL, also of a part of a statement."""
    return _parse(text)[0]


def _statements(text: str) -> Iterator[tuple[str, int]]:
    from sqlglot.dialects.mysql import MySQL  # noqa: PLC0415 - SQL only needs it

    start = 0
    for token in [*MySQL().tokenize(text), None]:
        if token is not None and token.token_type.name != "SEMICOLON":
            continue
        end = len(text) if token is None else token.end + 1
        part = text[start:end]
        stripped = part.strip()
        if stripped.strip(";").strip() and not _only_comments(stripped):
            line = text.count("\n", 0, start + len(part) - len(part.lstrip())) + 1
            yield stripped, line
        start = end


def _only_comments(statement: str) -> bool:
    lines = re.sub(r"/\*.*?\*/", "", statement, flags=re.DOTALL).split("\n")
    return not any(line.strip() and not line.lstrip().startswith(("--", "#")) for line in lines)


def _parse(statement: str) -> tuple[list[Entity], str | None]:
    if len(statement) > MOST_PARSED:
        return _guessed(statement), None
    from sqlglot import parse  # noqa: PLC0415 - SQL only needs it

    _hush()
    fault = None
    for dialect in DIALECTS:
        try:
            trees = parse(statement, read=dialect)
            found = [one for tree in trees if tree is not None for one in _names(tree)]
            # sqlglot calls some functions by a name of its own
            written = statement.lower()
            return [one for one in found if one.name.lower() in written] or _guessed(statement), None
        except _failures() as error:
            fault = fault or _reason(error)
    return _guessed(statement), fault


def _names(tree: Any) -> Iterator[Entity]:
    from sqlglot import expressions as exp  # noqa: PLC0415 - as above

    created = tree.find(exp.Table) if isinstance(tree, exp.Create) else None
    temporary = {one.alias_or_name for one in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.name not in temporary:
            yield Entity("table", table.name, table is created)
    for column in tree.find_all(exp.ColumnDef):
        yield Entity("column", column.name, True)
    for column in tree.find_all(exp.Column):
        if column.name and column.name != "*":
            yield Entity("column", column.name)
    for function in tree.find_all(exp.Func):
        if isinstance(function, exp.Connector | exp.Case):
            continue
        name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        yield Entity("function", str(name))


def _guessed(statement: str) -> list[Entity]:
    created = _CREATE.search(statement)
    defined = [Entity("table", created["name"], True)] if created else []
    return defined + [Entity("table", name) for name in _TABLES.findall(statement)]


def _hush() -> None:
    """Keep sqlglot from logging each statement that it does not know, where the host has not set a level."""
    logger = logging.getLogger("sqlglot")
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.ERROR)


def _failures() -> tuple[type[Exception], ...]:
    from sqlglot.errors import SqlglotError  # noqa: PLC0415 - as above

    # its parser walks deep nesting by recursion, and slips on some broken statements
    return (SqlglotError, RecursionError, ValueError, AttributeError, LookupError, TypeError)


def _reason(error: Exception) -> str:
    return " ".join(str(error).split("\n")[0].split())[:120] or type(error).__name__


def _first_line(text: str) -> int:
    return text.count("\n", 0, len(text) - len(text.lstrip())) + 1
