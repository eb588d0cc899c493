"""Runs that were recorded, and the definition that the successful ones suggest."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skill_selector.feedback.database import Database
from skill_selector.feedback.place import data_file
from skill_selector.graph.errors import DefinitionError, FeedbackError
from skill_selector.knowledge.proposal import Proposal
from skill_selector.retrievers.everyday import everyday_tokens
from skill_selector.retrievers.text import tokenize

VERSION = 1
FILE = "runs.sqlite"
LEAST = 3
"""Successful runs that a definition is proposed from."""
MOST_VALUES, LEAST_FOR_VALUES = 5, 6
"""A text with at most so many values in at least so many runs is proposed as a choice among them."""
MOST_KEYWORDS = 8
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
  number INTEGER PRIMARY KEY, skill TEXT NOT NULL, task TEXT NOT NULL, parameters TEXT NOT NULL,
  worked INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS by_skill ON runs (skill);
"""
_TYPES: tuple[tuple[str, type[Any] | tuple[type[Any], ...]], ...] = (
    ("boolean", bool),
    ("integer", int),
    ("number", (int, float)),
    ("string", str),
    ("array", list),
    ("object", dict),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What a skill was used for."""

    skill: str
    task: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    worked: bool = True


class RunStore:
    """Runs in a file, which is made when it is first written to."""

    def __init__(self, file: str | None = None) -> None:
        self._database = Database(
            file or data_file(FILE),
            schema=_SCHEMA,
            version=VERSION,
            holds="runs",
            error=FeedbackError,
            setting="the argument `file`",
        )

    def add(self, run: Run) -> None:
        """Keep a run. Blocks.

        Raises:
            FeedbackError: the file cannot be used.
        """
        row = (run.skill, run.task, json.dumps(dict(run.parameters), ensure_ascii=False, default=str), run.worked)
        with self._database.writing() as database:
            database.execute("INSERT INTO runs (skill, task, parameters, worked) VALUES (?, ?, ?, ?)", row)

    def runs(self, skill: str) -> list[Run]:
        """Return a skill's runs, the oldest first. Blocks."""
        rows = self._database.rows(
            "SELECT skill, task, parameters, worked FROM runs WHERE skill = ? ORDER BY number", (skill,)
        )
        return [
            Run(skill=name, task=task, parameters=json.loads(given), worked=bool(worked))
            for name, task, given, worked in rows
        ]


def propose_from_runs(skill: str, runs: Sequence[Run], *, category: str = "general") -> Proposal:
    """Return the definition that a skill's successful runs suggest, for a person to edit.

    A parameter is required where every run gave it; its type is the one that all its values have.

    Raises:
        DefinitionError: there are too few successful runs.
    """
    worked = [run for run in runs if run.worked]
    if len(worked) < LEAST:
        raise DefinitionError(
            f"{len(worked)} runs of {skill!r} that worked are on record; a definition is proposed from {LEAST} on"
        )
    names = list(dict.fromkeys(name for run in worked for name in run.parameters))
    seen = {name: [run.parameters[name] for run in worked if name in run.parameters] for name in names}
    schema = {
        "type": "object",
        "properties": {name: _property(values) for name, values in seen.items()},
        "required": [name for name, values in seen.items() if len(values) == len(worked)],
    }
    values = {
        "id": skill,
        "description": f"Carries out tasks such as: {worked[-1].task.strip()[:200]}",
        "category": category,
        "preferred_context_types": [],
        "related_keywords": _keywords([run.task for run in worked]),
        "input_schema": schema,
        "output_schema": {"type": "object"},
    }
    origin = f"{len(worked)} runs that worked"
    return Proposal(values=values, origins=dict.fromkeys(values, origin), notes=("proposed from recorded runs",))


def _property(values: Sequence[Any]) -> dict[str, Any]:
    kind = next(
        (
            name
            for name, python in _TYPES
            if all(isinstance(one, python) and (python is bool or not isinstance(one, bool)) for one in values)
        ),
        None,
    )
    found: dict[str, Any] = {"type": kind} if kind else {}
    distinct = sorted({one for one in values if isinstance(one, str)})
    if kind == "string" and len(values) >= LEAST_FOR_VALUES and len(distinct) <= MOST_VALUES:
        found["enum"] = distinct
    return found


def _keywords(tasks: Sequence[str]) -> list[str]:
    """The words that most tasks share, without everyday ones."""
    counts = Counter(token for task in tasks for token in set(tokenize(task)))
    everyday = everyday_tokens()
    common = [token for token, count in counts.most_common() if count * 2 > len(tasks) and token not in everyday]
    return common[:MOST_KEYWORDS]
