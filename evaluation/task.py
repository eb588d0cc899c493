"""Labelled tasks, and the file that holds them: one JSON object a line, every fault named with its line."""

import codecs
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args

from skill_selector.graph.errors import TaskFileError

Kind = Literal["match", "none", "ambiguous"]
"""match: one or more skills are needed; none: no skill fits; ambiguous: several skills fit equally."""

MOST_FAULTS = 50
"""Faults of a file that an error lists; a file with more is likely no file of tasks at all."""

_LANG = re.compile(r"[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8}){0,3}")


@dataclass(frozen=True, kw_only=True)
class LabelledTask:
    """A task, and what the right answer is.

    Raises:
        ValueError: a field has a value that cannot be used; the message names every one.
    """

    id: str
    lang: str
    """A tag such as `en`, `zh`, or `zh-en` for a Chinese task with an English skill."""
    kind: Kind
    task: str
    gold: tuple[tuple[str, ...], ...]
    """Groups of skill ids. The ids of one group are interchangeable copies; every group is needed. Empty: none fits."""

    def __post_init__(self) -> None:
        faults = list(_faults_of({one.name: getattr(self, one.name) for one in fields(self)}))
        if faults:
            raise ValueError("; ".join(faults))

    @property
    def gold_ids(self) -> frozenset[str]:
        """The ids of all groups."""
        return frozenset(chain.from_iterable(self.gold))


_KEYS = tuple(one.name for one in fields(LabelledTask))


def load_tasks(path: str | os.PathLike[str]) -> list[LabelledTask]:
    """Return the tasks of a file: `{"id", "lang", "kind", "task", "gold": [[id, …], …]}`, one a line.

    Blank lines are passed over, and so are other keys.

    Raises:
        TaskFileError: the file cannot be read, holds no task, or has faults; each is named with its line.
    """
    shown = os.fspath(path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise TaskFileError(f"the file of tasks {shown} cannot be read: {error.strerror or error}") from error
    tasks: list[LabelledTask] = []
    faults: list[str] = []
    line_of: dict[str, int] = {}
    for number, line in enumerate(content.removeprefix(codecs.BOM_UTF8).split(b"\n"), 1):
        if not line.strip():
            continue
        found, task = _read_line(line)
        if task and line_of.setdefault(task.id, number) != number:
            found = [f"the id {task.id!r} is that of line {line_of[task.id]} already"]
        faults += [f"line {number}: {fault}" for fault in found]
        if task:
            tasks.append(task)
    if faults:
        raise TaskFileError(_summary(shown, faults))
    if not tasks:
        raise TaskFileError(f"{shown} holds no task; put one JSON object a line, with the keys {', '.join(_KEYS)}")
    return tasks


def _summary(shown: str, faults: list[str]) -> str:
    listed = faults[:MOST_FAULTS]
    if len(faults) > len(listed):
        listed.append(f"and {len(faults) - len(listed):,} more")
    if len(listed) == 1:
        return f"{shown}: {listed[0]}"
    return "\n  ".join([f"{shown} has {len(faults):,} faults:", *listed])


def _read_line(line: bytes) -> tuple[list[str], LabelledTask | None]:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return ["it is not UTF-8 text; save the file as UTF-8"], None
    except (ValueError, RecursionError) as error:
        return [f"it is not JSON ({error})"], None
    if not isinstance(row, dict):
        return [f"it holds a {type(row).__name__}, not a JSON object with the keys {', '.join(_KEYS)}"], None
    faults = list(_faults_of(row))
    if faults:
        return faults, None
    values = {**{key: row[key] for key in _KEYS}, "gold": tuple(map(tuple, row["gold"]))}
    return [], LabelledTask(**values)


def _faults_of(row: Mapping[str, Any]) -> Iterator[str]:
    missing = [key for key in _KEYS if key not in row]
    if missing:
        yield f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    for key in ("id", "task"):
        if key in row and not _is_text(row[key]):
            yield f"{key} is {_short(row[key])}; it must be text that is not empty"
    if "lang" in row and not (isinstance(row["lang"], str) and _LANG.fullmatch(row["lang"])):
        yield f"lang is {_short(row['lang'])}; it must be a language tag such as en, zh or zh-en"
    if "kind" in row and row["kind"] not in get_args(Kind):
        yield f"kind is {_short(row['kind'])}; it must be match, none or ambiguous"
    if "gold" in row:
        yield from _faults_of_gold(row["gold"], row.get("kind"))


def _faults_of_gold(gold: Any, kind: Any) -> Iterator[str]:
    if not isinstance(gold, list | tuple) or not all(isinstance(one, list | tuple) and one for one in gold):
        yield f"gold is {_short(gold)}; it must be a list of lists of skill ids, none of them empty"
    elif wrong := [one for group in gold for one in group if not _is_text(one)]:
        yield f"gold holds {_short(wrong[0])} where a skill id is expected"
    elif kind == "none" and gold:
        yield "gold names skills, but kind is none; leave gold empty, or correct the kind"
    elif kind in ("match", "ambiguous") and not gold:
        yield f"gold is empty, but kind is {kind}; name the skills that fit, or make the kind none"


def _is_text(value: Any) -> bool:
    # A lone surrogate is legal in JSON, but nothing that is written later could hold it.
    return isinstance(value, str) and bool(value.strip()) and not re.search("[\ud800-\udfff]", value)


def _short(value: Any, most: int = 60) -> str:
    shown = repr(value)
    return shown if len(shown) <= most else shown[: most - 1] + "…"
