from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from skill_selector.graph.errors import ModelSetupError, ModelUnavailableError
from skill_selector.graph.records import Degradation
from skill_selector.reasoners.base import AnalysisReply, AnalysisRequest, RankReply, RankRequest, Reasoner
from skill_selector.reasoners.failure import UnansweredError
from skill_selector.reasoners.fallback import FallbackReasoner

Run = Callable[[Reasoner, str, Any], Any]
SPENT: Any = {"calls": 2, "prompt_tokens": 300, "completion_tokens": 40}
OWN: Any = {"calls": 1, "prompt_tokens": 10, "completion_tokens": 1}


class Plain:
    """Answers, or raises, the same in both halves."""

    def __init__(self, name: str, error: Exception | None = None, degraded: tuple[Degradation, ...] = ()) -> None:
        self.name = name
        self.error = error
        self.degraded = degraded

    def analyze(self, request: AnalysisRequest) -> AnalysisReply:
        if self.error:
            raise self.error
        analysis: Any = {"intent": self.name, "keywords": [], "constraints": [], "tech_stack": [], "when_to_use": ""}
        return AnalysisReply(analysis=analysis, usage=OWN, degraded=self.degraded)

    async def aanalyze(self, request: AnalysisRequest) -> AnalysisReply:
        return self.analyze(request)

    def rank(self, request: RankRequest) -> RankReply:
        if self.error:
            raise self.error
        return RankReply(judgements=(), usage=OWN, degraded=self.degraded)

    async def arank(self, request: RankRequest) -> RankReply:
        return self.rank(request)


@pytest.fixture(params=["analyze", "rank"])
def step(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def asked(step: str, analysis_request: AnalysisRequest, rank_request: RankRequest) -> Any:
    return analysis_request if step == "analyze" else rank_request


def test_while_the_first_answers_the_second_is_not_heard(run: Run, step: str, asked: Any) -> None:
    reply = run(FallbackReasoner(Plain("llm"), Plain("local", ModelUnavailableError("never asked"))), step, asked)

    assert reply.degraded == ()
    assert reply.usage == OWN


def test_the_second_answers_visibly_when_the_first_cannot(run: Run, step: str, asked: Any) -> None:
    reasoner = FallbackReasoner(Plain("llm", ModelUnavailableError("no answer in time")), Plain("local"))

    reply = run(reasoner, step, asked)

    assert reply.degraded == (
        {"step": step, "round": 1, "what": "model", "why": "no answer in time", "instead": "local"},
    )
    assert reply.answered_by == "local"
    assert reasoner.name == "llm"


def test_what_the_failed_attempts_cost_is_counted(run: Run, step: str, asked: Any) -> None:
    reply = run(FallbackReasoner(Plain("llm", UnansweredError("unreadable", SPENT)), Plain("local")), step, asked)

    assert reply.usage == {"calls": 3, "prompt_tokens": 310, "completion_tokens": 41}


def test_what_the_second_fell_back_from_stays_visible(run: Run, step: str, asked: Any) -> None:
    inner: Degradation = {"step": step, "round": 1, "what": "vectors", "why": "missing", "instead": "words"}

    reply = run(FallbackReasoner(Plain("llm", ModelUnavailableError("x")), Plain("local", None, (inner,))), step, asked)

    assert [one["what"] for one in reply.degraded] == ["model", "vectors"]


def test_a_mistake_of_the_caller_is_not_covered_up(run: Run, step: str, asked: Any) -> None:
    with pytest.raises(ModelSetupError, match="wrong key"):
        run(FallbackReasoner(Plain("llm", ModelSetupError("wrong key")), Plain("local")), step, asked)


def test_when_both_fail_the_second_failure_is_what_the_caller_sees(run: Run, step: str, asked: Any) -> None:
    both = FallbackReasoner(Plain("a", ModelUnavailableError("first")), Plain("b", ModelUnavailableError("second")))

    with pytest.raises(ModelUnavailableError, match="second"):
        run(both, step, replace(asked))


def test_who_gave_up_before_in_the_task_is_not_asked_again_nor_noted_again(run: Run, step: str, asked: Any) -> None:
    before: Degradation = {"step": "analyze", "round": 1, "what": "model", "why": "dead", "instead": "local"}
    reasoner = FallbackReasoner(Plain("llm", AssertionError("asked")), Plain("local"))

    reply = run(reasoner, step, replace(asked, degraded=(before,)))

    assert (reply.degraded, reply.answered_by, reply.usage) == ((), "local", OWN)


def test_another_model_that_took_over_before_does_not_silence_the_first(run: Run, step: str, asked: Any) -> None:
    before: Degradation = {"step": "analyze", "round": 1, "what": "model", "why": "busy", "instead": "small"}

    reply = run(FallbackReasoner(Plain("llm"), Plain("local")), step, replace(asked, degraded=(before,)))

    assert reply.answered_by is None
