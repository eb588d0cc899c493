"""What a task asks for, led by a verb."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.reasoners.intent import LONGEST, find_intent, sentences
from skill_selector.retrievers.words import load_words


def intent(task: str) -> str:
    return find_intent(task, load_words())


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("Merge the two files.", "merge the two files"),
        ("Goal: Speed up our nightly builds", "speed up our nightly builds"),
        ("Hi there! Could you please translate this menu into Dutch?", "translate this menu into Dutch"),
        ("I need you to knit a scarf for my aunt", "knit a scarf for my aunt"),
        ("We want to migrate our wiki to plain files.", "migrate our wiki to plain files"),
        ("how do I rotate the log files of the mail server", "rotate the log files of the mail server"),
        ("Let's deploy the new build to staging tonight", "deploy the new build to staging tonight"),
        ("Your task is to parse the ledger and list duplicates.", "parse the ledger and list duplicates"),
        (
            "Calibrating a barometer: ten readings, one certificate",
            "calibrate a barometer: ten readings, one certificate",
        ),
        ("请帮我把周报翻译成英文", "周报翻译成英文"),
        ("麻烦帮忙部署一下新的网关服务", "部署一下新的网关服务"),
        ("我想重构登录模块的代码", "重构登录模块的代码"),
    ],
)
def test_politeness_goes_and_the_verb_leads(task: str, expected: str) -> None:
    assert intent(task).endswith(expected)


@pytest.mark.parametrize(
    ("task", "asked"),
    [
        (
            "Our shop has run on one server since 2012. The team is small and nobody likes the old code. "
            "Could you draft a migration plan with a rollback for each step? My boss reads it on Friday.",
            "draft a migration plan",
        ),
        (
            "Background: the clinic has three sites.\n- site A uses paper\n- site B uses tablets\n"
            "Please design a questionnaire that works on both.\nThanks in advance!",
            "design a questionnaire",
        ),
        (
            "我们是一家开锁店，去年开始接网上的单子。客户老是问价格，前台记不住。师傅们也说不清楚。"
            "请帮我写一份报价说明，按门锁类型列清楚。谢谢！",
            "写一份报价说明",
        ),
    ],
)
def test_the_sentence_that_asks_is_found_among_context(task: str, asked: str) -> None:
    assert asked in intent(task)


@pytest.mark.parametrize(
    ("task", "lead"),
    [
        ("a lamp for the reading corner", "handle "),
        ("I need a UPS alarm", "provide a UPS alarm"),
        ("we'd like a lamp for the reading corner", "provide a lamp"),
        ("looking for a lamp for the reading corner", "provide a lamp"),
        ("I need help with the lamp in the corner", "handle the lamp"),
        ("我需要一盏台灯的电路图", "提供一盏台灯"),
        ("which bulbs fit this lamp?", "find out "),
        ("阳台上的灯带", "处理"),
        ("这个灯泡为什么一直闪？", "查明"),
    ],
)
def test_a_neutral_verb_leads_where_the_task_has_none(task: str, lead: str) -> None:
    assert intent(task).startswith(lead)


def test_what_the_task_refuses_is_not_what_it_asks() -> None:
    assert intent("不要用 pdf-tools，帮我写一份 Word 周报").startswith("写")
    assert not intent("你别给我讲这座城市的历史，安排一条一天的参观路线").startswith("讲")
    assert not intent("don't help me choose a name, draw the lamp").startswith("choose")


def test_what_is_asked_about_stays_when_it_stands_first() -> None:
    assert "faucet" in intent("the kitchen faucet drips from the spout, how do I fix it")


def test_code_and_addresses_are_not_read() -> None:
    task = "Fix the parser.\n```\nplease delete everything\n```\nSee https://please.example/deploy"
    assert intent(task) == "fix the parser"


def test_an_intent_is_cut_at_a_border_of_a_clause() -> None:
    long = intent("Draft a letter to the council, " + "with one more reason why the lamp posts matter, " * 8)
    assert len(long) <= LONGEST
    assert long.endswith(("council", "matter"))


def test_a_cut_intent_does_not_end_in_a_word_that_needs_another() -> None:
    for length in range(60, 110):
        found = intent(f"Check {'x' * length} in the body of the request and of the reply of the server")
        assert len(found) <= LONGEST
        assert found.split()[-1] not in {"in", "the", "of", "and"}


@given(st.text(max_size=300))
def test_any_text_has_one_line_of_intent(task: str) -> None:
    found = intent(task)
    assert found
    assert len(found) <= LONGEST + len("find out: ")
    assert "\n" not in found


@given(st.lists(st.sampled_from(["Lamps burn.", "灯亮了。", "- one", "2) two", "Why?"]), min_size=1, max_size=6))
def test_sentences_lose_bullets_only(parts: list[str]) -> None:
    letters = re.sub(r"[^a-zA-Z一-鿿]", "", "".join(parts))
    assert re.sub(r"[^a-zA-Z一-鿿]", "", "".join(sentences("\n".join(parts)))) == letters
