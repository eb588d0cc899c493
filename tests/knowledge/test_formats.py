"""A file's format follows from its name."""

import pytest

from skill_selector.knowledge.formats import format_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("说明.MD", "markdown"),
        ("app.log.3", "log"),
        ("README", "text"),
        ("data.jsonl", "jsonl"),
        ("photo.png", None),
        ("program", None),
        ("5", None),
    ],
)
def test_a_name_gives_its_format_or_none(name: str, expected: str | None) -> None:
    assert format_of(name) == expected
