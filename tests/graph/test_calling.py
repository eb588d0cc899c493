"""Tasks that name a skill: to call it, or to have it left out."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from skill_selector.graph.context import SelectorContext
from skill_selector.graph.selector import SelectorGraph, build_selector
from skill_selector.graph.state import SelectorOutput, SelectorState
from skill_selector.reasoners.scripted import ScriptedReasoner
from skill_selector.testing import ScriptedChatModel

WriteSkill = Callable[..., Path]
Run = Callable[..., dict[str, Any]]

THREAD: Any = {"configurable": {"thread_id": "t"}}


def run_sync(selector: SelectorGraph, given: Any, **options: Any) -> dict[str, Any]:
    result: dict[str, Any] = selector.invoke(given, THREAD, **options)
    return result


def run_async(selector: SelectorGraph, given: Any, **options: Any) -> dict[str, Any]:
    return asyncio.run(selector.ainvoke(given, THREAD, **options))


@pytest.fixture(params=[run_sync, run_async], ids=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    """Run a graph to its end, once through `invoke` and once through `ainvoke`."""
    runner: Run = request.param
    return runner


@pytest.fixture
def root(pdf_skills: Path, write_skill: WriteSkill) -> Path:
    """Skills, among them one to be called only, one never to be called, and two of one name."""
    write_skill("ship-it", "Merge and ship PDF files.", **{"disable-model-invocation": "true"})
    write_skill("background", "Facts about PDF files.", **{"user-invocable": "false"})
    write_skill("paper/kite", "Fold a kite.", body="Fold.")
    write_skill("wood/kite", "Build a kite.", body="Saw.")
    return pdf_skills


def start(root: Path, task: str) -> Any:
    return {"task": task, "skill_directory": str(root)}


def ids(result: dict[str, Any]) -> list[str]:
    return [one["skill"]["id"] for one in result["ranked"]]


@pytest.mark.parametrize("name", ["pdf-merge", "ship-it"])
def test_a_called_skill_is_a_hit_and_costs_no_model_call(run: Run, root: Path, name: str) -> None:
    model = ScriptedChatModel([])
    result = run(build_selector(llm=model), start(root, f"/{name} for the board"))
    assert (result["outcome"], result["reason"], result["decided_by"]) == ("hit", "called", "human")
    assert (result["best"]["id"], result["skill_path"], ids(result)) == (name, str(root / name), [name])
    assert [one["id"] for one in result["selected"]] == [name]
    assert set(result) == set(SelectorOutput.__annotations__)
    assert model.asked == []
    [entry] = result["selector_trace"]
    assert (entry["step"], entry["output"]["call"], entry["output"]["called"]) == ("scan", f"/{name}", [name])


def test_a_call_works_in_a_folder_where_nothing_else_may_be_chosen(
    run: Run, skills_root: Path, write_skill: WriteSkill
) -> None:
    write_skill("ship-it", "Ship.", **{"disable-model-invocation": "true"})
    assert run(build_selector(), start(skills_root, "/ship-it"))["best"]["id"] == "ship-it"


def test_a_call_in_the_last_human_message_counts(run: Run, root: Path) -> None:
    messages = [HumanMessage("/ship-it"), AIMessage("done"), HumanMessage("/pdf-merge a.pdf b.pdf")]
    result = run(build_selector(reasoner=ScriptedReasoner()), {"messages": messages, "skill_directory": str(root)})
    assert result["best"]["id"] == "pdf-merge"


def test_a_call_works_inside_a_parent_graph(run: Run, root: Path) -> None:
    builder = StateGraph(SelectorState)
    builder.add_node("select", build_selector(reasoner=ScriptedReasoner()))
    builder.add_edge(START, "select")
    builder.add_edge("select", END)
    assert run(builder.compile(), start(root, "/ship-it"))["reason"] == "called"


def test_a_skill_that_nobody_may_call_is_refused(run: Run, root: Path) -> None:
    reasoner = ScriptedReasoner({"background": 90.0})
    result = run(build_selector(reasoner=reasoner), start(root, "/background PDF files"))
    assert (result["outcome"], result["reason"], result["decided_by"]) == ("no_match", "refused_call", "human")
    assert (result["best"], result["top_score"], ids(result)) == (None, 0, ["background"])
    assert "user-invocable" in result["ranked"][0]["veto"]
    assert reasoner.analyses == []


def test_a_name_of_several_skills_is_ambiguous(run: Run, root: Path) -> None:
    result = run(build_selector(reasoner=ScriptedReasoner()), start(root, "/kite"))
    assert (result["outcome"], result["reason"], result["best"]) == ("ambiguous", "ambiguous_call", None)
    assert ids(result) == ["paper/kite", "wood/kite"]


@pytest.mark.parametrize("gap", [0, 10])
def test_which_of_several_is_asked_where_somebody_wants_to_be(run: Run, root: Path, gap: float) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(), checkpointer=InMemorySaver())
    context = SelectorContext(on_ambiguous="ask", min_gap=gap)
    asked = run(selector, start(root, "/kite"), context=context)
    question = asked["__interrupt__"][0].value
    assert [one["id"] for one in question["candidates"]] == ["paper/kite", "wood/kite"]
    assert "name" in question["question"]
    result = run(selector, Command(resume="wood/kite"), context=context)
    assert (result["outcome"], result["reason"], result["best"]["id"]) == ("hit", "chosen", "wood/kite")
    assert [one["step"] for one in result["selector_trace"]] == ["scan", "confirm"]


def test_a_name_that_no_skill_has_is_said_and_the_words_decide(run: Run, root: Path) -> None:
    result = run(build_selector(reasoner=ScriptedReasoner({"pdf-merge": 90.0})), start(root, "/pdf-merg PDF files"))
    assert (result["best"]["id"], result["decided_by"]) == ("pdf-merge", "score")
    [fault] = result["degraded"]
    assert (fault["step"], fault["what"]) == ("scan", "call")
    assert "did you mean /pdf-merge" in fault["why"]


def test_a_path_is_no_call(run: Run, root: Path) -> None:
    result = run(build_selector(reasoner=ScriptedReasoner()), start(root, "/etc/hosts is broken"))
    assert (result["degraded"], len(result["selector_trace"])) == ([], 4)


@pytest.mark.parametrize(
    "task",
    [
        "do not use pdf-merge: merge two PDF files",
        "不要用 pdf-merge，把两个 PDF files 合并",
        "merge PDF files without the pdf-merge skill",
    ],
)
def test_a_skill_that_the_task_excludes_is_not_even_ranked(run: Run, root: Path, task: str) -> None:
    reasoner = ScriptedReasoner({"pdf-merge": 90.0, "background": 70.0})
    result = run(build_selector(reasoner=reasoner), start(root, task))
    assert "pdf-merge" not in [one["id"] for one in reasoner.rankings[0].candidates]
    assert (result["best"]["id"], result["score_gap"]) == ("background", 70)
    assert ids(result)[-1] == "pdf-merge"
    assert "excluded by user" in result["ranked"][-1]["veto"]
    assert result["selector_trace"][2]["output"]["excluded by user"] == ["pdf-merge"]


def test_what_is_excluded_takes_no_candidates_place(run: Run, root: Path) -> None:
    reasoner = ScriptedReasoner({"background": 70.0})
    task = "do not use pdf-merge: tell me facts about merging PDF files"
    result = run(build_selector(reasoner=reasoner), start(root, task), context=SelectorContext(top_k=1))
    assert [one["id"] for one in reasoner.rankings[0].candidates] == ["background"]
    assert result["best"]["id"] == "background"


def test_where_the_nearest_is_excluded_that_is_the_reason(run: Run, skills_root: Path, write_skill: WriteSkill) -> None:
    write_skill("pdf-merge", "Merge PDF files.")
    reasoner = ScriptedReasoner()
    result = run(build_selector(reasoner=reasoner), start(skills_root, "merge PDF files, but don't use pdf-merge"))
    assert (result["outcome"], result["reason"], ids(result)) == ("no_match", "vetoed", ["pdf-merge"])
    assert reasoner.rankings == []
