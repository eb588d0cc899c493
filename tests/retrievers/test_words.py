"""The two word lists: what is in them, how words are found in a text, and a user's own file."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.graph.errors import SettingError
from skill_selector.retrievers.text import has_chinese, normalize
from skill_selector.retrievers.words import WordLists, load_words


@pytest.fixture(scope="module")
def words() -> WordLists:
    return load_words()


def own_words(tmp_path: Path, text: str) -> WordLists:
    file = tmp_path / "words.txt"
    file.write_text(text, encoding="utf-8")
    return load_words(file)


@pytest.mark.parametrize("kind", ["action", "domain"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_list_has_some_hundreds_of_words_in_each_language(words: WordLists, kind: str, language: str) -> None:
    known = words.action if kind == "action" else words.domain
    assert len([word for word in known if has_chinese(word) == (language == "zh")]) >= 300


def test_no_word_is_in_both_lists_in_any_form(words: WordLists) -> None:
    assert not words.action & words.domain
    assert [word for word in words.action if words.is_domain(word)] == []
    assert [word for word in words.domain if words.is_action(word)] == []


def test_shipped_words_are_normal_as_they_stand(words: WordLists) -> None:
    assert [word for word in words.order if normalize(word) != word] == []


@pytest.mark.parametrize(
    "word", ["准出审核", "验收测试", "可行性分析", "代码生成", "部署", "重构", "review", "migrate", "summarise"]
)
def test_kinds_of_work_are_action_words(words: WordLists, word: str) -> None:
    assert words.is_action(word)
    assert not words.is_domain(word)


@pytest.mark.parametrize(
    "word", ["接口规格", "接口签名", "方法签名", "导出链", "覆盖率", "REST API", "schema", "Kubernetes", "invoice"]
)
def test_artefacts_and_technologies_are_domain_words(words: WordLists, word: str) -> None:
    assert words.is_domain(word)
    assert not words.is_action(word)


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("deploys", "deploy"),
        ("Deploying", "deploy"),
        ("planned", "plan"),
        ("migrating", "migrate"),
        ("copies", "copy"),
        ("copied", "copy"),
        ("wrote", "write"),
        ("built", "build"),
        ("set up", "set up"),
        ("setting up", "set up"),
        ("code reviews", "code review"),
    ],
)
def test_inflected_action_words_are_found_in_base_form(words: WordLists, form: str, word: str) -> None:
    assert words.is_action(form)
    assert words.find_action(f"yesterday {form} it") == [word]


def test_plural_domain_words_are_found_in_the_singular(words: WordLists) -> None:
    assert words.find_domain("two REST APIs, unit tests and invoices") == ["rest api", "unit test", "invoice"]


def test_words_are_found_in_order_and_as_often_as_they_occur(words: WordLists) -> None:
    assert words.find_action("deploy, review, then deploy again") == ["deploy", "review", "deploy"]


def test_latin_words_are_found_whole_only(words: WordLists) -> None:
    assert words.find_action("redeployment of the testament, contest and planet") == []


@pytest.mark.parametrize("text", ["rest-api", "REST API", "rest api,", "ＲＥＳＴ　ＡＰＩ"])
def test_a_phrase_is_found_however_its_words_are_joined(words: WordLists, text: str) -> None:
    assert words.find_domain(f"the {text} ") == ["rest api"]


def test_words_that_only_follow_each_other_make_no_phrase(words: WordLists) -> None:
    assert "rest api" not in words.find_domain("have a rest, api later")


def test_the_longest_chinese_word_counts(words: WordLists) -> None:
    assert words.find_action("请对这个版本做准出审核") == ["准出审核"]
    assert words.find_domain("整理接口规格和覆盖率") == ["接口规格", "覆盖率"]


def test_traditional_and_full_width_characters_count_as_simple_ones(words: WordLists) -> None:
    assert words.find_action("重構並部署") == ["重构", "部署"]
    assert words.find_action("ｄｅｐｌｏｙ") == ["deploy"]


@given(st.text(max_size=80))
def test_any_text_yields_known_words_only(text: str) -> None:
    words = load_words()
    assert set(words.find_action(text)) <= words.action
    assert set(words.find_domain(text)) <= words.domain


@pytest.mark.parametrize("kind", ["action", "domain"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_examples_are_different_words_of_one_list_and_language(words: WordLists, kind: str, language: str) -> None:
    found = words.examples(kind, language, 10)  # type: ignore[arg-type]
    known = words.action if kind == "action" else words.domain
    assert len(set(found)) == 10
    assert set(found) <= known
    assert {has_chinese(word) for word in found} == {language == "zh"}
    assert found == words.examples(kind, language, 10)  # type: ignore[arg-type]


def test_examples_are_never_more_than_there_are() -> None:
    words = WordLists(action=frozenset({"knit", "weave"}), domain=frozenset())
    assert words.examples("action", "en", 5) == ["knit", "weave"]
    assert words.examples("domain", "en", 5) == []
    assert words.examples("action", "en", 0) == []


def test_a_users_words_join_the_shipped_ones(tmp_path: Path) -> None:
    words = own_words(tmp_path, "# ours\n[action]\nKnit  # by hand\n拔草\n\n[domain]\nraglan sleeve\n")
    assert words.find_action("Knitting and 拔草, then deploy") == ["knit", "拔草", "deploy"]
    assert words.is_domain("Raglan Sleeves")


def test_a_user_moves_a_shipped_word_to_the_other_list(tmp_path: Path) -> None:
    words = own_words(tmp_path, "[domain]\nreview\n")
    assert words.is_domain("review")
    assert not words.is_action("review")


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    assert own_words(tmp_path, "[action]\nknit\n").is_action("knit")
    assert not own_words(tmp_path, "[action]\nweave\n").is_action("knit")


def test_a_word_may_hold_a_hash(tmp_path: Path) -> None:
    assert own_words(tmp_path, "[domain]\nj#\n").find_domain("write J# code") == ["j#", "code"]


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_bytes("\ufeff[action]\nknit\n".encode())
    assert load_words(file).is_action("knit")


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ("knit\n", 1, "before the first section"),
        ("[action]\nknit\n[verbs]\n", 3, "no section"),
        ("[action]\nknit\n[domain]\nKnit\n", 4, "already under [action]"),
        ("[action]\n\n!!!\n", 3, "no letter"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_with_its_file(tmp_path: Path, text: str, line: int, fault: str) -> None:
    with pytest.raises(SettingError) as raised:
        own_words(tmp_path, text)
    assert f"words.txt, line {line}:" in str(raised.value)
    assert fault in str(raised.value)


def test_a_missing_file_and_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="absent"):
        load_words(tmp_path / "absent.txt")
    file = tmp_path / "binary.txt"
    file.write_bytes(b"[action]\n\xff\xfe\x00")
    with pytest.raises(SettingError, match="binary"):
        load_words(file)
    with pytest.raises(SettingError):
        load_words(tmp_path)


def test_a_file_that_is_no_list_of_words_is_refused_without_showing_what_is_in_it(tmp_path: Path) -> None:
    secret = tmp_path / "settings"
    secret.write_text("API_KEY=sk-very-secret\n", encoding="utf-8")
    with pytest.raises(SettingError, match="line 1") as caught:
        load_words(secret)
    assert "secret" not in str(caught.value).replace(str(secret), "")


def test_a_list_that_would_never_end_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(SettingError, match="no file of words"):
        load_words(pipe)
