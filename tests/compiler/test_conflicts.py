"""Two values for the same thing: authority decides, then the date, and both stay on record."""

import json
from typing import Any

import pytest

from skill_selector.compiler.claims import claims_of
from skill_selector.compiler.conflicts import settle_conflicts
from skill_selector.knowledge.chunk import Chunk, Entity


def table(make_chunk: Any, path: str, kind: str, **values: Any) -> Chunk:
    text = f"CREATE TABLE orders (\n  id INT PRIMARY KEY,\n  amount {kind} NOT NULL\n);"
    chunk: Chunk = make_chunk(text, path=path, type="table_schema", language="sql", **values)
    return chunk


def test_the_side_with_authority_counts_and_both_are_on_record(make_chunk: Any) -> None:
    old = table(make_chunk, "blog.sql", "FLOAT", authority=0.2, date="2026-09-01")
    official = table(make_chunk, "schema.sql", "DECIMAL(12,2)", authority=1.0, date="2020-01-01")
    settled = settle_conflicts([old, official])
    assert settled.kept == [official]
    assert settled.lost == {old.id: "schema.sql:1 has more authority, on orders.amount"}
    [conflict] = settled.conflicts
    assert (conflict.subject, conflict.chosen_value, conflict.other_value) == (
        "orders.amount",
        "DECIMAL(12,2)",
        "FLOAT",
    )
    assert conflict.resolved_by == "authority"


def test_of_equal_authority_the_newer_counts(make_chunk: Any) -> None:
    old = table(make_chunk, "a.sql", "FLOAT", date="2020-01-01")
    new = table(make_chunk, "b.sql", "INT", date="2021-01-01")
    settled = settle_conflicts([old, new])
    assert settled.kept == [new]
    assert settled.conflicts[0].resolved_by == "date"


@pytest.mark.parametrize("dates", [(None, None), ("2020-01-01", None), ("2020-01-01", "2020-01-01")])
def test_where_nothing_tells_both_stay(make_chunk: Any, dates: tuple[str | None, str | None]) -> None:
    chunks = [table(make_chunk, "a.sql", "FLOAT", date=dates[0]), table(make_chunk, "b.sql", "INT", date=dates[1])]
    settled = settle_conflicts(chunks)
    assert settled.kept == chunks
    assert settled.conflicts[0].resolved_by == "unresolved"


def test_the_same_value_spelled_otherwise_is_no_conflict(make_chunk: Any) -> None:
    one = table(make_chunk, "a.sql", "DECIMAL(12,2)", authority=0.2)
    other = table(make_chunk, "b.sql", "decimal (12, 2)", authority=1.0)
    assert settle_conflicts([one, other]).conflicts == []


def test_chunks_of_one_file_do_not_contradict_each_other(make_chunk: Any) -> None:
    chunks = [table(make_chunk, "a.sql", "FLOAT", authority=0.2), table(make_chunk, "a.sql", "INT", authority=1.0)]
    assert settle_conflicts(chunks).kept == chunks


def test_settings_count_by_their_whole_path(make_chunk: Any) -> None:
    def config(path: str, text: str, title: str) -> Chunk:
        chunk: Chunk = make_chunk(text, path=path, type="config_snippet", language="yaml", title=title, authority=0.5)
        return chunk

    one = config("a.yaml", "listen:\n  timeout: 30  # seconds\n  port: 80", "listen")
    other = config("b.yaml", "listen:\n  timeout: 60\n", "listen")
    elsewhere = config("c.yaml", "pool:\n  timeout: 5\n", "pool")
    found = settle_conflicts([one, other, elsewhere]).conflicts
    assert [(each.subject, each.chosen_value, each.other_value) for each in found] == [("listen.timeout", "30", "60")]


def test_signatures_conflict_and_calls_do_not(make_chunk: Any) -> None:
    def page(path: str, text: str, authority: float) -> Chunk:
        entity = Entity("function", "ship", True)
        chunk: Chunk = make_chunk(
            text, path=path, type="api_documentation", title="Client.ship", entities=(entity,), authority=authority
        )
        return chunk

    new = page("new.md", "## Client.ship\n\n`ship(sender, *, service=None) -> Shipment`", 1.0)
    old = page("old.md", "## Client.ship\n\n`ship(from_addr, to_addr)`", 0.4)
    use = make_chunk("Call `ship(my_sender)`.", path="use.md", title="Tips", authority=0.2)
    settled = settle_conflicts([new, old, use])
    assert settled.kept == [new, use]


def test_terms_conflict_by_their_heading(make_chunk: Any) -> None:
    new = make_chunk("A VIP has `vip_level >= 2`.", path="a.md", title="Terms › VIP customers", authority=1.0)
    old = make_chunk("A VIP has `vip_level >= 1`.", path="b.md", title="Old › VIP customer", authority=0.2)
    other = make_chunk("Everybody with `vip_level >= 1`.", path="c.md", title="Old › Newsletter", authority=0.2)
    assert settle_conflicts([new, old, other]).kept == [new, other]


def test_records_about_one_error_code_conflict_field_by_field(make_chunk: Any) -> None:
    def record(path: str, cause: str, authority: float) -> Chunk:
        text = json.dumps({"code": "GW-5021", "cause": cause, "date": path})
        entity = Entity("error_code", "GW-5021", True)
        chunk: Chunk = make_chunk(
            text, path=path, type="solution_article", language="json", entities=(entity,), authority=authority
        )
        return chunk

    new, old = record("new.json", "it timed out", 1.0), record("old.json", "it crashed", 0.6)
    settled = settle_conflicts([new, old])
    assert settled.kept == [new]
    assert settled.conflicts[0].subject == "GW-5021.cause"


def test_a_chunk_that_contradicts_itself_states_nothing(make_chunk: Any) -> None:
    chunk = make_chunk("`n >= 1` or `n >= 2`", title="Least n")
    assert claims_of(chunk) == []


@pytest.mark.parametrize("text", ["", "[" * 5000, "{", "\0", "a: [", "CREATE TABLE x (", "```\n" * 99])
@pytest.mark.parametrize("language", ["json", "yaml", "sql", "markdown"])
def test_broken_texts_state_nothing_and_raise_nothing(make_chunk: Any, text: str, language: str) -> None:
    for kind in ("table_schema", "config_snippet", "solution_article", "code_snippet"):
        chunk = make_chunk(text, language=language, type=kind, entities=(Entity("error_code", "E-100", True),))
        claims_of(chunk)
