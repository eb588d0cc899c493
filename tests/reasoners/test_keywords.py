"""The words that tell best what a task is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.reasoners.intent import find_intent
from skill_selector.reasoners.keywords import MOST, find_keywords
from skill_selector.reasoners.technology import load_technologies
from skill_selector.retrievers.words import load_words


def keywords(task: str) -> list[str]:
    words = load_words()
    return find_keywords(task, find_intent(task, words), words, load_technologies())


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        ("Refactor the C++ parser that reads getUserName from config.yaml", {"C++", "refactor", "getusername"}),
        ("Why does our .NET service time out behind Nginx?", {".NET", "Nginx"}),
        ("对 node.js 服务做准出审核，检查接口签名", {"Node.js", "准出审核", "接口签名"}),
        ("把 fastble 移植到鸿蒙", {"HarmonyOS", "移植", "fastble"}),
        ("把生日的视频剪一下", {"视频", "剪辑"}),
        ("Draw a dendrogram of the beetles in Saxony", {"dendrogram", "beetles", "saxony"}),
    ],
)
def test_action_domain_technical_and_rare_words_are_kept(task: str, wanted: set[str]) -> None:
    assert wanted <= set(keywords(task))


@pytest.mark.parametrize(
    "task", ["Last week my boss said the report about beetles is late", "上周老板说甲虫的报告晚了"]
)
def test_everyday_words_are_left_out(task: str) -> None:
    assert not {"boss", "week", "last", "late", "老板", "上周"} & set(keywords(task))


def test_repeated_incidental_words_do_not_outweigh_the_request() -> None:
    gates = "\n".join(f"- gate {number}: the suite must pass, verify the wattage" for number in range(20))
    found = keywords(f"Please tune the turbine occupancy of our dam.\n{gates}")
    assert {"turbine", "occupancy", "dam"} <= set(found[:8])


def test_what_the_task_rules_out_comes_last() -> None:
    found = keywords("Without using Photoshop, draw the beetles with Blender")
    assert found.index("Blender") < found.index("Photoshop")


def test_a_word_that_a_phrase_says_is_not_said_again() -> None:
    found = keywords("Document the REST API. The API has ten calls.")
    assert "rest api" in found
    assert "api" not in found


def test_a_task_of_everyday_words_still_has_some() -> None:
    assert keywords("tell me what to do today") != []


@given(st.text(max_size=400))
def test_any_text_has_few_different_keywords(task: str) -> None:
    found = keywords(task)
    assert len(found) <= MOST
    assert len({word.lower() for word in found}) == len(found)
    assert all(word.strip() for word in found)
