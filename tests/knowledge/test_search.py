"""Every way to search gives the right chunks first, with scores from 0 to 1."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from word_embeddings import WordEmbeddings

from skill_selector.graph.errors import DefinitionError

Write = Callable[..., Path]
Open = Callable[..., Any]


@pytest.fixture
def filled(write: Write) -> None:
    """A folder with tables, queries, a log and articles."""
    write(
        "shop/schema.sql",
        "CREATE TABLE users (id INT, vip_level INT);\nCREATE TABLE orders (order_id INT, user_id INT, amount INT);",
    )
    write("shop/joins.sql", "SELECT u.id FROM users u JOIN orders o ON o.user_id = u.id;")
    write(
        "ops/log.log",
        "2026-01-01T00:00:00Z ERROR GW-5021 upstream closed\n2026-01-01T00:00:01Z ERROR DB-1002 pool timeout\n",
    )
    write(
        "ops/fix.md",
        "# Fixes\n\n## GW-5021\n\nSolution: lower the timeout of `keep_alive`.\n\n"
        "## 数据库 DB-1002\n\n原因：故障由连接池耗尽引起。\n",
    )
    write("notes.md", "# Notes\n\n## Tea\n\nWe drink tea with Client.create_order in mind: `Client.create_order(x)`.\n")


def found(search: Any, hits: list[Any]) -> list[tuple[str, float]]:
    return [(search.base.get(one.chunk_id).source, round(one.score, 3)) for one in hits]


@pytest.mark.usefixtures("filled")
def test_a_chunk_that_defines_all_names_has_1_and_one_that_uses_them_less(open_base: Open) -> None:
    search = open_base()
    hits = found(search, search.by_names(["ORDERS", "amount", "nowhere_at_all"]))
    assert hits[0] == ("shop/schema.sql:2", 1.0)
    assert 0 < hits[1][1] < 0.6 + 1e-6


@pytest.mark.usefixtures("filled")
def test_the_part_behind_the_dot_finds_a_method(open_base: Open) -> None:
    search = open_base()
    assert found(search, search.by_names(["create_order"]))[0][0] == "notes.md:3-5"


@pytest.mark.usefixtures("filled")
def test_error_codes_are_found_exactly_the_subject_before_the_mention(open_base: Open) -> None:
    search = open_base()
    assert found(search, search.by_codes(["gw-5021"])) == [("ops/fix.md:3-5", 1.0), ("ops/log.log:1", 0.6)]
    assert search.by_codes(["GW-502"]) == []
    assert search.by_codes(["GW-5021"], types=["error_log"])[0].score == pytest.approx(0.6)


@pytest.mark.usefixtures("filled")
def test_tags_by_rule_follow_types_keywords_and_the_description(open_base: Open) -> None:
    search = open_base()
    hits = found(search, search.by_tag("data_query.generate_sql"))
    assert {source.partition(":")[0] for source, _ in hits} == {"shop/schema.sql", "shop/joins.sql"}
    # 0.4 for the type and 0.4 for two keywords, SELECT and JOIN
    assert hits[0][0] == "shop/joins.sql:1"
    assert 0.8 <= hits[0][1] <= 1
    with pytest.raises(DefinitionError, match=r"no skill is defined as 'data_query\.nothing'"):
        search.by_tag("data_query.nothing")


def test_what_the_author_names_beats_rules(write: Write, open_base: Open) -> None:
    write("tea.md", "---\nskills: [data_query.generate_sql]\n---\n\n## Tea\n\nHow we brew it.\n")
    search = open_base()
    assert search.tags.of(0)[0] == ("data_query.generate_sql", 1.0, "author")


@pytest.mark.usefixtures("filled")
def test_a_query_orders_tagged_chunks_without_dropping_any(open_base: Open) -> None:
    search = open_base()
    plain = search.by_tag("data_query.generate_sql")
    asked = search.by_tag("data_query.generate_sql", query="amount of orders")
    assert {one.chunk_id for one in plain} == {one.chunk_id for one in asked}
    assert search.base.get(asked[0].chunk_id).text != search.base.get(asked[-1].chunk_id).text


@pytest.mark.usefixtures("filled")
def test_words_are_found_in_chinese_and_english(open_base: Open) -> None:
    search = open_base()
    assert found(search, search.keyword("连接池为什么耗尽"))[0][0] == "ops/fix.md:7-9"
    assert found(search, search.keyword("lower the keep_alive"))[0][0] == "ops/fix.md:3-5"
    assert search.keyword("zebra") == []
    assert search.keyword("") == []


@pytest.mark.usefixtures("filled")
async def test_async_halves_give_the_same(open_base: Open) -> None:
    search = open_base()
    assert await search.aby_names(["users"]) == search.by_names(["users"])
    assert await search.aby_codes(["DB-1002"]) == search.by_codes(["DB-1002"])
    assert await search.aby_tag("fault_finding.diagnose") == search.by_tag("fault_finding.diagnose")
    assert await search.asemantic("tea") == search.semantic("tea")
    assert await search.akeyword("tea") == search.keyword("tea")


@pytest.mark.usefixtures("filled")
def test_meaning_finds_the_nearest_and_a_dead_embedder_finds_nothing(open_base: Open) -> None:
    embeddings = WordEmbeddings()
    search = open_base(embeddings)
    assert found(search, search.semantic("drink tea"))[0][0] == "notes.md:3-5"
    embeddings.fail_after = 0
    assert search.semantic("drink tea") == []


def test_both_languages_have_the_same_mean(write: Write, open_base: Open) -> None:
    write("en.md", "".join(f"\n## T{n}\n\nmerge file number{n}\n" for n in range(12)))
    write("zh.md", "".join(f"\n## 题{n}\n\n会议纪要和讨论的内容{n}\n" for n in range(12)))
    search = open_base()
    scores = search.ask_meaning("merge file")
    chinese = search.index.words.chinese
    assert scores[chinese].mean() == pytest.approx(scores[~chinese].mean(), abs=0.05)


def test_names_and_codes_in_a_parameter_are_recognised(write: Write, open_base: Open) -> None:
    write("a.sql", "CREATE TABLE users (id INT, vip_level INT);")
    search = open_base()
    assert search.names_in("users表(id, name, vip_level)") == ["users", "id", "vip_level"]
    assert search.codes_in("报错 E-1234 和 TimeoutError") == ["E-1234", "TimeoutError"]


def test_scores_stay_in_0_to_1_and_limits_keep_the_order_of_the_base(write: Write, open_base: Open) -> None:
    write("many.md", "".join(f"\n## `same_name` {n}\n\nsame_name same words here\n" for n in range(30)))
    search = open_base()
    hits = search.by_names(["same_name"], limit=7)
    assert [one.chunk_id for one in hits] == [one.id for one in search.base.chunks[:7]]
    for scores in (
        search.index.keyword_scores("same words"),
        search.index.name_scores(["same_name"]),
        search.ask_meaning("same"),
    ):
        assert np.all((scores >= 0) & (scores <= 1))
