"""The candidates of a task as the local score sees them: what a fit of its weights is made of."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from typing_extensions import TypedDict

from skill_selector.catalog.skill import Skill
from skill_selector.evaluation.regression import TaskRows
from skill_selector.graph.records import Candidate, TaskAnalysis
from skill_selector.reasoners.local import highest_score
from skill_selector.reasoners.signals import measure
from skill_selector.reasoners.terms import task_terms
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.standing import SEMANTIC
from skill_selector.retrievers.words import WordLists


class Measured(TypedDict):
    """One candidate. Plain JSON: it travels between processes."""

    id: str
    copies: list[str]
    score: float
    """The fused score of retrieval."""
    signals: dict[str, float]
    """What was measured, `standing` included where the candidate has one."""
    most: float
    """The highest score that it can get: 100, less where something rules it out."""
    semantic: bool
    """Vectors have a say in its standing."""


def measure_candidates(
    task: str,
    analysis: TaskAnalysis,
    candidates: Sequence[Candidate],
    *,
    skills: Mapping[str, Skill],
    index: SkillIndex,
    words: WordLists,
) -> list[Measured]:
    """Return what the local reasoner would measure of a task's candidates, in their order."""
    terms = task_terms(task, analysis, index, words)
    semantic = any(one["routes"].get(SEMANTIC) for one in candidates)
    found: list[Measured] = []
    for one in candidates:
        findings = measure(terms, skills[one["id"]], index, words)
        standing = one.get("standing")
        found.append(
            {
                "id": one["id"],
                "copies": one["copies"],
                "score": one["score"],
                "signals": findings.signals.as_dict() | ({} if standing is None else {"standing": standing}),
                "most": highest_score(findings, terms, fallback=one["fallback"]),
                "semantic": semantic,
            }
        )
    return found


def rows_of(
    measured: Sequence[Measured],
    names: Sequence[str],
    gold: Collection[str],
    soft: Collection[str] = (),
    weight: float = 1.0,
) -> TaskRows:
    """Return the signals of those names [candidates, signals], with the labels.

    Args:
        measured: the candidates of one task.
        names: signals.
        gold: ids of skills that fit; a candidate whose copy is among them fits too.
        soft: ids of skills that fit half.
        weight: how much the task counts.
    """
    signals = np.array([[one["signals"][name] for name in names] for one in measured]).reshape(-1, len(names))
    return TaskRows(signals, np.array([_fit(one, gold, soft) for one in measured]), weight)


def _fit(one: Measured, gold: Collection[str], soft: Collection[str]) -> float:
    ids = (one["id"], *one["copies"])
    return 1.0 if any(own in gold for own in ids) else 0.5 if any(own in soft for own in ids) else 0.0
