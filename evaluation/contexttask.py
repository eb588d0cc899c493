"""Labelled tasks for compiled context: a skill, its parameters, and the facts that a prompt must hold."""

import json
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill_selector.graph.errors import TaskFileError
from skill_selector.knowledge.chunk import Chunk

MOST_FAULTS = 20

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """Something that the context must say."""

    what: str
    any: tuple[str, ...]
    """Wordings, one of which is enough."""
    wrong: tuple[str, ...] = ()
    """What other places say of the same thing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextTask:
    """One task."""

    id: str
    split: str
    language: str
    skill_id: str
    task: str
    parameters: Mapping[str, Any]
    facts: tuple[Fact, ...]
    useful: tuple[str, ...] = ()
    """`path#text`: a chunk of that file that holds the text is on the subject, though it holds no needed fact."""


def load_context_tasks(path: str | os.PathLike[str]) -> list[ContextTask]:
    """Return the tasks of a file, one JSON object a line; `examples/knowledge/README.md` describes them.

    Raises:
        TaskFileError: the file cannot be read, holds no task, or has faults; each is named with its line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TaskFileError(f"the file of tasks {os.fspath(path)} cannot be read: {error}") from error
    tasks: list[ContextTask] = []
    faults: list[str] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                tasks.append(_read(json.loads(line)))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                faults.append(f"line {number}: {type(error).__name__} {error}")
    ids = [one.id for one in tasks]
    faults += [f"the id {one!r} is there twice" for one in sorted({one for one in ids if ids.count(one) > 1})]
    if faults or not tasks:
        listed = "; ".join(faults[:MOST_FAULTS]) or "it holds no task"
        raise TaskFileError(f"the file of tasks {os.fspath(path)} cannot be used: {listed}")
    return tasks


def plain(text: str) -> str:
    """Return a text as texts are compared: NFKC, case folded, white space joined, quotation marks unescaped."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).casefold().replace('\\"', '"')).strip()


def is_covered(fact: Fact, prompt: str) -> bool:
    """Tell whether a prompt, made plain, says the fact."""
    return any(plain(one) in prompt for one in fact.any)


def is_noise(task: ContextTask, chunk: Chunk) -> bool:
    """Tell whether a chunk in the context misleads, or is beside the point."""
    text = plain(chunk.text)
    if any(plain(one) in text for fact in task.facts for one in fact.wrong):
        return True
    if any(plain(one) in text for fact in task.facts for one in fact.any):
        return False
    return not any(_fits(entry, chunk, text) for entry in task.useful)


def _fits(entry: str, chunk: Chunk, text: str) -> bool:
    path, _, wanted = entry.partition("#")
    return chunk.path == path and plain(wanted) in f"{plain(chunk.title)} {text}"


def _read(value: Mapping[str, Any]) -> ContextTask:
    facts = tuple(
        Fact(what=one["what"], any=_texts(one["any"]), wrong=_texts(one.get("wrong", []))) for one in value["facts"]
    )
    if not facts or not all(one.any for one in facts):
        raise ValueError("`facts` must hold facts, each with a wording in `any`")
    return ContextTask(
        id=str(value["id"]),
        split=str(value.get("split", "dev")),
        language=str(value.get("language", "en")),
        skill_id=str(value["skill_id"]),
        task=str(value["task"]),
        parameters=dict(value["parameters"]),
        facts=facts,
        useful=_texts(value.get("useful", [])),
    )


def _texts(value: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(value, str) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{value!r} must be a list of texts")
    return tuple(value)
