"""Definitions from runs that worked."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.feedback.store import LONGEST_COMMENT
from skill_selector.graph.errors import DefinitionError
from skill_selector.knowledge.observed import Run, read_run, run_note, with_runs
from skill_selector.knowledge.parameters import validated
from skill_selector.knowledge.proposal import Proposal


def noted(*parameters: dict[str, Any], context: tuple[str, ...] = ()) -> list[Run]:
    runs = [read_run(run_note(one, context)) for one in parameters]
    return [one for one in runs if one]


@pytest.fixture
def proposal() -> Proposal:
    guessed = {"type": "object", "properties": {"task": {"type": "string", "description": "What is wanted."}}}
    return Proposal(
        values={
            "id": "reports.monthly",
            "description": "月度报表。",
            "category": "reports",
            "preferred_context_types": ["document"],
            "related_keywords": [],
            "input_schema": guessed | {"required": ["task"]},
        },
        origins={"input_schema": "nothing: no parameter was found", "input_schema.task": "nothing"},
    )


def test_names_types_and_what_is_required_come_from_the_runs(proposal: Proposal) -> None:
    runs = noted(
        {"月份": "2025年1月", "limit": 5, "ratio": 1, "filters": {"a": 1}},
        {"月份": "2025年2月", "limit": 9, "ratio": 0.5, "tags": ["x"], "dry": True},
        context=("table_schema", "table_schema", "sql_example"),
    )
    made = with_runs(proposal, runs)
    schema = made.values["input_schema"]
    assert {name: one["type"] for name, one in schema["properties"].items()} == {
        **{"月份": "string", "limit": "integer", "ratio": "number"},
        **{"filters": "object", "tags": "array", "dry": "boolean"},
    }
    assert schema["required"] == ["月份", "limit", "ratio"]
    assert made.values["preferred_context_types"] == ["table_schema", "sql_example"]
    assert made.origins["input_schema.tags"] == "1 of 2 runs"
    definition = made.to_definition()
    assert validated(definition, {"月份": "3", "limit": 1, "ratio": 2.5})
    assert "# from 2 recorded runs that worked" in made.to_yaml()


def test_few_words_that_come_again_are_a_choice_but_not_after_a_few_runs(proposal: Proposal) -> None:
    regions = ["eu", "us", "eu", "eu", "us", "eu"]
    made = with_runs(proposal, noted(*({"region": one} for one in regions)))
    assert made.values["input_schema"]["properties"]["region"]["enum"] == ["eu", "us"]
    made = with_runs(proposal, noted(*({"region": one} for one in regions[:4])))
    assert "enum" not in made.values["input_schema"]["properties"]["region"]
    made = with_runs(proposal, noted(*({"region": f"r{one}"} for one in range(6))))
    assert "enum" not in made.values["input_schema"]["properties"]["region"]


def test_what_the_skills_text_says_stays(proposal: Proposal) -> None:
    stated = {"type": "object", "properties": {"city": {"type": "string", "description": "城市"}, "unit": {}}}
    made = with_runs(
        Proposal(
            values={**proposal.values, "input_schema": {**stated, "required": ["city", "unit"]}},
            origins={"input_schema": "what instructions take", "input_schema.unit": "SKILL.md"},
        ),
        noted({"city": "Ulm"}),
    )
    schema = made.values["input_schema"]
    assert schema["properties"]["city"] == {"type": "string", "description": "城市"}
    assert "unit" in schema["properties"]
    assert schema["required"] == ["city"]
    assert made.origins["input_schema.unit"] == "SKILL.md"


def test_no_run_is_an_error_with_the_way_out(proposal: Proposal) -> None:
    with pytest.raises(DefinitionError, match="feedback --context FILE --good"):
        with_runs(proposal, [])
    assert "none with parameters" in with_runs(proposal, noted({})).notes[0]


def test_long_and_secret_looking_texts_are_not_kept() -> None:
    text = run_note({"query": "the customers of " * 9, "token": "sk-" + "a" * 40, "mode": "fast"}, ())
    assert json.loads(text)["values"] == {"mode": "fast"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
)


@given(st.dictionaries(st.text(max_size=40), JSON, max_size=40))
def test_a_note_is_never_cut_and_reads_back(parameters: dict[str, Any]) -> None:
    text = run_note(parameters, ["document"])
    assert len(text) <= LONGEST_COMMENT
    run = read_run(text)
    assert text == "{}" or (run and set(run.types) == set(parameters))


@given(st.text() | JSON.map(json.dumps))
def test_any_other_note_is_none_or_a_run(text: str) -> None:
    run = read_run(text)
    assert run is None or all(isinstance(one, str) for one in run.types.values())
