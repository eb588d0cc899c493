"""Parameters are checked against the schema: every fault at once, with its path."""

import socket
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from skill_selector.graph.errors import ParameterError
from skill_selector.knowledge.definition import SkillDefinition, read_definition
from skill_selector.knowledge.parameters import (
    ParameterFault,
    check_output,
    check_parameters,
    parameter_digest,
    validated,
)
from skill_selector.knowledge.schema_text import typed_schema

SCHEMA = {
    "type": "object",
    "properties": {
        "描述": {"type": "string", "minLength": 2, "description": "要查什么"},
        "limit": {"type": "integer", "maximum": 100, "default": 10},
        "tables": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
    "required": ["描述"],
    "additionalProperties": False,
}


def definition(schema: Mapping[str, Any] | None = None) -> SkillDefinition:
    return SkillDefinition(id="a.b", description="x", category="a", input_schema=schema or SCHEMA)


def test_every_fault_is_named_at_once_with_its_path() -> None:
    faults = check_parameters(definition(), {"limit": 500, "tables": [{"name": 3}], "表": "用户"})
    assert [(one.path, one.message) for one in faults] == [
        ("$", "'描述' is missing (要查什么)"),
        ("$", "there is no parameter '表'; there are 描述, limit, tables"),
        ("$.limit", "is 500; it must be at most 100"),
        ("$.tables[0].name", "is 3; it must be of type string"),
    ]


def test_the_error_names_them_all_and_fitting_ones_get_their_defaults() -> None:
    with pytest.raises(ParameterError, match=r"a\.b: \$: '描述' is missing.*; \$\.limit: is \"x\""):
        validated(definition(), {"limit": "x"})
    assert validated(definition(), {"描述": "最近订单"}) == {"描述": "最近订单", "limit": 10}


def test_what_is_no_object_is_one_fault() -> None:
    assert [one.path for one in check_parameters(definition(), ["描述"])] == ["$"]


def test_a_schema_that_refers_elsewhere_or_to_itself_is_a_fault_and_nothing_is_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/schema.json"
        remote = {"type": "object", "properties": {"a": {"$ref": address}}}
        checking = threading.Thread(target=lambda: faults.extend(check_parameters(definition(remote), {"a": 1})))
        faults: list[ParameterFault] = []
        checking.start()
        with pytest.raises(TimeoutError):
            server.accept()
    checking.join()
    assert "refers to what it does not hold" in faults[0].message
    assert "without end" in check_parameters(definition({"$ref": "#"}), {"a": 1})[0].message


def test_an_output_is_checked_only_where_a_schema_states_one() -> None:
    assert check_output(definition(), 3) == []
    stated = SkillDefinition(
        id="a.b", description="x", category="a", output_schema={"type": "object", "required": ["sql"]}
    )
    assert check_output(stated, {})[0].message == "'sql' is missing"


def test_the_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert parameter_digest({"a": 1, "b": "值"}) == parameter_digest({"b": "值", "a": 1})
    assert parameter_digest({"a": 1}) != parameter_digest({"a": "1"})


def test_a_schema_read_as_text_gets_the_types_that_a_schema_has() -> None:
    text = {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": "1", "default": "5"},
            "s": {"type": "string", "enum": ["on", "7"], "default": "no"},
        },
        "additionalProperties": "false",
    }
    assert typed_schema(text) == {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "default": 5},
            "s": {"type": "string", "enum": ["on", "7"], "default": "no"},
        },
        "additionalProperties": False,
    }


def test_a_definition_names_every_fault() -> None:
    found, faults = read_definition(
        {
            "id": "noname",
            "preferred_context_types": ["poem"],
            "input_schema": {"type": "objekt", "properties": {"a": {"pattern": "["}}},
        }
    )
    assert found is None
    said = "\n".join(faults)
    assert "'id' is 'noname'" in said
    assert "'description' is missing" in said
    assert "poem" in said
    assert "'input_schema'.type" in said
    assert "'input_schema'.properties.a.pattern" in said


def test_the_source_s_example_is_read_as_it_stands_there() -> None:
    found, faults = read_definition(
        {
            "skill_id": "data_query.generate_sql",
            "description": "根据自然语言描述生成 SQL",
            "input_schema": {
                "type": "object",
                "properties": {"nl_description": {"type": "string"}},
                "required": ["nl_description"],
            },
            "metadata": {
                "category": "data_query",
                "preferred_context_types": ["table_schema"],
                "related_keywords": ["SELECT"],
            },
        }
    )
    assert not faults
    assert found is not None
    assert (found.id, found.category, found.preferred_context_types) == (
        "data_query.generate_sql",
        "data_query",
        ("table_schema",),
    )
