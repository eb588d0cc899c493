"""What the context must cover, and when a text covers it."""

from typing import Any

from skill_selector.compiler.needs import Need, covered, needs_of, searchable
from skill_selector.retrievers.words import load_words


def texts_of(needs: list[Need], parameter: bool) -> list[str]:
    return [need.text for need in needs if need.parameter is parameter]


def test_names_codes_and_short_values_of_parameters_are_needs_and_prose_is_not(make_request: Any) -> None:
    request = make_request(
        parameters={"table": "Orders", "why": "because it has to be done today", "count": 1000, "code": "GW-5021"},
        names=("Orders",),
        codes=("GW-5021",),
    )
    assert texts_of(needs_of(request), True) == ["orders", "gw-5021"]


def test_what_the_task_quotes_and_its_domain_words_are_named_needs(make_request: Any) -> None:
    request = make_request(task='Turn the "yearly report" into a PDF with `pdftk`')
    found = texts_of(needs_of(request, load_words()), False)
    assert {"yearly report", "pdftk", "pdf"} <= set(found)
    assert "pdf" not in texts_of(needs_of(request), False)


def test_words_are_covered_whole_and_chinese_anywhere() -> None:
    assert Need("user", "user", True).covered_by("the user table")
    assert not Need("user", "user", True).covered_by("users and user_id and superuser")
    assert Need("user", "user", True).covered_by("users, then user")
    assert Need("客户", "客户", True).covered_by("贵宾客户表")
    assert covered([Need("a.b", "a.b", True), Need("zz", "zz", True)], ["x a.b y"]) == {"a.b"}


def test_titles_cover_too(make_chunk: Any) -> None:
    assert "orders" in searchable(make_chunk("text", title="ORDERS"))
