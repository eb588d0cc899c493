"""The text that stands in for a missing description."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.catalog.paragraph import LONGEST, first_paragraph, shortened


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("# Kites\n\nThey fly\nin the wind.\n\nMore.", "They fly in the wind."),
        ("Kites\n=====\n\nThey fly.", "They fly."),
        ("# 风筝\n\n风筝在风中飞。\n\n更多。", "风筝在风中飞。"),
        ("<!-- a\n\nremark -->\n# Kites\n<p align=center>\n\nThey fly.", "They fly."),
        ("![logo](x.png)\n[![badge](b)](c)\n\n| a | b |\n|---|---|\n\nThey fly.", "They fly."),
        ("```sh\nmake kite\n```\n\nThey fly.", "They fly."),
        ("~~~\n```\nmake\n~~~\nThey fly.", "They fly."),
        ("import X from 'y';\n\nThey fly.", "They fly."),
        ("> a quote\n\nThey `fly` with **great** [ease](http://x).", "They fly with great ease."),
        ("# Kites\n\n**Version:** 3\n**Date**: today\n\nThey fly.", "They fly."),
        ("# Kites\n\n**Purpose:** to fly.\n\nMore.", "to fly."),
        ("rule_id: kite-1\n\nThey fly.", "They fly."),
        ("They fly.\n```\nmake\n```", "They fly."),
        ("They fly.\n- one\n- two", "They fly."),
        ("# Kites\n\n## Paper\n\n## Wind\n\n- one", "Kites: Paper; Wind"),
        ("# Kites\n\n- fold\n- fly", "Kites: fold; fly"),
        ("1. fold\n2. fly", "fold; fly"),
        ("# Kites", "Kites"),
        ("| kite | wind |", "kite | wind"),
        ("<b>Kites</b>", "Kites"),
        ("---\n***\n", ""),
        ("", ""),
    ],
)
def test_the_first_prose_is_found(body: str, expected: str) -> None:
    assert first_paragraph(body) == expected


def test_prose_far_down_does_not_stand_for_the_whole() -> None:
    body = "# Kites\n\n## Paper\n\n" + "- item\n" * 200 + "\nA detail about glue.\n"
    assert first_paragraph(body) == "Kites: Paper"


def test_a_long_paragraph_ends_with_a_sentence() -> None:
    text = "This is one sentence of many. " * 60
    short = first_paragraph(text)
    assert LONGEST // 2 < len(short) <= LONGEST
    assert short.endswith("many.")


@pytest.mark.parametrize("text", ["word " * 500, "字" * 3000, "句子。" * 1000])
def test_shortening_keeps_to_the_bound(text: str) -> None:
    assert LONGEST // 2 < len(shortened(text)) <= LONGEST


@given(st.text(st.sampled_from("ab。. #*`~-|<>![](){}\n\t=:1中"), max_size=300))
def test_any_markdown_gives_some_text_within_the_bound(body: str) -> None:
    assert len(first_paragraph(body)) <= LONGEST
