"""Files of every format become chunks with type, lines, entities and provenance; bad ones become diagnostics."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_selector.knowledge.folder import KnowledgeLimits
from skill_selector.knowledge.formats import FORMATS
from skill_selector.knowledge.intake import Intake, take_in

Cut = Any


def kinds(intake: Intake) -> set[str]:
    return {one.kind for one in intake.diagnostics}


def entities(intake: Intake, at: int, kind: str) -> set[str]:
    return {one.name for one in intake.chunks[at].entities if one.kind == kind}


def test_markdown_is_cut_at_headings_with_lines_path_of_headings_and_frontmatter(cut: Cut) -> None:
    front = "---\ndate: 2026-05-01\nauthority: official\n---\n"
    text = front + "# 手册\n\n## 安装\n\n先装依赖。\n\n## Use\n\nCall `run(x) -> int`.\n"
    found = cut(text, "markdown")
    assert [(one.title, one.start_line, one.end_line) for one in found.chunks] == [
        ("手册 › 安装", 7, 9),
        ("手册 › Use", 11, 13),
    ]
    assert {(one.date, one.authority) for one in found.chunks} == {("2026-05-01", 1.0)}
    assert found.chunks[1].type == "api_documentation"
    assert entities(found, 1, "function") == {"run"}


def test_frontmatter_that_says_more_or_cannot_be_read_is_not_lost(cut: Cut) -> None:
    found = cut("---\ntitle: A\nsummary: retries are safe for all calls\n---\n\ntext\n", "markdown")
    assert [(one.start_line, "retries are safe" in one.text) for one in found.chunks] == [(2, True), (6, False)]
    broken = cut("---\ntitle: [A\n---\n\ntext\n", "markdown")
    assert kinds(broken) == {"bad_frontmatter"}
    assert "title: [A" in broken.chunks[0].text


def test_a_hash_inside_a_fence_is_no_heading_and_the_fence_stays_whole(cut: Cut) -> None:
    found = cut("## A\n\n```bash\n# not a heading\nmake all\n```\n", "markdown")
    assert len(found.chunks) == 1
    assert found.chunks[0].text.endswith("```")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## E-1001\n\n原因：连接超时。解决：重启 `gw`。", "solution_article"),
        ("## Totals\n\n```sql\nSELECT SUM(amount) FROM orders\n```", "sql_example"),
        ("## Join pattern\n\n```sql\nSELECT 1 FROM a JOIN b ON a.i = b.i\n```", "query_pattern"),
        ("## 示例\n\n调用 `run()` 即可。", "example"),
        ("## About\n\nWe like tea in the afternoon.", "document"),
    ],
)
def test_the_type_of_prose_follows_from_what_it_holds(cut: Cut, text: str, expected: str) -> None:
    assert cut(text, "markdown").chunks[0].type == expected


def test_sql_is_cut_at_statements_with_tables_columns_and_the_comment_above(cut: Cut) -> None:
    text = "-- people\nCREATE TABLE users (id INT, vip_level INT);\n\n"
    text += "SELECT u.id FROM users u JOIN orders o ON o.user_id = u.id WHERE note = 'a;b';\n"
    found = cut(text, "sql")
    assert [(one.type, one.title, one.start_line) for one in found.chunks] == [
        ("table_schema", "users", 1),
        ("sql_example", "", 4),
    ]
    assert entities(found, 0, "column") == {"id", "vip_level"}
    assert entities(found, 1, "table") == {"users", "orders"}
    assert [one.name for one in found.chunks[0].entities if one.defined and one.kind == "table"] == ["users"]


def test_a_broken_statement_is_kept_with_a_diagnostic_and_spoils_no_other(cut: Cut) -> None:
    found = cut("SELECT FROM WHERE (;\nSELECT a FROM good;", "sql")
    assert len(found.chunks) == 2
    assert kinds(found) == {"unparsed_sql"}
    assert entities(found, 1, "table") == {"good"}


def test_python_is_cut_at_functions_with_decorators_and_comments_and_the_rest_is_not_lost(cut: Cut) -> None:
    text = 'LIMIT = 3\n\n# counts\n@cached\ndef count(x):\n    """Count."""\n    return helper(x)\n\n\n'
    text += "class Box:\n    def open(self):\n        raise KeyError\n"
    found = cut(text, "python")
    assert [(one.title, one.start_line, one.end_line) for one in found.chunks] == [
        ("", 1, 1),
        ("count", 3, 7),
        ("Box", 10, 12),
    ]
    assert entities(found, 1, "function") == {"count", "helper"}
    assert {"Box.open"} <= entities(found, 2, "function")
    assert entities(found, 2, "error_code") == {"KeyError"}


def test_broken_python_is_kept_as_text(cut: Cut) -> None:
    found = cut("def f(:\n  pass\n", "python")
    assert kinds(found) == {"bad_python"}
    assert "def f(:" in found.chunks[0].text


def test_a_log_is_cut_at_errors_with_their_tracebacks_and_days(cut: Cut) -> None:
    text = (
        "2026-01-02T10:00:00Z INFO ok\n2026-01-02T10:00:01Z INFO ok\n"
        "2026-01-03T10:00:02Z ERROR GW-5021 closed\nTraceback:\n  PoolExhausted: 3\n2026-01-03T10:00:03Z INFO ok\n"
    )
    found = cut(text, "log")
    assert [(one.title, one.start_line, one.end_line, one.date) for one in found.chunks] == [
        ("", 1, 2, "2026-01-02"),
        ("GW-5021", 3, 5, "2026-01-03"),
        ("", 6, 6, "2026-01-03"),
    ]
    assert entities(found, 1, "error_code") == {"GW-5021", "PoolExhausted"}


def test_yaml_is_cut_at_records_and_a_broken_record_spoils_no_other(cut: Cut) -> None:
    text = "# all codes\n- code: GW-1001\n  fix: wait\n- code: [broken\n- code: GW-1003\n  fix: 重启\n"
    found = cut(text, "yaml")
    assert [(one.title, one.start_line) for one in found.chunks] == [("GW-1001", 1), ("", 4), ("GW-1003", 5)]
    assert kinds(found) == {"bad_yaml"}
    assert found.chunks[2].type == "solution_article"


def test_settings_have_their_key_paths_as_entities(cut: Cut) -> None:
    found = cut("pool:\n  size: 20\n  wait:\n    ms: 5\n", "yaml")
    assert entities(found, 0, "config_key") == {"pool", "pool.size", "pool.wait", "pool.wait.ms"}
    assert cut("[pool]\nsize = 3\n", "toml").chunks[0].type == "config_snippet"


def test_json_lines_carry_date_authority_and_sql(cut: Cut) -> None:
    record = {
        "description": "成年用户",
        "sql": "SELECT * FROM people WHERE age > 18",
        "date": "2020-01-01",
        "authority": "个人",
    }
    found = cut(json.dumps(record, ensure_ascii=False) + "\n{broken\n", "jsonl")
    first = found.chunks[0]
    assert (first.type, first.title, first.date, first.authority) == ("sql_example", "成年用户", "2020-01-01", 0.2)
    assert entities(found, 0, "table") == {"people"}
    assert found.chunks[1].text == "{broken"
    assert kinds(found) == {"bad_json"}


def test_a_broken_json_file_is_kept_as_text(cut: Cut) -> None:
    found = cut('{"a": 1,', "json")
    assert kinds(found) == {"bad_json"}
    assert found.chunks[0].text == '{"a": 1,'


def test_binary_data_gives_a_diagnostic_and_no_chunk(cut: Cut) -> None:
    found = cut(bytes(range(256)) * 20, "text")
    assert not found.chunks
    assert kinds(found) == {"binary"}


def test_chinese_in_gb18030_is_read_and_said(cut: Cut) -> None:
    found = cut("数据库连接池已经耗尽，请检查空闲事务。".encode("gb18030"), "text")
    assert "连接池" in found.chunks[0].text
    assert kinds(found) == {"not_utf8"}


def test_deep_nesting_never_raises(cut: Cut) -> None:
    for text, name in [
        ("[" * 50_000, "json"),
        ("- " * 20_000, "yaml"),
        ("(" * 50_000, "python"),
        ("SELECT " + "(" * 5_000, "sql"),
    ]:
        assert cut(text, name).diagnostics


def test_the_manifest_counts_below_what_a_record_says_of_itself(cut: Cut) -> None:
    found = cut('{"title": "a", "date": "2026-02-02"}', "jsonl", date="2020-01-01", authority=1.0, type="example")
    assert (found.chunks[0].date, found.chunks[0].authority, found.chunks[0].type) == ("2026-02-02", 1.0, "example")


def test_an_id_outlives_lines_above_and_copies_get_ids_of_their_own(cut: Cut) -> None:
    before = cut("## A\n\nsame text\n", "markdown").chunks[0]
    after = cut("intro words\n\n## A\n\nsame text\n\n## A\n\nsame text\n", "markdown").chunks
    assert before.id == after[1].id
    assert len({one.id for one in after}) == 3


def test_a_long_section_is_cut_again_with_right_lines(cut: Cut) -> None:
    lines = [f"line {number} says something of its own" for number in range(400)]
    found = cut("## A\n\n" + "\n".join(lines), "markdown")
    assert len(found.chunks) > 1
    for chunk in found.chunks:
        first = chunk.text.split("\n")[0]
        assert chunk.start_line == (1 if first == "## A" else lines.index(first) + 3)


def test_chunks_over_the_bound_are_said() -> None:
    text = "\n".join(f"SELECT {number};" for number in range(30))
    found = take_in(
        text.encode(),
        path="a.sql",
        file="/a.sql",
        format_name="sql",
        rules={},
        limits=KnowledgeLimits(chunks_of_file=10),
    )
    assert len(found.chunks) == 10
    assert any("20 were left out" in one.message for one in found.diagnostics)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.sampled_from(sorted(set(FORMATS.values()))))
def test_whatever_a_file_holds_every_letter_is_in_a_chunk_or_there_is_a_diagnostic(text: str, name: str) -> None:
    found = take_in(
        text.encode("utf-8", "surrogatepass"), path="a", file="/a", format_name=name, rules={}, limits=KnowledgeLimits()
    )
    kept = sum(sum(map(str.isalnum, one.text)) for one in found.chunks)
    assert kept or found.diagnostics or not any(map(str.isalnum, text)) or name in {"markdown", "sql", "yaml"}
    for chunk in found.chunks:
        assert chunk.start_line >= 1
        assert chunk.text.strip()
