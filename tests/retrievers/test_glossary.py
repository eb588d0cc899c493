from importlib.resources import files

import pytest

from skill_selector.retrievers.glossary import MOST_REVERSED, Glossary, load_glossary, load_terms
from skill_selector.retrievers.text import has_chinese, tokenize

OWN = Glossary({"合同": ["contract", "agreement"], "机器学习": ["machine learning"], "学习": ["study", "learn"]})


def texts(glossary: Glossary, task: str) -> dict[str, list[str]]:
    found = glossary.concepts(task, tokenize(task))
    return {word: [gloss.text for gloss in glosses] for word, glosses in found.items()}


def test_a_chinese_word_is_found_by_what_it_is_called_in_english() -> None:
    assert texts(OWN, "审一下合同")["合同"] == ["contract", "agreement"]


def test_a_term_is_found_across_the_words_that_the_text_is_cut_into() -> None:
    assert texts(OWN, "入门机器学习")["机器学习"] == ["machine learning"]


def test_an_english_word_is_found_by_what_it_is_called_in_chinese_whatever_its_ending() -> None:
    assert texts(OWN, "review two contracts") == {"contract": ["合同"]}


def test_an_english_phrase_of_the_terms_is_found_as_a_whole() -> None:
    found = texts(load_glossary(), "draw a floor plan for the flat")

    assert "户型图" in found["floor plan"]
    assert "floor plan" not in texts(load_glossary(), "plan the work on the second floor")


def test_a_task_that_mixes_both_is_looked_up_in_chinese() -> None:
    assert list(texts(OWN, "review 合同 contract")) == ["合同"]


@pytest.mark.parametrize(
    ("task", "word", "gloss"),
    [
        ("帮我做一个荟萃分析", "荟萃分析", "meta-analysis"),
        ("画个三居室的户型图", "户型图", "floor plan"),
        ("给登录功能写测试用例", "测试用例", "test case"),
        ("训练一个机器学习模型", "机器学习", "machine learning"),
        ("打开这扇窗户", "窗户", "window"),
    ],
)
def test_terms_and_dictionary_are_both_looked_up(task: str, word: str, gloss: str) -> None:
    assert gloss in texts(load_glossary(), task)[word]


def test_a_hyphen_in_a_gloss_does_not_have_to_stand_in_the_skill() -> None:
    (gloss,) = load_glossary().concepts("荟萃分析", tokenize("荟萃分析"))["荟萃分析"]

    assert set(gloss.tokens) <= set(tokenize("meta analysis of trials"))
    assert set(gloss.tokens) <= set(tokenize("meta-analysis of trials"))


def test_terms_come_before_what_the_dictionary_says() -> None:
    assert [gloss.text for gloss in load_glossary().glosses("容器")] == list(load_terms()["容器"])


def test_an_english_word_stands_for_few_chinese_ones() -> None:
    found = load_glossary().concepts("beautiful", tokenize("beautiful"))

    assert all(len(glosses) <= MOST_REVERSED for glosses in found.values())
    assert found


def test_every_term_is_chinese_and_every_gloss_of_it_is_something_to_search_for() -> None:
    for word, glosses in load_terms().items():
        assert has_chinese(word)
        assert glosses
        assert all(tokenize(gloss) and not has_chinese(gloss) for gloss in glosses), word


def test_the_dictionary_states_its_source_licence_and_changes() -> None:
    notice = (files("skill_selector.retrievers") / "data" / "cc-cedict.NOTICE.txt").read_text(encoding="utf-8")

    for wanted in ("CC-CEDICT", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/", "Changes:"):
        assert wanted in notice
