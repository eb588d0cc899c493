from collections.abc import Callable

import pytest

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import SettingError
from skill_selector.graph.records import Candidate
from skill_selector.retrievers import steps as module
from skill_selector.retrievers.search import SearchRequest
from skill_selector.retrievers.steps import collapse_copies, name_bonus, register_step, run_steps
from skill_selector.retrievers.strategy import RouteSpec, Strategy

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]


def candidates(*pairs: tuple[str, float]) -> list[Candidate]:
    return [
        {"id": key, "score": score, "routes": {"raw": score}, "fallback": False, "copies": []} for key, score in pairs
    ]


@pytest.mark.parametrize("keyword", ["merge-pdf", "Merge PDF", "merge_pdf", "ＭＥＲＧＥ　pdf"])
def test_a_keyword_that_is_the_name_raises_the_score_once(
    make_skill: MakeSkill, make_request: MakeRequest, keyword: str
) -> None:
    skills = [make_skill("x/a", name="csv"), make_skill("x/b", name="merge-pdf")]
    request = make_request(skills, keywords=[keyword, "merge pdf"])
    before = candidates(("x/a", 1.1), ("x/b", 1.0))
    found = name_bonus(before, request)

    assert [one["id"] for one in found] == ["x/b", "x/a"]
    assert found[0]["score"] == pytest.approx(1.15)
    assert found[0]["routes"] == pytest.approx({"raw": 1.15})
    assert before == candidates(("x/a", 1.1), ("x/b", 1.0))


def test_a_keyword_inside_a_name_raises_nothing(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    request = make_request([make_skill("a", name="merge-pdf"), make_skill("b", name="！")], keywords=["pdf", "", "…"])

    assert name_bonus(candidates(("a", 1), ("b", 1)), request) == candidates(("a", 1), ("b", 1))


def test_copies_collapse_into_the_best_placed(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [
        make_skill("one/pdf", "Merge files", "Steps", name="pdf"),
        make_skill("two/pdf", "Merge files", "Steps", name="pdf", metadata={"license": "MIT"}),
        make_skill("three/pdf", "Merge files", "Other steps", name="pdf"),
        make_skill("four/pdf", "Merge files", "Steps", name="PDF"),
        make_skill("five/pdf", "Split files", "Steps", name="pdf"),
        make_skill("six/pdf", "Merge files", "Steps", name="paper"),
    ]
    order = ["two/pdf", "one/pdf", "three/pdf", "four/pdf", "five/pdf", "six/pdf"]
    before = candidates(*[(key, 6.0 - at) for at, key in enumerate(order)])
    found = collapse_copies(before, make_request(skills))

    assert [one["id"] for one in found] == ["two/pdf", "three/pdf", "six/pdf"]
    assert found[0]["copies"] == ["one/pdf", "four/pdf", "five/pdf"]
    assert [one["copies"] for one in found[1:]] == [[], []]
    assert all(one["copies"] == [] for one in before)


def test_bodies_are_read_only_where_name_and_description_agree(
    make_skill: MakeSkill, make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = make_request([make_skill("a", "one"), make_skill("b", "two")])

    def unreadable(_self: Skill) -> str:
        raise AssertionError("read without need")

    monkeypatch.setattr(Skill, "body", property(unreadable))
    assert len(collapse_copies(candidates(("a", 2), ("b", 1)), request)) == 2


def test_bodies_whose_digests_are_known_are_not_read(
    make_skill: MakeSkill, make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = {"name": "kite", "description": "Folds"}
    skills = [make_skill(one, body_digest=digest, **same) for one, digest in (("a", "1"), ("b", "2"), ("c", "1"))]
    request = make_request(skills)
    monkeypatch.setattr(Skill, "body", property(lambda _: pytest.fail("a body was read")))

    found = collapse_copies(candidates(("a", 3), ("b", 2), ("c", 1)), request)
    assert [(one["id"], one["copies"]) for one in found] == [("a", ["c"]), ("b", [])]


def test_skills_whose_bodies_vanished_count_as_copies_only_as_the_same_file(
    make_skill: MakeSkill, make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = {"a": "x", "b": "y", "c": "x"}
    skills = [make_skill(key, "same", name="same", digest=digest) for key, digest in digests.items()]
    request = make_request(skills)

    def vanished(_self: Skill) -> str:
        raise FileNotFoundError("gone")

    monkeypatch.setattr(Skill, "body", property(vanished))
    found = collapse_copies(candidates(("a", 3), ("b", 2), ("c", 1)), request)
    assert [(one["id"], one["copies"]) for one in found] == [("a", ["c"]), ("b", [])]


def test_steps_run_in_the_order_of_the_strategy(
    make_skill: MakeSkill, make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POST_STEPS", dict(module.POST_STEPS))
    register_step("first_two", lambda found, _request: found[:2])
    register_step("backwards", lambda found, _request: found[::-1])
    strategy = Strategy("x", (RouteSpec("raw"),), post=("backwards", "first_two"))
    request = make_request([make_skill(key) for key in "abc"], strategy=strategy)

    assert [one["id"] for one in run_steps(candidates(("a", 3), ("b", 2), ("c", 1)), request)] == ["c", "b"]
    with pytest.raises(SettingError, match="already"):
        register_step("backwards", lambda found, _request: found)


def test_an_unknown_step_is_answered_with_the_known_ones(make_request: MakeRequest) -> None:
    request = make_request([], strategy=Strategy("x", (RouteSpec("raw"),), post=("shuffle",)))

    with pytest.raises(SettingError, match="no post-step 'shuffle'; known are collapse_copies, name_bonus"):
        run_steps([], request)
