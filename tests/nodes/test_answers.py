from typing import Any

import pytest

from skill_selector.graph.errors import ReasonerError
from skill_selector.graph.records import RUBRIC
from skill_selector.nodes.answers import check_analysis, check_ranking, numbered
from skill_selector.reasoners.base import AnalysisReply, Judgement, RankReply

ANALYSIS: Any = {"intent": "merge", "keywords": ["pdf"], "constraints": [], "tech_stack": [], "when_to_use": "合并"}
POINTS: Any = dict(RUBRIC)


def judgement(**changed: Any) -> Judgement:
    return Judgement(**{"skill_id": "a", "points": POINTS, "reason": "fits", **changed})


def test_what_the_interface_asks_for_is_accepted() -> None:
    check_analysis(AnalysisReply(analysis=ANALYSIS), "own")
    check_ranking(RankReply(judgements=(judgement(), judgement(veto="for Windows"))), "own")


@pytest.mark.parametrize(
    "reply",
    [
        None,
        ANALYSIS,
        AnalysisReply(analysis=None),  # type: ignore[arg-type]
        AnalysisReply(analysis={**ANALYSIS, "intent": None}),  # type: ignore[typeddict-item]
        AnalysisReply(analysis={**ANALYSIS, "keywords": "pdf"}),  # type: ignore[typeddict-item]
        AnalysisReply(analysis={**ANALYSIS, "tech_stack": [1]}),  # type: ignore[typeddict-item]
        AnalysisReply(analysis={}),  # type: ignore[typeddict-item]
    ],
)
def test_an_analysis_that_is_none_is_refused_with_the_name_of_the_reasoner(reply: Any) -> None:
    with pytest.raises(ReasonerError, match="the reasoner own"):
        check_analysis(reply, "own")


@pytest.mark.parametrize(
    "reply",
    [None, (judgement(),), RankReply(judgements=None), RankReply(judgements=({"a": 90},))],  # type: ignore[arg-type]
)
def test_a_ranking_that_is_none_is_refused_with_the_name_of_the_reasoner(reply: Any) -> None:
    with pytest.raises(ReasonerError, match=r"the reasoner own: `rank` returned .* RankReply"):
        check_ranking(reply, "own")


@pytest.mark.parametrize(
    "changed",
    [
        {"veto": ""},
        {"veto": " "},
        {"veto": False},
        {"reason": None},
        {"points": {}},
        {"points": None},
        {"points": {**POINTS, "intent": float("nan")}},
        {"points": {**POINTS, "intent": "40"}},
        {"points": {**POINTS, "intent": True}},
    ],
)
def test_a_judgement_that_says_nothing_clear_cannot_be_made(changed: dict[str, Any]) -> None:
    with pytest.raises(ReasonerError, match=r"^a: "):
        judgement(**changed)


def test_entries_get_the_round_of_their_step() -> None:
    entry: Any = {"step": "rank", "what": "cache", "why": "cold", "instead": "model"}

    assert numbered([entry], 2) == [{**entry, "round": 2}]
