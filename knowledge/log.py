"""Logs, cut at their entries: errors one by one, the rest in groups."""

import re
from collections.abc import Iterator

from skill_selector.knowledge.entities import entities_of_log, error_codes_in
from skill_selector.knowledge.piece import Cutting, Piece
from skill_selector.knowledge.provenance import day_of

GROUP = 20
"""Entries that say nothing bad, in one piece."""
REPEATS = 5
"""Entries in a row about the same error, in one piece."""

_TIME = re.compile(
    r"^[\[(<]?(?:\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2})?|\d{2}:\d{2}:\d{2}|[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}"
    r"|\d{10,13}\b)"
)
_LEVEL = re.compile(r"\b(?:FATAL|ERROR|CRITICAL|SEVERE|WARN|WARNING|PANIC|ERR)\b|错误|异常|告警|警告", re.IGNORECASE)


def cut_log(text: str) -> Cutting:
    """Cut a log at its entries; lines without a time, such as those of a traceback, belong to the entry above."""
    pieces = []
    group: list[str] = []
    first, subject = 1, ""
    for line, entry in _entries(text):
        about = _subject(entry)
        most = REPEATS if about else GROUP
        if group and (about != subject or len(group) >= most):
            pieces.append(_piece(group, first, subject))
            group = []
        if not group:
            first, subject = line, about
        group.append(entry)
    if group:
        pieces.append(_piece(group, first, subject))
    return Cutting(pieces)


def _entries(text: str) -> Iterator[tuple[int, str]]:
    lines = text.rstrip("\n").split("\n")
    timed = any(_TIME.match(line) for line in lines)
    entry: list[str] = []
    start = 1
    for number, line in enumerate(lines, 1):
        begins = bool(_TIME.match(line)) if timed else not line.startswith((" ", "\t"))
        if begins and entry:
            if "".join(entry).strip():
                yield start, "\n".join(entry)
            entry = []
        if not entry:
            start = number
        entry.append(line)
    if "".join(entry).strip():
        yield start, "\n".join(entry)


def _subject(entry: str) -> str:
    """Return what an entry is an error about; empty for one that is none."""
    codes = error_codes_in(entry)
    if codes:
        return codes[0]
    return entry if _LEVEL.search(entry.partition("\n")[0]) else ""


def _piece(entries: list[str], first: int, subject: str) -> Piece:
    text = "\n".join(entries).rstrip()
    title = subject if len(subject) <= 40 else ""
    day = day_of(text[:40])
    stated = {"date": day} if day else {}
    return Piece(text, title, first, "text", "log", tuple(entities_of_log(text)), stated)
