import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from skill_selector.graph.selector import build_selector
from skill_selector.testing import ScriptedChatModel, ScriptedReasoner, ScriptEndedError


def invoke(model: ScriptedChatModel, messages: Any) -> AIMessage:
    return model.invoke(messages)


def ainvoke(model: ScriptedChatModel, messages: Any) -> AIMessage:
    return asyncio.run(model.ainvoke(messages))


both = pytest.mark.parametrize("call", [invoke, ainvoke])


@both
def test_it_answers_in_order_and_keeps_what_it_was_asked(call: Any) -> None:
    model = ScriptedChatModel(["one", AIMessage("two")])

    assert [call(model, "first").text, call(model, [SystemMessage("be brief"), HumanMessage("second")]).text] == [
        "one",
        "two",
    ]
    assert [len(messages) for messages in model.asked] == [1, 2]
    assert model.prompts == ["first", "be brief\n\nsecond"]


@both
def test_an_exception_in_the_script_is_raised(call: Any) -> None:
    model = ScriptedChatModel([TimeoutError("slow"), "then good"])

    with pytest.raises(TimeoutError, match="slow"):
        call(model, "x")

    assert call(model, "x").text == "then good"


@both
def test_a_function_decides_by_the_messages(call: Any) -> None:
    def script(messages: list[BaseMessage]) -> str:
        return str(messages[-1].text).upper()

    assert call(ScriptedChatModel(script), "loud").text == "LOUD"


@both
def test_a_script_that_has_ended_says_so(call: Any) -> None:
    model = ScriptedChatModel(["only one"])
    call(model, "x")

    with pytest.raises(ScriptEndedError, match="1 replies"):
        call(model, "x")


@both
def test_usage_is_told(call: Any) -> None:
    usage = call(ScriptedChatModel(["an answer"]), "a question of some length").usage_metadata

    assert usage["input_tokens"] > 0
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]


def test_threads_share_one_script() -> None:
    model = ScriptedChatModel([str(number) for number in range(40)])

    replies = model.batch(["x"] * 40)

    assert {reply.text for reply in replies} == {str(number) for number in range(40)}


def test_the_scripted_reasoner_stands_beside_the_model(pdf_skills: Path) -> None:
    reasoner = ScriptedReasoner({"pdf-merge": 90.0})
    selector = build_selector(reasoner=reasoner)

    result = selector.invoke({"task": "merge pdf files", "skill_directory": str(pdf_skills)})

    assert result["best"]["id"] == "pdf-merge"
    assert len(reasoner.rankings) == 1
