"""Reason #2: score the candidates and decide what comes next."""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from skill_selector.graph.records import Candidate, Degradation, Dimension, Round
from skill_selector.graph.state import SelectorState
from skill_selector.nodes.answers import check_ranking, numbered
from skill_selector.nodes.decision import Bar, best_round, close_round, result_of
from skill_selector.nodes.parts import Parts
from skill_selector.nodes.ranking import rank_candidates, rank_excluded
from skill_selector.nodes.trace import Stopwatch, reason_seconds
from skill_selector.reasoners.base import RankReply, RankRequest, Reasoner
from skill_selector.reasoners.rubric import MODELS
from skill_selector.retrievers.strategy import Strategy, choose_strategy
from skill_selector.retrievers.words import load_words

ROUND_STEPS = 3
"""Steps that one more round takes: analyze, retrieve, rank."""


@dataclass(frozen=True)
class _Job:
    """One call of the node, ready for its reasoner."""

    watch: Stopwatch
    request: RankRequest
    strategy: Strategy
    reasoner: Reasoner | None
    """None where there is nothing to ask: no candidates, or the strategy's score is the judge."""
    excluded: tuple[Candidate, ...]
    """Those of the best that the task rules out by name, at most `top_k`."""

    def checked(self, reply: RankReply) -> RankReply:
        """Return the reasoner's answer, which may come from code of the caller's own.

        Raises:
            ReasonerError: it is none.
        """
        check_ranking(reply, self.reasoner.name if self.reasoner else "")
        return reply

    def answered_by(self, reply: RankReply | None) -> str | None:
        """Return who gave the answer."""
        if reply is None or self.reasoner is None:
            return None
        return reply.answered_by or self.reasoner.name


class Rank:
    """Has the candidates scored, closes the round, and says whether another one, a human or the end follows."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def run(self, state: SelectorState) -> dict[str, Any]:
        """Return the update with the round and, unless another one follows, the result."""
        job = self._prepare(state)
        return _update(state, job, job.checked(job.reasoner.rank(job.request)) if job.reasoner else None)

    async def arun(self, state: SelectorState) -> dict[str, Any]:
        """Return the update with the round and, unless another one follows, the result."""
        job = await asyncio.to_thread(self._prepare, state)
        return _update(state, job, job.checked(await job.reasoner.arank(job.request)) if job.reasoner else None)

    def _prepare(self, state: SelectorState) -> _Job:
        watch = Stopwatch("rank")
        settings, calibration = self._parts.calibrated()
        strategy = choose_strategy(settings)
        library = self._parts.library_of(state)
        analysis = state["analysis"]
        assert analysis is not None  # noqa: S101 - `analyze` ran before
        request = RankRequest(
            task=state["resolved_task"],
            analysis=analysis,
            # a run that goes on after a restart may find that a candidate has gone
            candidates=tuple(one for one in state["candidates"] if one["id"] in library.catalog.by_id),
            skills=library.catalog.by_id,
            # where the score is the judge, nobody asks the index anything
            index=library.index() if strategy.judge == "rubric" else library.index(fields=()),
            settings=settings,
            words=load_words(settings.words_file),
            attempt=state["attempt"],
            degraded=tuple(state["degraded"]),
            models=calibration.models if calibration else MODELS,
            model_seconds=reason_seconds(state["selector_trace"]),
        )
        asked = bool(request.candidates) and strategy.judge == "rubric"
        excluded = [one for one in state["excluded"] if one["id"] in library.catalog.by_id][: settings.top_k]
        return _Job(watch, request, strategy, self._parts.reasoner_for(settings) if asked else None, tuple(excluded))


def _update(state: SelectorState, job: _Job, reply: RankReply | None) -> dict[str, Any]:
    request = job.request
    ranked = rank_candidates(request.candidates, request.skills, reply.judgements if reply else None)
    ranked += rank_excluded(job.excluded, request.skills, request.task)
    bar = Bar.of(request.settings, job.strategy)
    closed = close_round(request.attempt, request.analysis, request.candidates, ranked, bar, excluded=job.excluded)
    rounds = [*state["rounds"], closed]
    step, cut = _next_step(state, rounds, job)
    entry = job.watch.entry(
        request.attempt,
        given={
            "reasoner": job.answered_by(reply),
            "candidates": [one["id"] for one in request.candidates],
            "threshold": bar.threshold,
            "gap": bar.gap,
        },
        made={
            "scores": {one["skill"]["id"]: one["score"] for one in ranked},
            "outcome": closed["outcome"],
            "reason": closed["reason"],
            "next_step": step,
        },
        cost=reply.usage if reply else None,
    )
    return {
        "rounds": rounds,
        "next_step": step,
        "degraded": [*state["degraded"], *(numbered(reply.degraded, request.attempt) if reply else ()), *cut],
        "selector_trace": [entry],
        **({} if step == "analyze" else result_of(best_round(rounds), bar)),
    }


def _next_step(
    state: SelectorState, rounds: list[Round], job: _Job
) -> tuple[Literal["analyze", "confirm", "end"], list[Degradation]]:
    """Decide what follows, and report what the host's recursion limit forbids."""
    settings, room = job.request.settings, state["remaining_steps"] - 1
    cut: list[Degradation] = []
    again = job.strategy.reads_analysis and len(rounds) < settings.max_attempts and not _repeats(rounds)
    if rounds[-1]["outcome"] == "ambiguous" and again:
        # the question that a last tie leads to needs its step too
        if room >= ROUND_STEPS + (settings.on_ambiguous == "ask"):
            return "analyze", cut
        cut.append(_no_room(job, "another analysis", "the rounds so far"))
    if settings.on_ambiguous == "ask" and best_round(rounds)["outcome"] == "ambiguous":
        if room >= 1:
            return "confirm", cut
        cut.append(_no_room(job, "the question to a human", "the outcome ambiguous"))
    return "end", cut


def _no_room(job: _Job, what: str, instead: str) -> Degradation:
    why = "the recursion limit of the run leaves no room for it"
    return {"step": "rank", "round": job.request.attempt, "what": what, "why": why, "instead": instead}


def _repeats(rounds: list[Round]) -> bool:
    """Say whether the last round only said again what the one before had said, be it in other words."""
    return len(rounds) > 1 and _points(rounds[-1]) == _points(rounds[-2])


def _points(one: Round) -> list[tuple[str, dict[Dimension, float], bool]]:
    return [(ranked["skill"]["id"], ranked["dimensions"], ranked["veto"] is not None) for ranked in one["ranked"]]
