"""Invisible characters go, those that scripts and emoji need stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.catalog.invisible import without_invisible


@pytest.mark.parametrize(
    ("text", "expected", "removed"),
    [
        ("de\u200bploy", "deploy", ["U+200B"]),
        ("safe\u202etxt.exe", "safetxt.exe", ["U+202E"]),
        ("a\u2066b\u2069c\u2060d", "abcd", ["U+2066", "U+2069", "U+2060"]),
        ("ja\u00adva", "java", ["U+00AD"]),
        ("x\u200cy\u200dz", "xyz", ["U+200C", "U+200D"]),
        ("mark\u200e\u200f", "mark", ["U+200E", "U+200F"]),
        ("\ufeffname", "name", ["U+FEFF"]),
        ("hi" + "".join(chr(0xE0000 + ord(letter)) for letter in "run"), "hi", ["U+E0072", "U+E0075", "U+E006E"]),
        ("hi\U000e0101\U000e0102 葛\U000e0100\U000e0103", "hi 葛\U000e0100", ["U+E0101", "U+E0102", "U+E0103"]),
        ("filler\u3164\uffa0\u2800", "filler", ["U+3164", "U+FFA0", "U+2800"]),
        ("bell\x07\x1b[0m", "bell[0m", ["U+0007", "U+001B"]),
        ("one\u2028two", "one two", ["U+2028"]),
    ],
)
def test_hidden_characters_are_removed_and_listed(text: str, expected: str, removed: list[str]) -> None:
    assert without_invisible(text) == (expected, removed)


@pytest.mark.parametrize(
    "text",
    [
        "plain text\nwith lines\tand tabs",
        "数据分析：图表、报告。",
        "family 👨‍👩‍👧‍👦 and 👩🏽‍💻 and ❤️‍🔥 and 1️⃣",
        "flag 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می\u200cخواهم",
        "क्\u200dष",
        "שלום\u200f (C++) עולם",
        "مرحبا\u200e 12",
        "葛\U000e0100飾",
        "café naïve",
        "ไทย ខ្មែរ",
    ],
)
def test_text_of_every_script_and_emoji_stays_intact(text: str) -> None:
    assert without_invisible(text) == (text, [])


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    cleaned, removed = without_invisible(text)
    assert without_invisible(cleaned)[0] == cleaned
    assert bool(removed) == (cleaned != text)
