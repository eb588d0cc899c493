import pytest

from skill_selector.retrievers.stopwords import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS
from skill_selector.retrievers.words import load_words


@pytest.mark.parametrize("stop_words", [ENGLISH_STOP_WORDS, CHINESE_STOP_WORDS])
def test_no_action_or_domain_word_is_thrown_away(stop_words: frozenset[str]) -> None:
    lists = load_words()

    assert not stop_words & (lists.action | lists.domain)


@pytest.mark.parametrize("word", ["go", "make", "get", "less", "just", "c", "r"])
def test_names_of_tools_and_languages_are_no_stop_words(word: str) -> None:
    assert word not in ENGLISH_STOP_WORDS
