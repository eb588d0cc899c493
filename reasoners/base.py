"""What a reasoner is asked, what it answers, and the interface that both kinds of reasoner share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Protocol

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import ReasonerError
from skill_selector.graph.records import (
    RUBRIC,
    Candidate,
    Degradation,
    Dimension,
    RankedSkill,
    TaskAnalysis,
    Usage,
)
from skill_selector.graph.settings import Settings
from skill_selector.reasoners.rubric import MODELS, Model, ModelName
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.words import WordLists

NO_USAGE: Usage = {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}


def total_usage(one: Usage, other: Usage) -> Usage:
    """Return what two things cost together."""
    return {
        "calls": one["calls"] + other["calls"],
        "prompt_tokens": one["prompt_tokens"] + other["prompt_tokens"],
        "completion_tokens": one["completion_tokens"] + other["completion_tokens"],
    }


@dataclass(frozen=True, kw_only=True)
class AnalysisRequest:
    """Reason #1: understand the task."""

    task: str
    settings: Settings
    words: WordLists
    attempt: int = 1
    """1 for the first analysis of the task."""
    previous: TaskAnalysis | None = None
    """What the attempt before understood."""
    tied: tuple[RankedSkill, ...] = ()
    """The skills that came out too close with it, best first."""
    degraded: tuple[Degradation, ...] = ()
    """What did not work in earlier steps of this task."""
    model_seconds: float = 0.0
    """How long the Reason steps before this one took in this task."""


@dataclass(frozen=True, kw_only=True)
class AnalysisReply:
    """The answer to an `AnalysisRequest`."""

    analysis: TaskAnalysis
    usage: Usage = field(default_factory=NO_USAGE.copy)
    degraded: tuple[Degradation, ...] = ()
    answered_by: str | None = None
    """The name of the reasoner that answered, where another than the one that was asked."""


@dataclass(frozen=True, kw_only=True)
class RankRequest:
    """Reason #2: score each candidate by the rubric."""

    task: str
    analysis: TaskAnalysis
    candidates: tuple[Candidate, ...]
    skills: Mapping[str, Skill]
    """At least the candidates' skills, by id."""
    index: SkillIndex
    """Statistics of the whole catalogue."""
    settings: Settings
    words: WordLists
    attempt: int = 1
    degraded: tuple[Degradation, ...] = ()
    """What did not work in earlier steps of this task."""
    models: Mapping[ModelName, Model] = field(default_factory=lambda: MODELS)
    """What the local reasoner weighs its signals by: the shipped weights, or those of a calibration."""
    model_seconds: float = 0.0
    """How long the Reason steps before this one took in this task."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One candidate's points.

    `points` holds what the rubric gave, each from 0 to its maximum in `RUBRIC`. A veto leaves them on record and
    takes all of them out of `dimensions` and `score`.

    Raises:
        ReasonerError: points are missing or out of range, the reason is no text, or the veto an empty one.
    """

    skill_id: str
    points: Mapping[Dimension, float]
    reason: str
    veto: str | None = None

    def __post_init__(self) -> None:
        for part, most in RUBRIC.items():
            points: object = self.points.get(part) if isinstance(self.points, Mapping) else None
            if isinstance(points, bool) or not isinstance(points, Real) or not 0 <= float(points) <= most:
                raise ReasonerError(f"{self.skill_id}: {part} is {points!r}; it must be a number from 0 to {most:g}")
        if not isinstance(self.reason, str):
            raise ReasonerError(f"{self.skill_id}: the reason is {self.reason!r}; it must be text")
        if self.veto is not None and not (isinstance(self.veto, str) and self.veto.strip()):
            raise ReasonerError(f"{self.skill_id}: the veto is {self.veto!r}; it must be None, or text that says why")

    @property
    def dimensions(self) -> dict[Dimension, float]:
        """The points that count, rounded to one decimal."""
        return {part: 0.0 if self.veto else round(float(self.points[part]), 1) for part in RUBRIC}

    @property
    def score(self) -> float:
        """0 to 100: the sum of `dimensions`."""
        return round(sum(self.dimensions.values()), 1)


@dataclass(frozen=True, kw_only=True)
class RankReply:
    """The answer to a `RankRequest`: one judgement a candidate, in any order."""

    judgements: tuple[Judgement, ...]
    usage: Usage = field(default_factory=NO_USAGE.copy)
    degraded: tuple[Degradation, ...] = ()
    answered_by: str | None = None
    """The name of the reasoner that answered, where another than the one that was asked."""


class Reasoner(Protocol):
    """The two Reason steps. Each half of a pair behaves the same.

    Raises, from every method:
        ModelSetupError: the model cannot work as it is set up.
        ModelUnavailableError: the model did not answer usably.
    """

    @property
    def name(self) -> str:
        """The name by which results and traces call it."""
        ...

    def analyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Understand the task."""
        ...

    async def aanalyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Understand the task."""
        ...

    def rank(self, request: RankRequest) -> RankReply:
        """Score every candidate."""
        ...

    async def arank(self, request: RankRequest) -> RankReply:
        """Score every candidate."""
        ...
