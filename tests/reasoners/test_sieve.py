import json
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from skill_selector.graph.records import RUBRIC
from skill_selector.reasoners.base import RankRequest, Reasoner
from skill_selector.reasoners.failure import FilteredError, UnansweredError
from skill_selector.reasoners.fallback import FallbackReasoner
from skill_selector.reasoners.llm import LLMReasoner
from skill_selector.reasoners.local import LocalReasoner
from skill_selector.reasoners.sieve import MOST_PARTS
from skill_selector.testing import ScriptedChatModel, ScriptedReply

Run = Callable[[Reasoner, str, Any], Any]

FILTERED = AIMessage("", response_metadata={"finish_reason": "content_filter"})


def crowd(request: RankRequest, number: int, *bad: int) -> RankRequest:
    """Return the request with as many candidates, the bad ones with a word that the model refuses."""
    like = request.skills["pdf-merge"]
    skills = {}
    for at in range(number):
        words = "Handles poison." if at in bad else "Handles files."
        skills[f"s{at}"] = replace(like, id=f"s{at}", name=f"s{at}", description=words)
    candidates: Any = tuple({**request.candidates[0], "id": skill_id} for skill_id in skills)
    return replace(request, skills=skills, candidates=candidates)


def touchy(messages: list[BaseMessage]) -> ScriptedReply:
    """Refuse the word; otherwise give each candidate points by its name."""
    text = str(messages[-1].text)
    if "poison" in text:
        return FILTERED
    entries = []
    for part in text.split('<skill id="')[1:]:
        opaque, number = part.partition('"')[0], int(part.partition("<name>s")[2].partition("<")[0])
        same = {str(part): number % 10 for part in RUBRIC}
        entries.append({"id": opaque, "reason": "x", **same})
    return json.dumps({"scores": entries})


@pytest.mark.parametrize(("number", "bad", "calls"), [(5, (3,), 6), (5, (0, 4), 9), (2, (1,), 3), (50, (17,), 13)])
def test_the_candidates_that_a_filter_refuses_are_found_and_left_out(
    run: Run, number: int, bad: tuple[int, ...], calls: int, rank_request: RankRequest
) -> None:
    model = ScriptedChatModel(touchy)
    request = crowd(rank_request, number, *bad)

    reply = run(LLMReasoner(model), "rank", request)

    judged = {one.skill_id: one for one in reply.judgements}
    assert judged.keys() == request.skills.keys()
    assert {f"s{at}" for at in bad} == {skill_id for skill_id, one in judged.items() if one.veto}
    assert all(one.score == 4 * (int(skill_id[1:]) % 10) for skill_id, one in judged.items() if not one.veto)
    noted = {one["what"]: one["instead"] for one in reply.degraded if one["what"] != "prompt_tokens"}
    assert noted == {f"candidate s{at}": "left out" for at in bad}
    assert len(model.asked) == reply.usage["calls"] <= calls


def test_what_was_left_out_once_is_left_out_for_the_rest_of_the_task(run: Run, rank_request: RankRequest) -> None:
    request = crowd(rank_request, 3, 1)
    before = run(LLMReasoner(ScriptedChatModel(touchy)), "rank", request).degraded
    model = ScriptedChatModel(touchy)

    reply = run(LLMReasoner(model), "rank", replace(request, degraded=before, attempt=2))

    assert [one.skill_id for one in reply.judgements if one.veto] == ["s1"]
    assert (len(model.asked), reply.degraded) == (1, ())


def test_where_everything_is_refused_the_local_reasoner_stands_in(run: Run, rank_request: RankRequest) -> None:
    request = crowd(rank_request, 3, 0, 1, 2)
    model = ScriptedChatModel(touchy)

    reply = run(FallbackReasoner(LLMReasoner(model), LocalReasoner()), "rank", request)

    assert reply.answered_by == "local"
    assert not any(one.veto for one in reply.judgements)
    assert "refused to answer" in reply.degraded[0]["why"]
    assert len(model.asked) == reply.usage["calls"] == 5


def test_the_search_is_bounded(run: Run, rank_request: RankRequest) -> None:
    model = ScriptedChatModel(touchy)

    with pytest.raises(FilteredError):
        run(LLMReasoner(model), "rank", crowd(rank_request, 50, *range(0, 50, 3)))

    assert len(model.asked) == 1 + MOST_PARTS


def test_another_failure_ends_the_search_with_all_that_it_cost(run: Run, rank_request: RankRequest) -> None:
    model = ScriptedChatModel([FILTERED, TimeoutError("slow")])

    with pytest.raises(UnansweredError, match="in time") as raised:
        run(LLMReasoner(model), "rank", rank_request)

    assert not isinstance(raised.value, FilteredError)
    assert raised.value.usage["calls"] == 2
    assert raised.value.usage["prompt_tokens"] > 0


def test_a_single_candidate_is_not_searched(run: Run, rank_request: RankRequest) -> None:
    model = ScriptedChatModel(touchy)

    with pytest.raises(FilteredError):
        run(LLMReasoner(model), "rank", crowd(rank_request, 1, 0))

    assert len(model.asked) == 1


@pytest.mark.parametrize("bad", [bad for size in (1, 2, 3) for bad in combinations(range(5), size)])
def test_whatever_is_refused_nobody_is_judged_twice_or_forgotten(
    bad: tuple[int, ...], rank_request: RankRequest
) -> None:
    request = crowd(rank_request, 5, *bad)

    reply = LLMReasoner(ScriptedChatModel(touchy)).rank(request)

    assert sorted(one.skill_id for one in reply.judgements) == sorted(request.skills)
    assert {one.skill_id for one in reply.judgements if one.veto} == {f"s{at}" for at in bad}
