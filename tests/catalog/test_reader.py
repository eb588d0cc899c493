"""The YAML reader, with PyYAML's BaseLoader as the oracle on clean input."""

from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.catalog.reader import MAX_DEPTH, ReadError, read

PRINTABLE = st.text(st.characters(min_codepoint=32, codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=30)
VALUES = st.recursive(
    PRINTABLE, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PRINTABLE, inner, max_size=4), max_leaves=12
)


@given(st.dictionaries(PRINTABLE, VALUES, max_size=5), st.sampled_from([None, True, False]))
def test_whatever_pyyaml_writes_is_read_as_its_base_loader_reads_it(value: dict[str, Any], flow: bool | None) -> None:
    text = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, default_flow_style=flow)
    assert read(text).value == yaml.load(text, Loader=yaml.BaseLoader) == value  # noqa: S506 - builds texts only


@pytest.mark.parametrize(
    "scalar", ["007", "12:30", "1.10", "on", "no", "2026-02-30", "0x1F", "1e3", "null", "~", "true"]
)
def test_scalars_stay_the_text_that_the_author_wrote(scalar: str) -> None:
    assert read(f"name: {scalar}").value == {"name": scalar}


def test_explicit_tags_build_no_objects() -> None:
    assert read('run: !!python/object/apply:os.system ["true"]').value == {"run": ["true"]}


def test_keys_given_twice_are_named_with_both_lines_and_the_last_stands() -> None:
    reading = read("a: 1\nb: 2\na: 3\nmetadata:\n  c: 4\n  c: 5\n")
    assert reading.value == {"a": "3", "b": "2", "metadata": {"c": "5"}}
    assert reading.duplicates == [("a", 0, 2), ("c", 4, 5)]


def test_an_alias_is_refused_so_that_nothing_can_grow() -> None:
    bomb = "a: &a [x, x]\n" + "\n".join(
        f"{new}: &{new} [*{old}, *{old}]" for old, new in zip("abcde", "bcdef", strict=True)
    )
    with pytest.raises(ReadError) as caught:
        read(bomb)
    assert (caught.value.kind, caught.value.line) == ("alias", 1)


@pytest.mark.parametrize("opener", ["[", "{a: ", "- ", "? "])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 400, 20_000])
def test_runaway_depth_is_an_ordinary_error(opener: str, depth: int) -> None:
    with pytest.raises(ReadError):
        read("m:\n  " + opener * depth)


def test_nesting_up_to_the_bound_is_read() -> None:
    depth = MAX_DEPTH - 1
    value = read("m: " + "[" * depth + "]" * depth).value
    for _ in range(depth):
        value = value["m"] if isinstance(value, dict) else value[0]
    assert value == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb: c: d\n", 1),
        ("a: [1\nb: 2\n", 1),
        ("{{x}}: 1", 0),
        ("a: 1\n--- b", 1),
        ("a: \x07", 0),
        ("a: 'x\n\n", 2),
    ],
)
def test_an_error_names_the_line(text: str, line: int) -> None:
    with pytest.raises(ReadError) as caught:
        read(text)
    assert caught.value.line == line


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_nothing_is_an_empty_text(text: str) -> None:
    assert read(text).value == ""


def test_anchors_and_tags_on_plain_values_are_pointed_out() -> None:
    assert read("a: &co plans\nb: !now text\nc: !!str 5\nd: !x 'quoted'\ne: plain\n").marked == {"a", "b"}


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ReadError):
        assert read(text).value is not None
