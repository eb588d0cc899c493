import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.prompts.shortening import elide, estimate_tokens, shorten

ENGLISH = (
    "Builds quarterly reports from spreadsheets. Adds charts, tables of contents and page numbers. "
    "Works with templates of your own. Reads exports of common accounting programs. "
    "Do not use for slides or for letters. Checks the sums before it prints."
)
CHINESE = (
    "从源码提取方法级接口规格并生成文档。支持多种语言的仓库。可以导出表格与图示。"
    "能够增量更新已有的文档。不适用于界面设计，也不负责性能测试。输出前会检查链接。"
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("abcdefgh", 1),
        ("abcdefghi", 2),
        ("merge two PDF files", 4),
        ("合并文件。", 5),
        ("合并 PDF", 2 + 1),
        ("2026", 4),
        ('{"a": [1, 2]}', 8),
        ("Привет", 3),
        ("a\nb", 3),
        (" " * 160, 10),
        ("snake_case", 3),
    ],
)
def test_tokens_are_counted_by_the_stated_rule(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_count_of_a_text_is_about_that_of_its_parts(one: str, other: str) -> None:
    assert abs(estimate_tokens(one + other) - estimate_tokens(one) - estimate_tokens(other)) <= 1


def test_short_text_stays_as_it_is() -> None:
    assert shorten("Merge PDF files.\n\nFast.", 100) == "Merge PDF files.\n\nFast."


@pytest.mark.parametrize(
    ("text", "kept"),
    [(ENGLISH, "Do not use for slides or for letters."), (CHINESE, "不适用于界面设计，也不负责性能测试。")],
)
@pytest.mark.parametrize("share", [0.5, 0.7, 0.9])
def test_the_exclusion_survives_the_cut(text: str, kept: str, share: float) -> None:
    short = shorten(text, int(estimate_tokens(text) * share))

    assert kept in short
    assert short.startswith(text[:8])
    assert "…" in short


def test_the_cut_falls_between_sentences() -> None:
    assert shorten(ENGLISH, 30) == (
        "Builds quarterly reports from spreadsheets. Adds charts, tables of contents and page numbers. … "
        "Do not use for slides or for letters. …"
    )


def test_an_exclusion_inside_a_long_sentence_survives_beside_what_the_sentence_says() -> None:
    text = "Translates menus, " + "signs and labels, " * 40 + "but not for contracts or other legal documents"

    short = shorten(text, 40)

    assert short.startswith("Translates menus")
    assert short.endswith("but not for contracts or other legal documents")


@pytest.mark.parametrize(
    "exclusion",
    [
        "Don't use this for slides.",
        "Never use it on production data.",
        "Not intended for medical advice.",
        "Avoid when the table has no header.",
        "Does not support Windows.",
        "This is out of scope: payroll.",
        "不要用于生产环境。",
        "请勿用于医疗诊断。",
        "除了财务报表之外都可以。",
        "不支持扫描件。",
        "禁止用于合同。",
    ],
)
def test_exclusions_are_recognised_in_both_languages(exclusion: str) -> None:
    filler = "Good for many things of every kind. " * 20

    assert exclusion in shorten(filler + exclusion, 60)


@given(st.text(alphabet=st.sampled_from("ab .,。，不适用于，do not use for\n文件")), st.integers(3, 40))
def test_shortened_text_stays_near_its_bound(text: str, tokens: int) -> None:
    # Marks of what is left out come on top.
    assert estimate_tokens(shorten(text, tokens)) <= estimate_tokens(text) + 1
    assert estimate_tokens(shorten(text, tokens)) <= tokens * 2 + 4


def test_a_long_task_keeps_its_beginning_and_its_end() -> None:
    task = "First words. " + "noise " * 3000 + "Now merge the PDF files."

    short = elide(task, 100)

    assert short.startswith("First words.")
    assert short.endswith("merge the PDF files.")
    assert "[…]" in short
    assert estimate_tokens(short) <= 105


def test_a_chinese_task_keeps_its_beginning_and_its_end() -> None:
    task = "先说背景。" + "无关内容" * 500 + "请合并文件。"

    short = elide(task, 60)

    assert short.startswith("先说背景。")
    assert short.endswith("请合并文件。")
    assert estimate_tokens(short) <= 65
