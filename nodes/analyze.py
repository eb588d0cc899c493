"""Reason #1: understand the task."""

import asyncio
from dataclasses import replace
from typing import Any

from skill_selector.graph.settings import Settings
from skill_selector.graph.state import SelectorState
from skill_selector.nodes.answers import check_analysis, numbered
from skill_selector.nodes.decision import Bar
from skill_selector.nodes.parts import Parts
from skill_selector.nodes.trace import Stopwatch, reason_seconds
from skill_selector.reasoners.base import AnalysisReply, AnalysisRequest, Reasoner
from skill_selector.retrievers.strategy import choose_strategy
from skill_selector.retrievers.words import load_words


class Analyze:
    """Asks the reasoner what the task is; again, with what tied, when the round before was too close."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def run(self, state: SelectorState) -> dict[str, Any]:
        """Return the update with the analysis."""
        watch = Stopwatch("analyze")
        reasoner, request = self._prepare(state)
        return self._update(state, watch, reasoner, request, reasoner.analyze(request))

    async def arun(self, state: SelectorState) -> dict[str, Any]:
        """Return the update with the analysis."""
        watch = Stopwatch("analyze")
        reasoner, request = await asyncio.to_thread(self._prepare, state)
        return self._update(state, watch, reasoner, request, await reasoner.aanalyze(request))

    def _prepare(self, state: SelectorState) -> tuple[Reasoner, AnalysisRequest]:
        settings = self._parts.settings()
        if not choose_strategy(settings).reads_analysis:
            # What nothing reads shall cost no call of a model.
            settings = replace(settings, reasoner="local")
        return self._parts.reasoner_for(settings), self._request(state, settings)

    def _request(self, state: SelectorState, settings: Settings) -> AnalysisRequest:
        last = state["rounds"][-1] if state["rounds"] else None
        bar = Bar.of(settings, choose_strategy(settings))
        return AnalysisRequest(
            task=state["resolved_task"],
            settings=settings,
            words=load_words(settings.words_file),
            attempt=state["attempt"] + 1,
            previous=last["analysis"] if last else None,
            tied=tuple(bar.tied(last["ranked"])) if last else (),
            degraded=tuple(state["degraded"]),
            model_seconds=reason_seconds(state["selector_trace"]),
        )

    def _update(
        self, state: SelectorState, watch: Stopwatch, reasoner: Reasoner, request: AnalysisRequest, reply: AnalysisReply
    ) -> dict[str, Any]:
        check_analysis(reply, reasoner.name)
        entry = watch.entry(
            request.attempt,
            given={
                "reasoner": reply.answered_by or reasoner.name,
                "tied": [one["skill"]["id"] for one in request.tied],
            },
            made=dict(reply.analysis),
            cost=reply.usage,
        )
        update = {"analysis": reply.analysis, "attempt": request.attempt, "selector_trace": [entry]}
        if reply.degraded or reply.answered_by not in (None, reasoner.name):
            # a cache keeps what has no `degraded`
            update["degraded"] = [*state["degraded"], *numbered(reply.degraded, request.attempt)]
        return update
