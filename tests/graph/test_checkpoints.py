"""Checkpoints as hosts use them: several processes, several runs at once, subgraphs, what they hold and how much."""

import asyncio
import operator
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from skill_selector.api import select_skill
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.selector import build_selector
from skill_selector.graph.state import SelectorOutput
from skill_selector.reasoners.scripted import ScriptedReasoner

CLEAR = {"pdf-merge": 90.0, "csv-chart": 40.0}
TIE = {"pdf-merge": 80.0, "csv-chart": 75.0}
TASK = "merge PDF files and chart CSV tables"
WORDS = SelectorContext(embeddings="none")

WORKER = """
import sys, warnings
warnings.simplefilter("error")
from langgraph.checkpoint.sqlite import SqliteSaver
from skill_selector import SelectorContext, build_selector
from skill_selector.testing import ScriptedReasoner
file, root, name, times = sys.argv[1:]
with SqliteSaver.from_conn_string(file) as saver:
    reasoner = ScriptedReasoner({"pdf-merge": 80.0, "csv-chart": 75.0}, {"pdf-merge": 90.0, "csv-chart": 40.0})
    selector = build_selector(reasoner=reasoner, checkpointer=saver, context=SelectorContext(embeddings="none"))
    for number in range(int(times)):
        given = {"task": f"merge PDF files and chart CSV tables {number}", "skill_directory": root}
        result = selector.invoke(given, {"configurable": {"thread_id": f"{name}-{number % 3}"}})
        assert result["best"]["id"] == "pdf-merge"
print("done")
"""


def thread(name: str = "t") -> RunnableConfig:
    return {"configurable": {"thread_id": name}}


def start(root: Path, task: str = TASK) -> Any:
    return {"task": task, "skill_directory": str(root)}


def work(file: Path, root: Path, name: str, times: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WORKER, str(file), str(root), name, str(times)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_share_a_checkpoint_file_that_somebody_else_locks_for_a_while(
    pdf_skills: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")
    file = tmp_path / "checkpoints.sqlite"
    workers = [work(file, pdf_skills, name, 12) for name in ("one", "two")]
    lock = sqlite3.connect(file, timeout=30, isolation_level=None)
    deadline = time.monotonic() + 60
    while not lock.execute("select name from sqlite_master where name = 'checkpoints'").fetchall():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    lock.execute("BEGIN IMMEDIATE")
    time.sleep(1)
    lock.execute("ROLLBACK")
    outputs = [one.communicate(timeout=120) for one in workers]
    lock.close()
    assert [(out.strip(), error) for out, error in outputs] == [("done", "")] * 2


def test_without_a_thread_the_error_names_what_is_missing(pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(CLEAR), checkpointer=InMemorySaver())
    with pytest.raises(ValueError, match="thread_id"):
        selector.invoke(start(pdf_skills))


def test_the_front_door_takes_a_thread_of_its_own_each_time(pdf_skills: Path) -> None:
    options: dict[str, Any] = {"hit_threshold": 0.1, "min_gap": 100, "embeddings": "none"}

    def choose(number: int) -> str | None:
        wanted = ("pdf-merge", "csv-chart")[number % 2]
        chosen = select_skill(TASK, pdf_skills, offline=True, ask=lambda question: wanted, **options)
        return chosen.best["id"] if chosen.best else None

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(choose, range(8))) == ["pdf-merge", "csv-chart"] * 4


@pytest.mark.parametrize("mode", ["threads", "tasks"])
def test_runs_at_once_on_one_thread_do_not_mix(pdf_skills: Path, mode: str) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(CLEAR), checkpointer=InMemorySaver(), context=WORDS)
    tasks = [f"merge PDF files number {number}" for number in range(8)]
    if mode == "threads":
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda task: selector.invoke(start(pdf_skills, task), thread()), tasks))
    else:

        async def run_all() -> Any:
            return await asyncio.gather(*(selector.ainvoke(start(pdf_skills, task), thread()) for task in tasks))

        results = asyncio.run(run_all())
    assert [one["analysis"]["intent"] for one in results] == tasks
    assert {len(one["selector_trace"]) for one in results} == {4}


def test_a_task_without_a_hit_keeps_nothing_of_the_hit_before(pdf_skills: Path) -> None:
    saver = InMemorySaver()
    for scores, expected in ((CLEAR, "pdf-merge"), ({}, None), (CLEAR, "pdf-merge"), ({}, None)):
        selector = build_selector(reasoner=ScriptedReasoner(scores), checkpointer=saver, context=WORDS)
        result = selector.invoke(start(pdf_skills), thread())
        assert (result["best"] or {}).get("id") == expected
        state = selector.get_state(thread()).values
        assert (len(state["rounds"]), len(state["selector_trace"]), state["attempt"]) == (1, 4, 1)
        assert bool(state["selected"]) == bool(state["skill_path"]) == bool(expected)


class Parent(TypedDict, total=False):
    task: str
    skill_directory: str
    found: Annotated[list[str], operator.add]
    outcome: str


def selecting(selector: Any, times: int) -> Any:
    def node(state: Parent) -> dict[str, Any]:
        given = {"task": state["task"], "skill_directory": state["skill_directory"]}
        return {"found": [selector.invoke(given)["best"]["id"] for _ in range(times)]}

    return node


def aselecting(selector: Any, times: int) -> Any:
    async def node(state: Parent) -> dict[str, Any]:
        given = {"task": state["task"], "skill_directory": state["skill_directory"]}
        results = await asyncio.gather(*(selector.ainvoke(given) for _ in range(times)))
        return {"found": [one["best"]["id"] for one in results]}

    return node


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_parent_uses_it_in_a_node_as_a_node_and_side_by_side_on_one_thread(pdf_skills: Path, mode: str) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(TIE, CLEAR), context=WORDS)
    inside = selecting if mode == "sync" else aselecting
    builder = StateGraph(Parent)
    builder.add_node("twice", inside(selector, 2))
    builder.add_node("left", inside(selector, 1))
    builder.add_node("right", inside(selector, 1))
    builder.add_node("itself", selector)
    builder.add_edge(START, "twice")
    for side in ("left", "right"):
        builder.add_edge("twice", side)
    builder.add_edge(["left", "right"], "itself")
    builder.add_edge("itself", END)
    parent = builder.compile(checkpointer=InMemorySaver())
    for turn in (1, 2):
        given: Any = start(pdf_skills)
        result = parent.invoke(given, thread()) if mode == "sync" else asyncio.run(parent.ainvoke(given, thread()))
        assert result["found"] == ["pdf-merge"] * 4 * turn
        assert result["outcome"] == "hit"
    assert set(parent.get_state(thread()).values) == {"task", "skill_directory", "found", "outcome"}


@pytest.mark.parametrize("limit", [5, 6, 7])
@pytest.mark.parametrize("mode", ["in a node", "as a node"])
def test_a_hosts_low_recursion_limit_ends_the_loop_not_the_run(pdf_skills: Path, mode: str, limit: int) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(TIE), context=WORDS)

    def node(state: Parent) -> dict[str, Any]:
        given: Any = {"task": state["task"], "skill_directory": state["skill_directory"]}
        return {"outcome": selector.invoke(given)["outcome"]}

    builder = StateGraph(Parent)
    builder.add_node("select", selector if mode == "as a node" else node)
    builder.add_edge(START, "select")
    builder.add_edge("select", END)
    result = builder.compile(checkpointer=InMemorySaver()).invoke(
        start(pdf_skills), {**thread(), "recursion_limit": limit}
    )
    assert result["outcome"] == "ambiguous"


def test_a_clear_first_answer_costs_no_second_look(pdf_skills: Path) -> None:
    for scores in (CLEAR, {"pdf-merge": 59.0}, {}):
        reasoner = ScriptedReasoner(scores)
        build_selector(reasoner=reasoner, context=WORDS).invoke(start(pdf_skills))
        assert (len(reasoner.analyses), len(reasoner.rankings)) == (1, 1)


MEASURE = """
import sys, warnings
warnings.simplefilter("error")
from langgraph.checkpoint.sqlite import SqliteSaver
from skill_selector import SelectorContext, build_selector
from skill_selector.testing import ScriptedReasoner
file, root = sys.argv[1:]
with SqliteSaver.from_conn_string(file) as saver:
    rounds = ({"pdf-0": 80.0, "pdf-1": 75.0}, {"pdf-0": 80.0, "pdf-1": 76.0})
    context = SelectorContext(embeddings="none", on_ambiguous="ask")
    selector = build_selector(reasoner=ScriptedReasoner(*rounds), checkpointer=saver, context=context)
    config = {"configurable": {"thread_id": "t"}}
    assert "__interrupt__" in selector.invoke({"task": "merge PDF files", "skill_directory": root}, config)
    sizes = [len(saver.serde.dumps_typed(one.values)[1]) for one in selector.get_state_history(config)]
    print(max(sizes))
"""


def test_the_state_of_a_run_is_small_and_plain_enough_for_strict_checkpoints(
    skills_root: Path, write_skill: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        write_skill(f"pdf-{number}", f"Merge PDF files, way {number}. " + "很长的说明 and words " * 200)
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")
    command = [sys.executable, "-W", "error", "-c", MEASURE, str(tmp_path / "c.sqlite"), str(skills_root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) < 64 * 1024


def test_no_private_key_is_part_of_the_output(pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(CLEAR), context=WORDS)
    result = selector.invoke(start(pdf_skills))
    assert set(result) == set(SelectorOutput.__annotations__)
