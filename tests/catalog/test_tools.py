"""Lines of tools, split where their authors meant it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.catalog.tools import read_tools, split_tools


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bash(git:*) Read, Write", ["Bash(git:*)", "Read", "Write"]),
        ("Bash(git add:*, git commit:*),Read", ["Bash(git add:*, git commit:*)", "Read"]),
        ("Bash(echo (a b)) Read", ["Bash(echo (a b))", "Read"]),
        ("Read，Write、Bash", ["Read", "Write", "Bash"]),
        ("Read;Write\nBash", ["Read", "Write", "Bash"]),
        ("[Read, Write]", ["Read", "Write"]),
        ("[Read, Write", ["Read", "Write"]),
        ("\"Read\", 'Write', `Bash`", ["Read", "Write", "Bash"]),
        ("mcp__files__read*", ["mcp__files__read*"]),
        ("Bash(git log", ["Bash(git log"]),
        (" , ,", []),
        ("", []),
    ],
)
def test_separators_split_but_not_inside_brackets(text: str, expected: list[str]) -> None:
    assert split_tools(text) == expected


TOOLS = st.lists(st.from_regex(r"[A-Z][a-z_]{1,8}(\([a-z]{1,5}( [a-z:*]{1,5}){0,2}\))?", fullmatch=True), max_size=6)


@given(TOOLS, st.sampled_from([" ", ", ", ",", "\n", "、"]))
def test_what_is_joined_is_split_again(tools: list[str], separator: str) -> None:
    assert split_tools(separator.join(tools)) == tools


def test_items_of_a_list_are_tools_of_their_own() -> None:
    assert read_tools(["Read", "Bash(git:*), Write", "Web Search", {"name": "Grep"}, {"Glob": "x"}]) == (
        ["Read", "Bash(git:*)", "Write", "Web Search", "Grep", "Glob"],
        [],
    )


@pytest.mark.parametrize("value", [[["Read"]], [{"a": "1", "b": "2"}], {"read": "sometimes"}, {"read": {}}])
def test_other_shapes_are_not_guessed_at(value: object) -> None:
    assert read_tools(value) is None
