"""What the routes look for, worked out of task and parameters."""

import json
from typing import Any

from skill_selector.compiler.request import CompileRequest, bilingual, names_in, query_of, values_of
from skill_selector.knowledge.search import KnowledgeSearch


def test_names_of_tables_and_columns_are_read_out_of_a_schema_in_words(searching: KnowledgeSearch) -> None:
    text = "users表(id, name, vip_level), orders表(order_id, whoever)"
    assert names_in([text], searching) == ["users", "vip_level", "orders", "order_id", "id", "name"]


def test_a_value_that_is_a_name_is_one_and_prose_holds_none(searching: KnowledgeSearch) -> None:
    assert names_in(["create_shipment", "orders"], searching) == ["create_shipment", "orders"]
    assert names_in(["All orders of users, and so on"], searching) == []
    assert names_in(["call `Client` or getUser(7) or a.b_c"], searching) == ["Client", "getUser", "a.b_c"]


def test_values_come_from_any_depth() -> None:
    assert values_of({"a": ["x", {"b": 7}], "c": None, "d": True, "e": "  "}) == ["x", "7"]


def test_the_query_says_nothing_twice() -> None:
    assert query_of("Find the VIP customers", {"a": "find the vip customers", "b": "orders"}) == (
        "Find the VIP customers\norders"
    )
    assert query_of("", {"a": "x"}) == "x"


def test_chinese_terms_are_looked_for_in_english_as_well() -> None:
    assert bilingual("find orders") == "find orders"
    assert "customer" in bilingual("找出客户")
    assert bilingual("找出客户").startswith("找出客户\n")


def test_a_request_survives_json(make_request: Any) -> None:
    request = make_request(
        task="x", parameters={"a": 1}, names=("n",), codes=("E-100",), candidates=(("s", "/s"),), skills=("/r",)
    )
    assert CompileRequest.from_dict(json.loads(json.dumps(request.to_dict()))) == request
