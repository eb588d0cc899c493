"""Everyday words, as search tokens."""

import pytest

from skill_selector.retrievers.everyday import everyday_tokens
from skill_selector.retrievers.text import tokenize


@pytest.mark.parametrize("word", ["weeks", "Company", "friendly", "problems", "昨天", "老板", "问题"])
def test_everyday_words_are_known_in_every_form(word: str) -> None:
    assert set(tokenize(word)) <= everyday_tokens()


@pytest.mark.parametrize("word", ["kubernetes", "pdf", "refactor", "接口规格", "部署", "invoice"])
def test_telling_words_are_not_among_them(word: str) -> None:
    assert not set(tokenize(word)) & everyday_tokens()
