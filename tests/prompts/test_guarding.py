"""Bodies and files of strangers inside a block of ours."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.prompts.guarding import GUARDED_TAGS, guard

PIECES = [
    "<",
    "＜",
    "﹤",
    "‹",
    "/",
    "／",
    " ",
    "\n",
    "\u200b",
    "skill_content",
    "ＳＫＩＬＬ",
    "_content",
    "Skill_File",
    ">",
    "&",
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)))
def test_no_text_holds_a_tag_of_ours_in_any_spelling(text: str) -> None:
    shown = "".join(unicodedata.normalize("NFKC", guard(text)).lower().split())
    for bracket in "<‹〈⟨":
        for tag in GUARDED_TAGS:
            assert f"{bracket}/{tag}>" not in shown
            assert f"{bracket}{tag}>" not in shown


@pytest.mark.parametrize(
    "text", ["if a < b && c > d", "<div class='x'>", "List.map f <| xs", "合并 <输入> & 输出", "<skills>"]
)
def test_code_stays_as_it_was_written(text: str) -> None:
    assert guard(text) == text


def test_markers_of_chat_templates_and_invisible_characters_are_disarmed() -> None:
    assert guard("<|im_start|>a\u200bb") == "&lt;|im_start|>ab"
    assert guard("＜｜end▁of▁sentence｜＞") == "&lt;｜end▁of▁sentence｜＞"
