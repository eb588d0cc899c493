"""A reasoner that stands in for another one."""

from skill_selector.graph.errors import ModelUnavailableError
from skill_selector.graph.records import Degradation, Usage
from skill_selector.reasoners.base import (
    NO_USAGE,
    AnalysisReply,
    AnalysisRequest,
    RankReply,
    RankRequest,
    Reasoner,
)


class FallbackReasoner:
    """Asks `first`, and `second` where the model of the first does not answer usably; the reply's `degraded` says so.

    `ModelSetupError` passes: only the caller can correct it.
    """

    def __init__(self, first: Reasoner, second: Reasoner) -> None:
        self.first = first
        self.second = second
        self.name = first.name

    def analyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Understand the task."""
        try:
            return self.first.analyze(request)
        except ModelUnavailableError as error:
            failure = error
        return self._analysis(failure, self.second.analyze(request))

    async def aanalyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Understand the task."""
        try:
            return await self.first.aanalyze(request)
        except ModelUnavailableError as error:
            failure = error
        return self._analysis(failure, await self.second.aanalyze(request))

    def rank(self, request: RankRequest) -> RankReply:
        """Score every candidate."""
        try:
            return self.first.rank(request)
        except ModelUnavailableError as error:
            failure = error
        return self._scores(failure, self.second.rank(request))

    async def arank(self, request: RankRequest) -> RankReply:
        """Score every candidate."""
        try:
            return await self.first.arank(request)
        except ModelUnavailableError as error:
            failure = error
        return self._scores(failure, await self.second.arank(request))

    def _analysis(self, error: ModelUnavailableError, reply: AnalysisReply) -> AnalysisReply:
        degraded = (self._degradation("analyze", error), *reply.degraded)
        return AnalysisReply(analysis=reply.analysis, usage=_total(error, reply.usage), degraded=degraded)

    def _scores(self, error: ModelUnavailableError, reply: RankReply) -> RankReply:
        degraded = (self._degradation("rank", error), *reply.degraded)
        return RankReply(judgements=reply.judgements, usage=_total(error, reply.usage), degraded=degraded)

    def _degradation(self, step: str, error: ModelUnavailableError) -> Degradation:
        return {"step": step, "what": "model", "why": str(error), "instead": self.second.name}


def _total(error: ModelUnavailableError, usage: Usage) -> Usage:
    """Add what the failed attempts cost, where the error knows it."""
    spent: Usage = getattr(error, "usage", NO_USAGE)
    return {
        "calls": spent["calls"] + usage["calls"],
        "prompt_tokens": spent["prompt_tokens"] + usage["prompt_tokens"],
        "completion_tokens": spent["completion_tokens"] + usage["completion_tokens"],
    }
