"""The local scorer and what its author, its age and the person's preference add, with worked numbers."""

from typing import Any

import pytest

from skill_selector.compiler.needs import Need
from skill_selector.compiler.relevance import Relevance, standing
from skill_selector.knowledge.search import KnowledgeSearch


def by_title(searching: KnowledgeSearch, title: str) -> Any:
    return next(one for one in searching.base.chunks if one.title.endswith(title))


def test_relevance_is_three_tenths_routes_three_parameters_four_words_and_meaning(
    searching: KnowledgeSearch, make_request: Any
) -> None:
    orders, tea = by_title(searching, "orders"), by_title(searching, "Tea")
    request = make_request(task="drink tea at four")
    needs = [Need("order_date", "order_date", True)]
    scored = Relevance(request, searching, needs, {orders.id: 0.5}, {tea.id: 0.3, orders.id: 0.15}).of([orders, tea])
    # orders: half of the routes, the only parameter, no word and half of the best meaning
    assert scored[0] == pytest.approx(0.3 * 0.5 + 0.3 * 1 + 0.4 * (0.5**2 / 2) ** 0.5)
    # tea: the best in words and in meaning, and nothing else
    assert scored[1] == pytest.approx(0.4)


def test_without_vectors_words_count_alone(searching: KnowledgeSearch, make_request: Any) -> None:
    tea = by_title(searching, "Tea")
    assert Relevance(make_request(task="drink tea"), searching, [], {}, {}).of([tea]) == [pytest.approx(0.4)]


def test_a_parameter_that_few_name_tells_more(searching: KnowledgeSearch, make_request: Any) -> None:
    orders, users, lots = (by_title(searching, name) for name in ("orders", "users", "parking_lots"))
    needs = [Need("int", "int", True), Need("vip_level", "vip_level", True)]
    common, rare, other = Relevance(make_request(task="x"), searching, needs, {}, {}).of([orders, users, lots])
    assert rare == pytest.approx(0.3)
    assert common == pytest.approx(other)
    assert 0 < common < 0.15


def test_authority_and_date_decide_how_much_a_chunk_counts(make_chunk: Any) -> None:
    old = make_chunk("a", path="a", authority=1.0, date="2020-01-01")
    new = make_chunk("b", path="b", authority=1.0, date="2026-01-01")
    blog = make_chunk("c", path="c", authority=0.0)
    assert standing([old, new, blog], "none") == [pytest.approx(0.9), pytest.approx(1.0), pytest.approx(0.4)]
    assert standing([old], "none") == [pytest.approx(1.0)]


def test_the_preference_favours_showing_or_explaining(make_chunk: Any) -> None:
    code = make_chunk("a", path="a", type="code_snippet", authority=1.0)
    prose = make_chunk("b", path="b", type="document", authority=1.0)
    assert standing([code, prose], "terse") == [pytest.approx(1.15), pytest.approx(0.85)]
    assert standing([code, prose], "commented") == [pytest.approx(1.0), pytest.approx(1.15)]
