"""The routes over the whole task, checked against the formula written out over lists of tokens."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.catalog.skill import Skill
from skill_selector.graph.settings import Settings
from skill_selector.retrievers.fields import field_words
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.query import EARLY, TaskQuery, task_query
from skill_selector.retrievers.rarity import smoothed_idf
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.search import build_retriever, search
from skill_selector.retrievers.strategy import GLOSS_WEIGHT, REACT, TASK_FIELDS
from skill_selector.retrievers.task_routes import DictionaryRoute
from skill_selector.retrievers.text import has_chinese, is_chinese, word_tokens
from skill_selector.retrievers.words import WordLists

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]
WORDS = WordLists(action=frozenset({"merge", "合并"}), domain=frozenset({"invoice"}))


def analysis(*keywords: str) -> dict[str, object]:
    return {"intent": "", "keywords": list(keywords), "constraints": [], "tech_stack": [], "when_to_use": ""}


def query(task: str, *keywords: str) -> TaskQuery:
    return task_query(task, analysis(*keywords), WORDS)  # type: ignore[arg-type]


def tokens_of(skill: Skill, field: str) -> list[str]:
    return [token for word in field_words(skill, field) for token in word_tokens(word)]


def written_out(skills: Sequence[Skill], found: TaskQuery) -> list[float]:
    """Return L / √mass of each skill, by the formula alone."""
    chinese = [is_chinese(f"{one.name} {one.description}") for one in skills]

    def idf(token: str, field: str) -> float:
        counted = [
            tokens_of(one, field) for one, own in zip(skills, chinese, strict=True) if own or not has_chinese(token)
        ]
        held = sum(token in one for one in counted)
        return math.log(1 + (len(counted) + 200 - held + 0.5) / (held + 0.5))

    mass = 1 + sum(weight * idf(token, "source") for token, weight in found.weights.items())
    scores = []
    for skill in skills:
        score = 0.0
        for field, share in TASK_FIELDS.items():
            texts = [tokens_of(one, field) for one in skills]
            mean = sum(map(len, texts)) / len(texts) or 1.0
            own = tokens_of(skill, field)
            for token, weight in found.weights.items():
                times = own.count(token)
                damping = 1.5 * (1 - 0.75 + 0.75 * len(own) / mean)
                score += share * weight * idf(token, field) * times * 2.5 / (times + damping)
        scores.append(score / math.sqrt(mass))
    return scores


def test_the_routes_add_up_to_the_formula(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [
        make_skill("pdf-merge", "Merge PDF files into one", "Takes invoices and merges their pages, pages, pages."),
        make_skill("invoice-table", "Put invoices into a table", "Reads 2024 invoices."),
        make_skill("合同审查", "审查合同里的条款", "先读合同，再列出风险。"),
        make_skill("notes", "Write notes", ""),
    ]
    task = "Merge these invoices of 2024, 合同 too, merge the pages into one, my friend"
    request = make_request(skills, task, strategy=REACT)
    totals = build_retriever(request).totals()

    assert totals is not None
    dictionary = next(one for one in build_retriever(request).retrievers if isinstance(one, DictionaryRoute))
    np.testing.assert_allclose(
        totals - GLOSS_WEIGHT * dictionary.scores, written_out(skills, request.query), rtol=1e-4, atol=1e-5
    )


def test_a_repeated_word_counts_by_the_root_and_a_late_one_less() -> None:
    first, *rest = query("alpha " + "alpha " * 8).weights.values()
    late = query(" ".join(f"word{place}x" for place in range(200)) + " alpha").weights["alpha"]

    assert not rest
    assert first == pytest.approx(3.0)
    assert late == pytest.approx(0.5 + 0.5 * math.exp(-query_place() / EARLY), abs=0.01)


def query_place() -> int:
    """How many tokens stand before the last word in the test above."""
    return len(query(" ".join(f"word{place}x" for place in range(200))).weights)


def test_everyday_words_count_half_and_numbers_less() -> None:
    weights = {**query("kubernetes").weights, **query("friend").weights, **query("2024").weights}

    assert weights["kubernet"] == 1
    assert weights["friend"] == 0.5
    assert weights["2024"] == pytest.approx(0.3)


def test_each_word_is_of_one_kind() -> None:
    found = query("merge the invoice by friday", "quarterly ledger")

    assert found.kinds["merg"] == "action"
    assert found.kinds["invoic"] == found.kinds["ledger"] == "domain"
    assert found.kinds["friday"] == "raw"


def test_a_keyword_that_the_task_does_not_hold_is_searched_for_too() -> None:
    assert query("合并发票", "invoice").weights["invoic"] == pytest.approx(0.7)


@given(st.text(max_size=60))
def test_any_task_has_weights_above_nothing(task: str) -> None:
    found = query(task)

    assert all(weight > 0 for weight in found.weights.values())
    assert found.kinds.keys() == found.weights.keys()


def test_twice_the_weight_of_a_route_is_twice_its_share(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("pdf-merge", "Merge PDF files"), make_skill("notes", "Write notes")]
    usual = search(make_request(skills, "merge pdf files", strategy=REACT))[0]["routes"]
    double = search(make_request(skills, "merge pdf files", strategy=REACT, weight_action=0.8))[0]["routes"]

    assert double["action"] == pytest.approx(2 * usual["action"])
    assert double["raw"] == pytest.approx(usual["raw"])


def test_a_chinese_task_finds_an_english_skill(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("notes", "Write notes"), make_skill("contract-check", "Review a contract and its clauses")]
    (found, *_) = search(make_request(skills, "帮我审查合同条款", strategy=REACT))

    assert found["id"] == "contract-check"
    assert found["routes"]["dictionary"] == pytest.approx(found["score"])


def test_an_english_task_finds_a_chinese_skill(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("notes", "Write notes"), make_skill("hetong", "审查合同和条款")]
    (found, *_) = search(make_request(skills, "review this contract", strategy=REACT))

    assert found["id"] == "hetong"


def test_translations_say_nothing_of_skills_in_the_language_of_the_task(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    skills = [make_skill("合同审查", "审查合同"), make_skill("contract-check", "Review a contract")]
    own = next(one for one in search(make_request(skills, "审查合同", strategy=REACT)) if one["id"] == "合同审查")

    assert own["routes"]["dictionary"] == 0


def test_a_gloss_of_several_words_needs_all_of_them(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("floor-polish", "Polish the floor"), make_skill("draw", "Draw the floor plan of a flat")]
    found = search(make_request(skills, "户型图", strategy=REACT))

    assert [one["id"] for one in found] == ["draw"]


def test_chinese_words_are_rare_among_the_chinese_skills_only(make_skill: MakeSkill) -> None:
    index = SkillIndex.build([make_skill("合同", "合同"), *(make_skill(f"s{at}", "notes") for at in range(9))])

    assert index.chinese.tolist() == [True, *[False] * 9]
    assert smoothed_idf(index.chinese_count, 1) < smoothed_idf(len(index), 1)


def test_a_candidate_says_how_far_it_stands_out(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("pdf-merge", "Merge PDF files"), *(make_skill(f"s{at}", f"pdf topic{at}") for at in range(9))]
    found = search(make_request(skills, "merge pdf files", strategy=REACT))

    standings = [one["standing"] for one in found]
    assert standings == sorted(standings, reverse=True)
    assert standings[0] > 3


def test_the_weights_of_the_default_are_those_that_the_formula_was_measured_with() -> None:
    settings = Settings()

    assert {one.name: one.weight_in(settings) for one in REACT.routes if one.name != "semantic"} == {
        "action": 0.4,
        "domain": 0.4,
        "raw": 0.2,
        "dictionary": 0.4,
    }
