"""A reasoner that stands in for another one."""

from dataclasses import replace

from skill_selector.graph.errors import ModelUnavailableError
from skill_selector.graph.records import Degradation, Usage
from skill_selector.reasoners.base import (
    NO_USAGE,
    AnalysisReply,
    AnalysisRequest,
    RankReply,
    RankRequest,
    Reasoner,
    total_usage,
)


class FallbackReasoner:
    """Asks `first`, and `second` where the model of the first does not answer usably; the reply's `degraded` says so.

    For the rest of a task the second is then asked at once, without another entry: waiting for a dead endpoint again
    would only take time. The next task tries the first again. `ModelSetupError` passes: only the caller can correct it.
    """

    def __init__(self, first: Reasoner, second: Reasoner) -> None:
        self.first = first
        self.second = second
        self.name = first.name

    def analyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Understand the task."""
        if self._gave_up(request):
            return self._analysis(None, request, self.second.analyze(request))
        try:
            return self.first.analyze(request)
        except ModelUnavailableError as error:
            failure = error
        return self._analysis(failure, request, self.second.analyze(request))

    async def aanalyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Understand the task."""
        if self._gave_up(request):
            return self._analysis(None, request, await self.second.aanalyze(request))
        try:
            return await self.first.aanalyze(request)
        except ModelUnavailableError as error:
            failure = error
        return self._analysis(failure, request, await self.second.aanalyze(request))

    def rank(self, request: RankRequest) -> RankReply:
        """Score every candidate."""
        if self._gave_up(request):
            return self._scores(None, request, self.second.rank(request))
        try:
            return self.first.rank(request)
        except ModelUnavailableError as error:
            failure = error
        return self._scores(failure, request, self.second.rank(request))

    async def arank(self, request: RankRequest) -> RankReply:
        """Score every candidate."""
        if self._gave_up(request):
            return self._scores(None, request, await self.second.arank(request))
        try:
            return await self.first.arank(request)
        except ModelUnavailableError as error:
            failure = error
        return self._scores(failure, request, await self.second.arank(request))

    def _gave_up(self, request: AnalysisRequest | RankRequest) -> bool:
        """Say whether the second had to stand in before, in this task."""
        return any(one["what"] == "model" and one["instead"] == self.second.name for one in request.degraded)

    def _analysis(
        self, error: ModelUnavailableError | None, request: AnalysisRequest, reply: AnalysisReply
    ) -> AnalysisReply:
        return replace(
            reply,
            usage=_total(error, reply.usage),
            degraded=(*self._degraded("analyze", request.attempt, error), *reply.degraded),
            answered_by=reply.answered_by or self.second.name,
        )

    def _scores(self, error: ModelUnavailableError | None, request: RankRequest, reply: RankReply) -> RankReply:
        return replace(
            reply,
            usage=_total(error, reply.usage),
            degraded=(*self._degraded("rank", request.attempt, error), *reply.degraded),
            answered_by=reply.answered_by or self.second.name,
        )

    def _degraded(self, step: str, attempt: int, error: ModelUnavailableError | None) -> tuple[Degradation, ...]:
        if error is None:
            return ()
        before: tuple[Degradation, ...] = getattr(error, "degraded", ())
        return (
            *before,
            {"step": step, "round": attempt, "what": "model", "why": str(error), "instead": self.second.name},
        )


def _total(error: ModelUnavailableError | None, usage: Usage) -> Usage:
    """Add what the failed attempts cost, where the error knows it."""
    return total_usage(getattr(error, "usage", NO_USAGE), usage)
