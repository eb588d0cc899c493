"""A reasoner that says what a test tells it to, for tests of graphs that hold the selector."""

from collections.abc import Callable, Mapping, Sequence

from skill_selector.graph.records import RUBRIC, Dimension, TaskAnalysis
from skill_selector.reasoners.base import AnalysisReply, AnalysisRequest, Judgement, RankReply, RankRequest

Scores = Mapping[str, float]
"""Skill id → score, 0 to 100; a candidate that is not named gets 0."""


class ScriptedReasoner:
    """Answers from a script, round by round, and keeps what it was asked.

    Args:
        rounds: the scores of each round, or an exception to raise in place of the ranking; the last one is repeated.
        analyze: what to understand; by default the task itself, with its words as keywords.
    """

    name = "scripted"

    def __init__(
        self,
        *rounds: Scores | Exception,
        analyze: Callable[[AnalysisRequest], TaskAnalysis] | None = None,
    ) -> None:
        self._rounds: Sequence[Scores | Exception] = rounds or ({},)
        self._analyze = analyze or _echo
        self.analyses: list[AnalysisRequest] = []
        self.rankings: list[RankRequest] = []

    def analyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Return the scripted analysis."""
        self.analyses.append(request)
        return AnalysisReply(analysis=self._analyze(request))

    async def aanalyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Return the scripted analysis."""
        return self.analyze(request)

    def rank(self, request: RankRequest) -> RankReply:
        """Return the scripted scores of the request's round.

        Raises:
            Exception: the script holds one for this round.
        """
        self.rankings.append(request)
        scores = self._rounds[min(request.attempt, len(self._rounds)) - 1]
        if isinstance(scores, Exception):
            raise scores
        return RankReply(judgements=tuple(_judge(one["id"], scores.get(one["id"], 0.0)) for one in request.candidates))

    async def arank(self, request: RankRequest) -> RankReply:
        """Return the scripted scores of the request's round."""
        return self.rank(request)


def _echo(request: AnalysisRequest) -> TaskAnalysis:
    return {
        "intent": request.task,
        "keywords": request.task.split(),
        "constraints": [],
        "tech_stack": [],
        "when_to_use": request.task,
    }


def _judge(skill_id: str, score: float) -> Judgement:
    points: dict[Dimension, float] = {part: most * score / 100 for part, most in RUBRIC.items()}
    return Judgement(skill_id=skill_id, points=points, reason=f"the script says {score:g}")
