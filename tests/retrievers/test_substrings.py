from collections.abc import Callable

import pytest

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.search import SearchRequest
from skill_selector.retrievers.substrings import find_by_substrings

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]


def scores(request: SearchRequest, limit: int = 50) -> dict[str, float]:
    return {one["id"]: one["score"] for one in find_by_substrings(request, limit)}


@pytest.mark.parametrize(
    ("task", "skill"),
    [
        ("sheet", {"description": "spreadsheets"}),  # the task's word inside the skill's
        ("reexportation", {"name": "export"}),  # the skill's name inside the task's word
        ("画", {"description": "绘画入门"}),
        ("把它剪了", {"description": "视频剪辑"}),
        ("資", {"name": "资料整理"}),
    ],
)
def test_substrings_count_both_ways(
    make_skill: MakeSkill, make_request: MakeRequest, task: str, skill: dict[str, str]
) -> None:
    found = scores(make_request([make_skill("other", "bread"), make_skill("x", **skill)], task))

    assert list(found) == ["x", "other"]
    assert 0 == found["other"] < found["x"] <= 1


def test_keywords_count_as_wholes(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("s1", "blueish sky"), make_skill("s2", "xblue skyx")]

    assert list(scores(make_request(skills, keywords=["Blue Sky"]))) == ["s2", "s1"]


@pytest.mark.parametrize("task", ["ui", "的", "把", "c"])
def test_short_latin_words_and_particles_find_nothing(
    make_skill: MakeSkill, make_request: MakeRequest, task: str
) -> None:
    assert scores(make_request([make_skill("a", "build 的 把 c")], task)) == {"a": 0.0}


def test_more_matches_score_higher_and_equal_ones_keep_their_order(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    skills = [make_skill("s1", "plotting"), make_skill("s2", "plotters and charting"), make_skill("s3", "replot")]

    assert list(scores(make_request(skills, "plot chart"))) == ["s2", "s1", "s3"]
    assert list(scores(make_request(skills, "plot chart"), limit=2)) == ["s2", "s1"]
