import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.agent.masking import MASK, mask, mask_text

KEY = "sk-" + "a1B2" * 6


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"use {KEY} please", KEY),
        ("Authorization: Bearer abcdefgh12345678", "abcdefgh12345678"),
        ("postgres://user:hunter2pw@db/x", "hunter2pw"),
        ("password=hunter2pw&x=1", "hunter2pw"),
        ('{"api_key": "hunter2pw"}', "hunter2pw"),
        ("密码：hunter2pw，谢谢", "hunter2pw"),
        ("我的密钥是 hunter2pw", "hunter2pw"),
        ("call me at 13812345678", "13812345678"),
        ("电话 +86 138 1234 5678。", "138 1234 5678"),
        ("ring +44 20 7946 0958", "7946 0958"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"),
        ("AKIA" + "ABCDEFGH12345678", "ABCDEFGH12345678"),
    ],
)
def test_a_secret_is_masked_by_its_look(text: str, secret: str) -> None:
    masked = mask_text(text)
    assert secret not in masked
    assert MASK in masked


@pytest.mark.parametrize(
    "text",
    ["max_tokens: 2048", "token count 5", "2024-12-15 14:30:25", "id 1381234567890", "the author", "3.13812345678"],
)
def test_ordinary_text_stays(text: str) -> None:
    assert mask_text(text) == text


def test_values_are_masked_by_the_name_of_their_key_at_any_depth() -> None:
    value = {"user": {"apiKey": "x1", "name": "李雷", "密码": "y"}, "auth": ["z"], "max_tokens": 5, "ok": True}
    assert mask(value) == {
        "user": {"apiKey": MASK, "name": "李雷", "密码": MASK},
        "auth": MASK,
        "max_tokens": 5,
        "ok": True,
    }


def test_a_known_secret_is_masked_wherever_it_stands() -> None:
    assert mask({"a": ["before s3cr3t-value after"]}, ["s3cr3t-value"]) == {"a": [f"before {MASK} after"]}


def test_nesting_without_end_is_bounded() -> None:
    value: list[object] = []
    value.append(value)
    assert MASK in str(mask(value))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(json_values)
def test_masking_twice_changes_nothing_more(value: object) -> None:
    once = mask(value)
    assert mask(once) == once


@given(st.text(), st.text())
def test_a_known_secret_never_survives(before: str, after: str) -> None:
    assert "zzSECRETzz" not in mask_text(f"{before}zzSECRETzz{after}", ["zzSECRETzz"])
