"""The two Reason steps by a chat model."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel

from skill_selector.graph.records import Degradation, TaskAnalysis
from skill_selector.prompts.rendering import load_all
from skill_selector.reasoners.base import (
    NO_USAGE,
    AnalysisReply,
    AnalysisRequest,
    RankReply,
    RankRequest,
)
from skill_selector.reasoners.exchange import Answer, Exchange, LazyModel, Steps, aask, ask
from skill_selector.reasoners.failure import FilteredError
from skill_selector.reasoners.messages import analysis_messages, rank_messages
from skill_selector.reasoners.schemas import Schema, analysis_schema, scores_schema
from skill_selector.reasoners.scorecard import read_scores
from skill_selector.reasoners.sieve import Judgements, Sieve, without_refused
from skill_selector.reasoners.understanding import read_analysis

T = TypeVar("T")


class LLMReasoner:
    """Asks a chat model, any of LangChain's, for JSON: in plain text, or held to it as `llm_structured_output` says.

    A faulty answer is asked for once more with its faults named. `fallback_model`, a model or what makes one, takes
    over for the rest of a task once the endpoint says 529, overloaded, and the client's own retries are used up: after
    three overloads in a row where `LLM_MAX_RETRIES` is 2, its default. Candidates whose text a content filter refuses
    are found and left out. With `own_model` the settings did not make `model`, so that no error sends the reader to
    them.
    """

    name = "llm"

    def __init__(self, model: BaseChatModel, *, fallback_model: LazyModel = None, own_model: bool = False) -> None:
        self.model = model
        self.fallback_model = fallback_model
        self.own_model = own_model
        load_all()

    def analyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Understand the task."""
        return _analysis_reply(ask(self._analysis(request)))

    async def aanalyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Understand the task."""
        return _analysis_reply(await aask(self._analysis(request)))

    def rank(self, request: RankRequest) -> RankReply:
        """Score every candidate; without candidates no call is made."""
        return _rank_reply(ask(self._scores(request)))

    async def arank(self, request: RankRequest) -> RankReply:
        """Score every candidate; without candidates no call is made."""
        return _rank_reply(await aask(self._scores(request)))

    def _analysis(self, request: AnalysisRequest) -> Steps[TaskAnalysis]:
        exchange = self._exchange("analyze", request, analysis_schema(), lambda value, _final: read_analysis(value))
        return exchange.steps(analysis_messages(request))

    def _scores(self, request: RankRequest) -> Steps[Judgements]:
        request, gone = without_refused(request)
        if not request.candidates:
            return Answer(gone, NO_USAGE.copy(), ())
        try:
            answer = yield from self._scorecard(request)
        except FilteredError as error:
            if len(request.candidates) == 1:
                raise
            answer = yield from Sieve(self._scorecard, request, error).steps()
        return replace(answer, value=(*answer.value, *gone))

    def _scorecard(self, request: RankRequest) -> Steps[Judgements]:
        asked = rank_messages(request)

        def read(value: Any, final: bool) -> Judgements | None:
            return read_scores(value, asked.skill_ids, final=final)

        exchange = self._exchange("rank", request, scores_schema(asked.skill_ids), read)
        if asked.beyond:
            exchange.degraded.append(_too_long(request, asked.beyond))
        return exchange.steps(asked.messages)

    def _exchange(
        self,
        step: str,
        request: AnalysisRequest | RankRequest,
        schema: Schema,
        read: Callable[[Any, bool], T | None],
    ) -> Exchange[T]:
        return Exchange(
            step=step,
            request=request,
            model=self.model,
            setting=None if self.own_model else "LLM_MODEL",
            fallback_model=self.fallback_model,
            schema=schema,
            read=read,
        )


def _too_long(request: RankRequest, beyond: int) -> Degradation:
    bound = request.settings.llm_prompt_tokens
    return {
        "step": "rank",
        "round": request.attempt,
        "what": "prompt_tokens",
        "why": f"{len(request.candidates)} candidates, each at its shortest, do not fit (LLM_PROMPT_TOKENS is {bound})",
        "instead": f"prompts of about {bound + beyond} tokens",
    }


def _analysis_reply(answer: Answer[TaskAnalysis]) -> AnalysisReply:
    return AnalysisReply(analysis=answer.value, usage=answer.usage, degraded=answer.degraded)


def _rank_reply(answer: Answer[Judgements]) -> RankReply:
    return RankReply(judgements=answer.value, usage=answer.usage, degraded=answer.degraded)
