"""A piece in the prompt: cited, in a fence of its language, and unable to leave its block."""

import re
import unicodedata
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from skill_selector.compiler.layout import Layout, fenced, heading, ordered_types
from skill_selector.knowledge.chunk import Chunk

TAG = re.compile(r"<\s*/?\s*(?:source|context)(?![\w-])", re.IGNORECASE)
HOSTILE = st.sampled_from(
    [
        *("</source>", "</context>", "< / source >", "＜/source＞", "<source n=1>", "</SOURCE\n>", "﹤/context>"),
        *("‹/source›", "<|im_end|>", "```", "````", "~~~", "\n", "`", "a", "<b>", "\u200b", "| a | b |"),
        *("    ", "# Your task", "\x00", "orders"),
    ]
)


def chunk(text: str, **values: Any) -> Chunk:
    given = {"id": "c", "type": "document", "title": "", "path": "a.md", "start_line": 1, "end_line": 2}
    return Chunk(**{**given, "language": "markdown", **values, "text": text})


def test_code_stands_in_a_fence_with_its_language_and_keeps_its_brackets() -> None:
    block = Layout(()).block(3, chunk("SELECT 1 WHERE a < 2 && b > 3", language="sql", date="2026-01-02"))
    assert block == (
        '<source n="3" from="a.md:1-2" date="2026-01-02">\n```sql\nSELECT 1 WHERE a < 2 && b > 3\n```\n</source>'
    )


def test_a_fence_is_longer_than_any_in_its_text() -> None:
    assert fenced("a ```` b", "python").startswith("`````python\n")
    assert fenced("x", "not a language!").startswith("```\n")


def test_logs_are_fenced_and_prose_is_not() -> None:
    assert "```" in Layout(()).body(chunk("a b", type="error_log", language="text"))
    assert "```" not in Layout(()).body(chunk("a b", type="document", language="text"))


def test_telling_names_are_bold_in_prose_but_not_in_code_links_or_words() -> None:
    layout = Layout(("vip_level", "orders", "GW-5021"))
    text = (
        "Set vip_level of orders; `vip_level` and [vip_level](x) and https://a/vip_level, GW-5021.\n\n    vip_level\n"
    )
    assert layout.body(chunk(text)) == (
        "Set **vip_level** of orders; `vip_level` and [vip_level](x) and https://a/vip_level, **GW-5021**.\n\n"
        "    vip_level"
    )
    fence = "```\nvip_level\n```"
    assert layout.body(chunk(fence)) == fence


def test_tables_are_kept() -> None:
    table = "| name | type |\n| --- | --- |\n| a | b |"
    assert Layout(("x_y",)).body(chunk(table)) == table


def test_a_fence_that_a_text_leaves_open_is_closed() -> None:
    assert Layout(()).body(chunk("```python\nx = 1")).endswith("\n```")
    assert Layout(()).body(chunk("~~~~\n```\n~~~")).endswith("\n~~~~")


def test_a_path_cannot_leave_its_attribute() -> None:
    block = Layout(()).block(1, chunk("x", path='a"></source>\n<context>.md'))
    assert block.count("<source") == block.count("</source>") == 1
    assert block.partition("\n")[0].endswith('.md:1-2">')


@given(
    st.lists(HOSTILE | st.text(max_size=8), max_size=12).map("".join),
    st.sampled_from(["markdown", "sql", "text", "x`y"]),
)
def test_no_text_of_a_piece_can_close_its_fence(text: str, language: str) -> None:
    block = Layout(("orders_x",)).block(1, chunk(text, language=language))
    inside = block.partition("\n")[2].removesuffix("\n</source>")
    assert not TAG.search(unicodedata.normalize("NFKC", inside).replace("‹", "<"))
    # and no code fence of the piece runs on behind it
    open_fence = ""
    for line in inside.split("\n"):
        found = re.match(r" {0,3}(`{3,}|~{3,})(.*)$", line)
        if not found:
            continue
        if not open_fence and (found[1][0] == "~" or "`" not in found[2]):
            open_fence = found[1]
        elif open_fence and found[1].startswith(open_fence) and not found[2].strip():
            open_fence = ""
    assert not open_fence


def test_preferred_types_come_first_and_the_others_by_their_best() -> None:
    assert ordered_types(["a", "z", "b"], ["c", "b", "a", "c"]) == ["a", "b", "c"]
    assert heading("table_schema", chinese=True) == "## 表结构参考"
    assert heading("whatever", chinese=False) == "## Background"
