import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.reasoners.json_text import RepeatedKeys, decode, decode_strictly

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
containers = st.lists(json_values, max_size=4) | st.dictionaries(st.text(), json_values, max_size=4)


@given(containers, st.sampled_from([None, 1]), st.booleans())
def test_everything_that_is_json_means_what_json_says(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    assert decode(text, 0) == (value, len(text))
    assert decode_strictly(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'it''s'}", None),
        ("{'a': 'it\\'s'}", {"a": "it's"}),
        ("{'a': 'the user's file'}", {"a": "the user's file"}),
        ('{"a": 1, "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
        ("｛“a”：“合并，文件”，“b”：［1，2］｝", {"a": "合并，文件", "b": [1, 2]}),
        ('{"a"：1，"b"：2}', {"a": 1, "b": 2}),
        ('["甲"、"乙"]', ["甲", "乙"]),
        ("{a: 1, tech_stack: None, c: True}", {"a": 1, "tech_stack": None, "c": True}),
        ('{"a": 1, // why\n "b": /* how */ 2}', {"a": 1, "b": 2}),
        ('{"a": 35/40, "b": 35分, "c": 90%}', {"a": "35/40", "b": "35分", "c": "90%"}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('{"a": "\\ud83d\\ude00 \\u4e2d"}', {"a": "😀 中"}),
        ("{}", {}),
        ("[ ]", []),
    ],
)
def test_small_slips_are_understood(text: str, value: Any) -> None:
    if value is None:
        with pytest.raises(ValueError, match="no JSON value"):
            decode(text, 0)
    else:
        assert decode(text, 0) == (value, len(text))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, 2',
        '{"a": "b',
        '{"a": 1',
        '{"a": ',
        '{"a"',
        "{",
        '{"a": 1,, "b": 2}',
        '{"a": "say "yes" now"}',
        '{"a" "b"}',
        '{"a": high}',
        '{"a": NaN}',
        '{"path": "C:\\Users"}',
        "[1 2]",
        "[" * 5000,
    ],
)
def test_what_is_not_whole_or_has_two_readings_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no JSON value|escape"):
        decode(text, 0)


@pytest.mark.parametrize("text", ['{"a": NaN}', "[Infinity]", "[" * 100_000, "", "{'a': 1}", '{"a": 1} and more'])
def test_strictly_means_json_and_nothing_else(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        decode_strictly(text)


def test_a_key_with_two_values_is_marked_and_one_repeated_alike_is_not() -> None:
    assert isinstance(decode_strictly('{"a": 1, "a": 2}'), RepeatedKeys)
    assert isinstance(decode("{'a': 1, 'a': 2}", 0)[0], RepeatedKeys)
    assert not isinstance(decode_strictly('{"a": 1, "a": 1}'), RepeatedKeys)


@given(st.text(alphabet="{}[]\"'“”:,：，ab1 \\/*\n"))
def test_no_text_hangs_or_raises_anything_but_a_value_error(text: str) -> None:
    for start in range(len(text)):
        try:
            _, end = decode(text, start)
        except ValueError:
            continue
        assert start < end <= len(text)
