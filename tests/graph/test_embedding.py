"""The compiled selector inside other graphs and agents, and with checkpoints that outlive a process."""

import asyncio
import operator
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Send
from typing_extensions import TypedDict

from skill_selector.graph.context import SelectorContext
from skill_selector.graph.records import SkillRef, TraceEntry
from skill_selector.graph.selector import SelectorGraph, build_selector
from skill_selector.reasoners.scripted import ScriptedReasoner
from skill_selector.testing import ScriptedChatModel

CLEAR = {"pdf-merge": 90.0, "csv-chart": 40.0}
TIE = {"pdf-merge": 80.0, "csv-chart": 75.0}
TASK = "merge PDF files and chart CSV tables"


class Parent(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    skill_directory: str
    trace: Annotated[list[str], operator.add]
    """The parent's own, which the selector must not touch."""
    selector_trace: Annotated[list[TraceEntry], operator.add]
    outcome: str
    best: SkillRef | None
    answer: str


def thread(name: str = "t") -> RunnableConfig:
    return {"configurable": {"thread_id": name}}


def parent_of(selector: SelectorGraph, **options: Any) -> Any:
    def reply(state: Parent) -> dict[str, Any]:
        best = state.get("best")
        return {"answer": best["id"] if best else "none", "trace": ["replied"]}

    builder = StateGraph(Parent, **options)
    builder.add_node("select", selector)
    builder.add_node("reply", reply)
    builder.add_edge(START, "select")
    builder.add_edge("select", "reply")
    builder.add_edge("reply", END)
    return builder.compile(checkpointer=InMemorySaver())


def ask(root: Path, text: str = TASK) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)], "skill_directory": str(root)}


def test_as_a_node_it_takes_the_conversation_and_hands_over_its_result(pdf_skills: Path) -> None:
    result = parent_of(build_selector(reasoner=ScriptedReasoner(CLEAR))).invoke(ask(pdf_skills), thread())
    assert (result["answer"], result["trace"]) == ("pdf-merge", ["replied"])
    assert [one["step"] for one in result["selector_trace"]] == ["scan", "analyze", "retrieve", "rank"]


def test_as_a_node_it_works_async(pdf_skills: Path) -> None:
    parent = parent_of(build_selector(reasoner=ScriptedReasoner(CLEAR)))
    assert asyncio.run(parent.ainvoke(ask(pdf_skills), thread()))["answer"] == "pdf-merge"


def test_turn_after_turn_the_parent_gets_each_entry_of_the_trace_once(pdf_skills: Path) -> None:
    parent = parent_of(build_selector(reasoner=ScriptedReasoner(CLEAR)))
    for _ in range(3):
        result = parent.invoke(ask(pdf_skills), thread())
    assert [one["step"] for one in result["selector_trace"]] == ["scan", "analyze", "retrieve", "rank"] * 3
    assert len(result["messages"]) == 3


def test_the_context_of_a_host_is_left_alone(pdf_skills: Path) -> None:
    parent = parent_of(build_selector(reasoner=ScriptedReasoner(CLEAR)), context_schema=dict)
    result = parent.invoke(ask(pdf_skills), thread(), context={"top_k": "the host's own idea"})
    assert result["answer"] == "pdf-merge"


def test_a_question_reaches_the_parent_and_its_answer_comes_back(pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(TIE), context=SelectorContext(on_ambiguous="ask"))
    parent = parent_of(selector)
    asked = parent.invoke(ask(pdf_skills), thread())
    assert len(asked["__interrupt__"][0].value["candidates"]) == 2
    assert parent.invoke(Command(resume="csv-chart"), thread())["answer"] == "csv-chart"


def test_two_selections_side_by_side_do_not_mix(pdf_skills: Path) -> None:
    class Fan(TypedDict, total=False):
        tasks: list[str]
        found: Annotated[list[str], operator.add]

    selector = build_selector(reasoner=ScriptedReasoner(CLEAR))

    def one(state: Any) -> dict[str, Any]:
        result = selector.invoke({"task": state["task"], "skill_directory": str(pdf_skills)})
        return {"found": [f"{state['task']}: {result['best']['id']}"]}

    builder = StateGraph(Fan)
    builder.add_node("one", one)
    builder.add_conditional_edges(
        START, lambda state: [Send("one", {"task": task}) for task in state["tasks"]], ["one"]
    )
    parent = builder.compile(checkpointer=InMemorySaver())
    for _ in range(2):
        result = parent.invoke({"tasks": ["merge PDF", "join PDF"], "found": []}, thread())
    assert sorted(result["found"]) == ["join PDF: pdf-merge"] * 2 + ["merge PDF: pdf-merge"] * 2


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_as_a_tool_of_an_agent_it_answers_the_model(pdf_skills: Path, mode: str) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(CLEAR))

    def choose(task: str, skill_directory: str) -> Any:
        return selector.invoke({"task": task, "skill_directory": skill_directory})

    async def achoose(task: str, skill_directory: str) -> Any:
        return await selector.ainvoke({"task": task, "skill_directory": skill_directory})

    tool = StructuredTool.from_function(choose, achoose, "select_skill", "Choose the skill for a task.")
    arguments = {"task": TASK, "skill_directory": str(pdf_skills)}
    call = AIMessage("", tool_calls=[{"name": "select_skill", "args": arguments, "id": "1", "type": "tool_call"}])
    agent = create_agent(ScriptedChatModel([call, AIMessage("done")]), [tool], checkpointer=InMemorySaver())
    given: Any = {"messages": [HumanMessage("merge my files")]}
    result = agent.invoke(given, thread()) if mode == "sync" else asyncio.run(agent.ainvoke(given, thread()))
    answers = [one for one in result["messages"] if isinstance(one, ToolMessage)]
    assert len(answers) == 1
    assert "pdf-merge" in answers[0].text


WORKER = """
import sys
from langgraph.checkpoint.sqlite import SqliteSaver
from skill_selector import SelectorContext, build_selector
from skill_selector.reasoners.scripted import ScriptedReasoner
with SqliteSaver.from_conn_string(sys.argv[1]) as saver:
    reasoner = ScriptedReasoner({"pdf-merge": 80.0, "csv-chart": 75.0})
    selector = build_selector(reasoner=reasoner, checkpointer=saver, context=SelectorContext(on_ambiguous="ask"))
    given = {"task": "merge PDF files and chart CSV tables", "skill_directory": sys.argv[2]}
    selector.invoke(given, {"configurable": {"thread_id": "t"}})
"""


def test_a_run_in_sqlite_survives_a_restart_and_shows_its_trace(
    pdf_skills: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "checkpoints.sqlite")
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")
    subprocess.run([sys.executable, "-W", "error", "-c", WORKER, file, str(pdf_skills)], check=True, timeout=120)
    reasoner = ScriptedReasoner(TIE)
    with SqliteSaver.from_conn_string(file) as saver:
        selector = build_selector(reasoner=reasoner, checkpointer=saver, context=SelectorContext(on_ambiguous="ask"))
        before = selector.get_state(thread())
        assert before.next == ("confirm",)
        assert [one["step"] for one in before.values["selector_trace"]][:4] == ["scan", "analyze", "retrieve", "rank"]
        result = selector.invoke(Command(resume="csv-chart"), thread())
    assert (result["best"]["id"], result["decided_by"]) == ("csv-chart", "human")
    assert reasoner.analyses == []


def test_a_run_in_sqlite_works_async(pdf_skills: Path, tmp_path: Path) -> None:
    async def select() -> dict[str, Any]:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.sqlite")) as saver:
            selector = build_selector(reasoner=ScriptedReasoner(CLEAR), checkpointer=saver)
            given: Any = {"task": TASK, "skill_directory": str(pdf_skills)}
            return await selector.ainvoke(given, thread())

    assert asyncio.run(select())["hit"]


def test_a_run_stays_under_64_kilobytes_a_checkpoint(
    skills_root: Path, write_skill: Callable[..., Path], tmp_path: Path
) -> None:
    for number in range(8):
        write_skill(f"pdf-{number}", f"Merge PDF files, way {number}. " + "word " * 2000)
    saver = InMemorySaver()
    selector = build_selector(
        reasoner=ScriptedReasoner({"pdf-0": 80.0, "pdf-1": 75.0}, {"pdf-0": 80.0, "pdf-1": 76.0}), checkpointer=saver
    )
    selector.invoke({"task": TASK, "skill_directory": str(skills_root)}, thread())
    for one in selector.get_state_history(thread()):
        assert len(saver.serde.dumps_typed(one.values)[1]) < 64 * 1024
