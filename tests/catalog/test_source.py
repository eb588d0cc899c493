"""The bytes of a file, up to a bound."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_selector.catalog.source import read_source


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("source") / "SKILL.md"


@settings(max_examples=60)
@given(st.binary(max_size=300), st.integers(0, 400), st.integers(1, 400))
def test_no_more_than_the_bound_is_read_whatever_size_was_expected(
    file: Path, data: bytes, size: int, limit: int
) -> None:
    file.write_bytes(data)
    source = read_source(str(file), size, limit)
    assert len(source.data) <= limit
    assert data.startswith(source.data)
    assert source.complete == (len(data) <= limit)
    assert not source.complete or source.data == data


def test_what_is_cut_off_ends_with_a_whole_line(file: Path) -> None:
    file.write_text("first\nsecond\nthird\n", encoding="utf-8")
    assert read_source(str(file), limit=15).data == b"first\nsecond\n"
