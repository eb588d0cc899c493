"""The two tools as a model and a host meet them."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from skill_selector import askill_tools, skill_tools
from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.scanner import scan
from skill_selector.injection.loader import SkillLoader
from skill_selector.injection.tools import skill_tools as tools_of
from skill_selector.testing import ScriptedChatModel


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "args": arguments, "id": "call-1", "type": "tool_call"}


def test_the_schema_lists_the_real_ids(catalog: Catalog) -> None:
    for tool in skill_tools(catalog):
        parameters = convert_to_openai_tool(tool)["function"]["parameters"]
        assert parameters["properties"]["id"]["enum"] == ["csv-chart", "meeting-notes", "pdf-merge"]
        assert "id" in parameters["required"]
        assert "offset" not in parameters["required"]


def test_with_many_skills_the_schema_has_no_list_and_unknown_ids_still_get_near_ones(
    skills_root: Path, write_skill: Callable[..., Path]
) -> None:
    for number in range(201):
        write_skill(f"skill-{number}", "Does something.")
    load, _ = skill_tools(scan(skills_root))
    assert "enum" not in json.dumps(convert_to_openai_tool(load))
    answer = load.invoke(_call("load_skill", id="skill_200"))
    assert answer.status == "error"
    assert "skill-200" in answer.content


def test_no_skills_no_tools(skills_root: Path) -> None:
    assert skill_tools(skills_root) == []


@pytest.mark.parametrize("half", ["sync", "async"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("load_skill", {"id": "pdf_merge"}),
        ("load_skill", {"id": "../x"}),
        ("load_skill", {"id": "/etc/passwd"}),
        ("load_skill", {"id": "a\\..\\b"}),
        ("load_skill", {"id": ""}),
        ("load_skill", {"id": None}),
        ("load_skill", {}),
        ("load_skill", {"id": "pdf-merge", "offset": -1}),
        ("read_skill_file", {"id": "pdf-merge"}),
        ("read_skill_file", {"id": "pdf-merge", "path": "../../outside/secret.txt"}),
        ("read_skill_file", {"id": "pdf-merge", "path": "pipe"}),
        ("read_skill_file", {"id": "pdf-merge", "path": "blob.bin"}),
    ],
)
async def test_what_is_refused_is_a_message_and_never_an_exception(
    catalog: Catalog, caplog: pytest.LogCaptureFixture, half: str, name: str, arguments: dict[str, Any]
) -> None:
    tools = {tool.name: tool for tool in await askill_tools(catalog)}
    call = _call(name, **arguments)
    with caplog.at_level(logging.WARNING):
        answer = tools[name].invoke(call) if half == "sync" else await tools[name].ainvoke(call)
    assert isinstance(answer, ToolMessage)
    assert answer.status == "error"
    assert str(answer.content).startswith("error: ")
    assert "secret outside" not in str(answer.content)


def test_a_refusal_is_logged_and_near_ids_are_named(catalog: Catalog, caplog: pytest.LogCaptureFixture) -> None:
    answer = skill_tools(catalog)[0].invoke(_call("load_skill", id="pdf_merge"))
    assert "the nearest are 'pdf-merge'" in answer.content
    assert "load_skill refused" in caplog.text


def test_an_agent_opens_a_skill_and_a_file_of_it(catalog: Catalog) -> None:
    model = ScriptedChatModel(
        [
            AIMessage("", tool_calls=[_call("load_skill", id="pdf-merge")]),
            AIMessage("", tool_calls=[_call("read_skill_file", id="pdf-merge", path="references/format.md")]),
            "done",
        ]
    )
    state = create_agent(model, tools=skill_tools(catalog)).invoke({"messages": [HumanMessage("merge PDFs")]})
    loaded, read = (one for one in state["messages"] if isinstance(one, ToolMessage))
    assert "Do it step by step." in loaded.content
    assert loaded.artifact["id"] == "pdf-merge"
    assert "pages of a PDF" in read.content
    json.dumps([loaded.artifact, read.artifact])


def test_a_host_may_exchange_the_catalogue_under_the_tools(catalog: Catalog) -> None:
    loaders = [SkillLoader(catalog, reads_on=True)]
    load, _ = tools_of(lambda: loaders[-1])
    assert load.invoke(_call("load_skill", id="csv-chart")).status == "success"
    loaders.append(SkillLoader(catalog, only=["pdf-merge"]))
    assert load.invoke(_call("load_skill", id="csv-chart")).status == "error"
    assert load.invoke(_call("load_skill", id="pdf-merge")).status == "success"
