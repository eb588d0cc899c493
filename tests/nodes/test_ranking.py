from itertools import permutations

import pytest

from skill_selector.catalog.skill import Skill
from skill_selector.graph.records import RUBRIC, Candidate
from skill_selector.nodes.ranking import SHOWN_DESCRIPTION, rank_candidates, skill_ref
from skill_selector.reasoners.base import Judgement


def skill(skill_id: str, description: str = "") -> Skill:
    path = f"/skills/{skill_id}"
    return Skill(
        id=skill_id,
        name=skill_id,
        description=description,
        path=path,
        file=f"{path}/SKILL.md",
        root="/skills",
        digest="",
    )


def candidate(skill_id: str, score: float = 1.0) -> Candidate:
    return {"id": skill_id, "score": score, "routes": {"raw": score}, "fallback": False, "copies": []}


def judgement(skill_id: str, share: float, veto: str | None = None) -> Judgement:
    return Judgement(
        skill_id=skill_id, points={part: most * share for part, most in RUBRIC.items()}, reason="", veto=veto
    )


SKILLS = {name: skill(name) for name in "abc"}


def test_ranked_best_first_whatever_the_order_of_the_judgements() -> None:
    judgements = [judgement("a", 0.2), judgement("b", 0.9), judgement("c", 0.5)]
    for order in permutations(judgements):
        ranked = rank_candidates([candidate(name) for name in "abc"], SKILLS, order)
        assert [one["skill"]["id"] for one in ranked] == ["b", "c", "a"]


def test_equal_scores_keep_the_order_of_retrieval() -> None:
    judgements = [judgement(name, 0.5) for name in "cab"]
    ranked = rank_candidates([candidate(name) for name in "bca"], SKILLS, judgements)
    assert [one["skill"]["id"] for one in ranked] == ["b", "c", "a"]


def test_the_parts_add_up_to_the_score_and_a_veto_takes_them_all() -> None:
    ranked = rank_candidates(
        [candidate("a"), candidate("b")], SKILLS, [judgement("a", 0.7), judgement("b", 1, veto="for Windows")]
    )
    assert [one["score"] for one in ranked] == [70, 0]
    assert all(one["score"] == sum(one["dimensions"].values()) for one in ranked)
    assert ranked[1]["veto"] == "for Windows"


@pytest.mark.parametrize(
    "judgements",
    [
        [judgement("a", 1)],
        [judgement("a", 1), judgement("a", 0)],
        [judgement("a", 1), judgement("x", 0)],
        [judgement("a", 1), judgement("b", 0), judgement("c", 0)],
    ],
)
def test_judgements_that_are_not_one_for_each_candidate_are_refused(judgements: list[Judgement]) -> None:
    with pytest.raises(ValueError, match="do not match"):
        rank_candidates([candidate("a"), candidate("b")], SKILLS, judgements)


def test_without_judgements_the_retrieval_score_counts_in_percent() -> None:
    ranked = rank_candidates([candidate("a", 0.55), candidate("b", 1.7)], SKILLS, None)
    assert [(one["skill"]["id"], one["score"]) for one in ranked] == [("b", 100), ("a", 55)]


def test_points_outside_the_rubric_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="intent"):
        judgement("a", 1.1)


def test_a_long_description_is_cut_visibly_in_results() -> None:
    shown = skill_ref(skill("a", "word " * 500))["description"]
    assert len(shown) <= SHOWN_DESCRIPTION
    assert shown.endswith("…")
