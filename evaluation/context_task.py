"""Labelled tasks of context: what a compiled prompt must say, and what it must not; one JSON object a line."""

import codecs
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from skill_selector.graph.errors import TaskFileError

Split = Literal["dev", "test"]
"""dev: to look at and to tune on; test: for the final figures only."""

SPLITS: tuple[Split, ...] = get_args(Split)
MOST_FAULTS = 50
"""Faults of a file that an error lists."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something that the context must say."""

    what: str
    any: tuple[str, ...]
    """Wordings; one of them is enough."""
    wrong: tuple[str, ...] = ()
    """What other places of the knowledge base say of the same thing."""


@dataclass(frozen=True, kw_only=True)
class ContextTask:
    """A task with the facts that it needs."""

    id: str
    split: Split
    language: str
    skill_id: str
    task: str
    parameters: Mapping[str, Any]
    facts: tuple[Fact, ...]
    useful: tuple[tuple[str, str], ...] = ()
    """Path and text: chunks of that file that hold the text are on the subject, though they hold no fact."""

    @property
    def category(self) -> str:
        """Of its skill: what stands before the dot of the id."""
        return self.skill_id.partition(".")[0]


def load_context_tasks(path: str | os.PathLike[str]) -> list[ContextTask]:
    """Return the tasks of a file; blank lines are passed over, and so are other keys.

    Raises:
        TaskFileError: the file cannot be read, holds no task, or has faults; each is named with its line.
    """
    shown = os.fspath(path)
    try:
        content = Path(path).read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise TaskFileError(f"the file of tasks {shown} cannot be read: {error.strerror or error}") from error
    tasks: dict[str, ContextTask] = {}
    faults: list[str] = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            task = _read(json.loads(line.decode("utf-8")))
        except (ValueError, RecursionError) as error:
            faults.append(f"line {number}: {error}")
            continue
        if task.id in tasks:
            faults.append(f"line {number}: the id {task.id!r} is that of an earlier line already")
        tasks[task.id] = task
    if faults:
        listed = faults[:MOST_FAULTS] + ([f"and {len(faults) - MOST_FAULTS:,} more"] if faults[MOST_FAULTS:] else [])
        raise TaskFileError(f"{shown}: " + "\n  ".join(listed))
    if not tasks:
        raise TaskFileError(f"{shown} holds no task; put one JSON object a line, with id, split, task and facts")
    return list(tasks.values())


def _read(row: Any) -> ContextTask:
    """Return the task of a decoded line.

    Raises:
        ValueError: it is none; the message names every fault.
    """
    if not isinstance(row, dict):
        raise ValueError(f"it holds a {type(row).__name__}, not a JSON object")  # noqa: TRY004 - one kind for a line
    faults = [
        f"{key} must be text that is not empty"
        for key in ("id", "language", "skill_id", "task")
        if not isinstance(row.get(key), str) or not row[key].strip()
    ]
    if row.get("split") not in SPLITS:
        faults.append(f"split must be {' or '.join(SPLITS)}")
    if not isinstance(row.get("parameters", {}), dict):
        faults.append("parameters must be an object")
    facts = row.get("facts")
    if not isinstance(facts, list) or not facts or not all(_is_fact(one) for one in facts):
        faults.append('facts must be a list of {"what": text, "any": [text, …], "wrong": [text, …]} with one at least')
    useful = row.get("useful", [])
    if not _are_texts(useful) or not all("#" in one for one in useful):
        faults.append('useful must be a list of "path#text"')
    if faults:
        raise ValueError("; ".join(faults))
    return ContextTask(
        **{key: row[key] for key in ("id", "split", "language", "skill_id", "task")},
        parameters=row.get("parameters", {}),
        facts=tuple(
            Fact(what=one["what"], any=tuple(one["any"]), wrong=tuple(one.get("wrong", ()))) for one in row["facts"]
        ),
        useful=tuple((path, text) for path, _, text in (one.partition("#") for one in useful)),
    )


def _is_fact(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("what"), str)
        and bool(value.get("any"))
        and _are_texts(value["any"])
        and _are_texts(value.get("wrong", []))
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value)
