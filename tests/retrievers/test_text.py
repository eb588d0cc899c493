from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.retrievers.text import has_chinese, normalize, tokenize, word_tokens, words


@pytest.mark.parametrize(
    "term", ["c++", "c#", "f#", ".net", "node.js", "gpt-4o", "ci/cd", "a/b", "k8s", "u-boot", "asp.net", "notepad++"]
)
@pytest.mark.parametrize("frame", ["{}", "a port of {} to ARM", "用{}写的服务", "({}),", "Use {}."])
def test_technical_terms_survive_whole_in_any_surroundings(term: str, frame: str) -> None:
    assert term in tokenize(frame.format(term))
    assert term in tokenize(frame.format(term.upper()))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("HTMLParser", ["html", "parser"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("kebab-case", ["kebab-case", "kebab", "case"]),
        ("path/to/file.py", ["path/to/file.py", "path", "file.py", "file", "py"]),
        ("C/C++", ["c/c++", "c", "c++"]),
        ("MCPServers/http_client.ts", ["mcp", "server", "http_client.ts", "http", "client", "ts"]),
    ],
)
def test_identifiers_come_whole_and_in_parts(text: str, parts: list[str]) -> None:
    tokens = tokenize(text)

    assert set(parts) <= set(tokens)
    assert word_tokens(text.lower())[0] in tokens


def test_a_camel_case_name_is_found_by_its_lower_case_spelling() -> None:
    assert set(tokenize("getusername")) <= set(tokenize("calls getUserName()"))


@pytest.mark.parametrize("name", ["JavaScript", "GitHub"])
def test_names_that_are_one_word_are_not_split(name: str) -> None:
    assert tokenize(name) == tokenize(name.lower())
    assert len(tokenize(name)) == 1


@pytest.mark.parametrize(
    ("plural", "singular"), [("PDFs", "pdf"), ("APIs", "api"), ("merging", "merge"), ("users", "user's")]
)
def test_inflected_words_meet(plural: str, singular: str) -> None:
    assert tokenize(plural) == tokenize(singular)


def test_stop_words_contractions_and_lone_letters_are_left_out() -> None:
    assert tokenize("Please don't do this with the x of it, I'm e.g. unsure 3") == tokenize("unsure")


@pytest.mark.parametrize("letter", ["C", "R"])
def test_the_languages_of_one_letter_are_kept(letter: str) -> None:
    assert tokenize(f"a {letter} programme") == [letter.lower(), *tokenize("programme")]


def test_chinese_words_are_found_whole_and_by_the_words_inside() -> None:
    assert {"数据库", "数据"} <= set(tokenize("把数据库迁移到新服务器"))


@pytest.mark.parametrize("particle", ["的", "了", "把", "一下", "一个", "帮我", "我们"])
def test_chinese_particles_are_left_out(particle: str) -> None:
    assert particle not in tokenize("帮我把我们一个生日的视频剪了一下")


@pytest.mark.parametrize(("text", "pair"), [("踩坑记录", "踩坑"), ("在钉钉上撤回", "钉钉"), ("模块解耦", "解耦")])
def test_neighbouring_single_characters_count_as_a_pair(text: str, pair: str) -> None:
    assert pair in tokenize(text)


def test_a_text_of_one_chinese_character_yields_it() -> None:
    assert tokenize("画") == ["画"]
    assert tokenize(" 畫。") == ["画"]
    assert "画" not in tokenize("画 video")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("把ＰＤＦ　转成Ｗｏｒｄ", ["pdf", "word"]),
        ("Ｃ＋＋", ["c++"]),
        ("Blue Sky认证", ["blue", "sky", "认证"]),
        ("server日志", ["server", "日志"]),
        ("資料庫", tokenize("资料库")),
    ],
)
def test_mixed_text_keeps_every_script(text: str, expected: list[str]) -> None:
    assert set(expected) <= set(tokenize(text))


def test_latin_runs_beside_chinese_are_never_cut() -> None:
    assert "orm" not in tokenize("platform文档format说明")
    assert {"platform", "format"} <= set(tokenize("platform文档format说明"))


@pytest.mark.parametrize("text", ["ひらがな", "한국어", "ภาษาไทย"])
def test_other_scripts_without_clear_words_come_in_pairs(text: str) -> None:
    assert tokenize(text) == [text[at : at + 2] for at in range(len(text) - 1)]


@pytest.mark.parametrize("hidden", ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\U000e0041", "\ufe0f"])
def test_invisible_characters_do_not_break_words(hidden: str) -> None:
    assert tokenize(f"ex{hidden}port") == tokenize("export")
    assert normalize(f"数{hidden}据 P{hidden}DF") == "数据 pdf"


def test_letters_composed_of_two_characters_equal_the_single_one() -> None:
    assert tokenize("cafe\u0301") == tokenize("caf\u00e9")


@pytest.mark.parametrize("text", ["", "   \n", "！！！", "🎉🎉", "--- ... ///", "的了"])
def test_text_without_content_yields_nothing(text: str) -> None:
    assert tokenize(text) == []


def test_normalize_folds_case_width_and_traditional_characters() -> None:
    assert normalize("ＰＤＦ　Straße 軟體") == "pdf strasse 软体"


def test_chinese_is_told_from_other_scripts() -> None:
    assert has_chinese("PDF 合并")
    assert has_chinese("𠮷")
    assert not has_chinese("plain")
    assert not has_chinese("ひらがな — naïve")


@given(st.text())
def test_tokens_are_words_of_the_text_made_small(text: str) -> None:
    tokens = tokenize(text)

    assert tokens == [token for word in words(text) for token in word_tokens(word)]
    assert all(token and not token.isspace() for token in tokens)


@given(st.text(alphabet="abcXYZ.+#/-_'’ 0数据库的é\u200b", max_size=60))
def test_case_and_width_change_no_token_of_plain_words(text: str) -> None:
    wide = "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" and one != "'" else one for one in text)

    assert tokenize(wide) == tokenize(text)


def test_threads_get_the_same_tokens() -> None:
    texts = [f"connections analysing {number} item{number}s 数据分析{number}" for number in range(200)]
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(tokenize, texts)) == [tokenize(text) for text in texts]
