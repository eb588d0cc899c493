"""Analyses kept by LangGraph's cache: asked once, told honestly, never a fallback's."""

import asyncio
import json
import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import BaseMessage
from langgraph.cache.base import BaseCache
from langgraph.cache.memory import InMemoryCache
from langgraph.cache.sqlite import SqliteCache
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.graph.records import TraceEntry
from skill_selector.graph.selector import build_selector
from skill_selector.reasoners.scripted import ScriptedReasoner
from skill_selector.testing import ScriptedChatModel

TASK = "merge PDF files and chart CSV tables"
ANALYSIS = {
    "intent": "merge PDF files",
    "keywords": ["pdf", "merge"],
    "constraints": [],
    "tech_stack": [],
    "when_to_use": "when files are merged",
}

Run = Callable[..., dict[str, Any]]


class CountingModel:
    """A scripted model that scores as it is told, and counts analyses and rankings."""

    def __init__(self, *rounds: tuple[int, int]) -> None:
        """Each round gives the points of the skill about PDF and of the others, as shares of the rubric in percent."""
        self.rounds = rounds or ((90, 10),)
        self.analyses: list[str] = []
        self.rankings = 0
        self.llm = ScriptedChatModel(self._answer)

    def _answer(self, messages: list[BaseMessage]) -> str:
        text = str(messages[-1].text)
        if "<candidates>" not in text:
            self.analyses.append(text)
            return json.dumps(ANALYSIS)
        best, rest = self.rounds[min(self.rankings, len(self.rounds) - 1)]
        self.rankings += 1
        blocks = text.split('<skill id="')[1:]
        scores = [_points(one.split('"')[0], best if "Merge several PDF" in one else rest) for one in blocks]
        return json.dumps({"scores": scores})


def _points(opaque: str, percent: int) -> dict[str, Any]:
    parts = {"intent": 40, "tech_stack": 30, "constraints": 20, "keywords": 10}
    return {"id": opaque, "reason": "so", "veto": None, **{part: percent * most // 100 for part, most in parts.items()}}


def run_sync(selector: Any, given: Any, **options: Any) -> dict[str, Any]:
    result: dict[str, Any] = selector.invoke(given, **options)
    return result


def run_async(selector: Any, given: Any, **options: Any) -> dict[str, Any]:
    return asyncio.run(selector.ainvoke(given, **options))


@pytest.fixture(params=[run_sync, run_async], ids=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    runner: Run = request.param
    return runner


@pytest.fixture(params=["memory", "sqlite"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BaseCache[Any]]:
    if request.param == "memory":
        yield InMemoryCache()
        return
    kept: SqliteCache[Any] = SqliteCache(path=str(tmp_path / "analyses.sqlite"))
    yield kept
    kept._conn.close()


def start(root: Path, task: str = TASK) -> dict[str, Any]:
    return {"task": task, "skill_directory": str(root)}


def test_the_same_task_is_analysed_once_and_ranked_anew(run: Run, cache: BaseCache[Any], pdf_skills: Path) -> None:
    model = CountingModel()
    selector = build_selector(llm=model.llm, cache=cache)
    first, second = run(selector, start(pdf_skills)), run(selector, start(pdf_skills))
    assert (len(model.analyses), model.rankings) == (1, 2)
    assert second["best"] == first["best"]
    assert second["analysis"] == first["analysis"]


def test_a_kept_analysis_is_said_to_be_one_and_costs_nothing(run: Run, cache: BaseCache[Any], pdf_skills: Path) -> None:
    selector = build_selector(llm=CountingModel().llm, cache=cache)
    first, second = (run(selector, start(pdf_skills))["selector_trace"][1] for _ in range(2))
    assert first["cost"]["calls"] == 1
    assert "cached" not in first["input"]
    assert second["input"]["cached"] is True
    assert second["cost"] == {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
    assert second["started"] >= first["started"]
    assert (second["step"], second["output"]) == ("analyze", first["output"])


def test_a_cache_on_disk_serves_the_next_process(run: Run, tmp_path: Path, pdf_skills: Path) -> None:
    models = [CountingModel(), CountingModel()]
    for model in models:  # another graph with another connection stands for another process
        kept: SqliteCache[Any] = SqliteCache(path=str(tmp_path / "analyses.sqlite"))
        run(build_selector(llm=model.llm, cache=kept), start(pdf_skills))
        kept._conn.close()
    assert [len(one.analyses) for one in models] == [1, 0]


def test_another_task_catalogue_or_model_is_analysed_anew(
    run: Run, cache: BaseCache[Any], pdf_skills: Path, write_skill: Callable[..., Path]
) -> None:
    model = CountingModel()
    selector = build_selector(llm=model.llm, cache=cache)
    run(selector, start(pdf_skills))
    run(selector, start(pdf_skills, "merge other PDF files"))
    assert len(model.analyses) == 2
    write_skill("pdf-split", "Split one PDF file by page ranges.")
    run(selector, start(pdf_skills))
    assert len(model.analyses) == 3
    run(selector, start(pdf_skills), context=SelectorContext(llm_temperature=0.9))
    assert len(model.analyses) == 4
    other = CountingModel()
    other.llm.model_name = "another"
    run(build_selector(llm=other.llm, cache=cache), start(pdf_skills))
    assert len(other.analyses) == 1


def test_settings_that_no_analysis_depends_on_share_it(run: Run, cache: BaseCache[Any], pdf_skills: Path) -> None:
    model = CountingModel()
    selector = build_selector(llm=model.llm, cache=cache)
    for context in (SelectorContext(), SelectorContext(top_k=2), SelectorContext(llm_timeout=5)):
        run(selector, start(pdf_skills), context=context)
    assert len(model.analyses) == 1


def test_each_round_is_kept_by_what_it_was_told(run: Run, cache: BaseCache[Any], pdf_skills: Path) -> None:
    model = CountingModel((80, 75), (90, 10), (80, 75), (90, 10), (83, 75), (90, 10))
    selector = build_selector(llm=model.llm, cache=cache)
    results = [run(selector, start(pdf_skills)) for _ in range(3)]
    # the third run tied otherwise than the first two: what its second analysis is told is new
    assert len(model.analyses) == 3
    assert [len(one["selector_trace"]) for one in results] == [7, 7, 7]
    assert all(one["hit"] for one in results)


def test_an_analysis_of_the_local_reasoner_is_not_kept_in_place_of_the_models(
    run: Run, cache: BaseCache[Any], pdf_skills: Path
) -> None:
    replies = iter([TimeoutError("silent")])
    working = CountingModel()
    llm = ScriptedChatModel(lambda messages: next(replies, None) or working._answer(messages))
    selector = build_selector(llm=llm, cache=cache)
    failed, good = run(selector, start(pdf_skills)), run(selector, start(pdf_skills))
    assert [one["what"] for one in failed["degraded"]] == ["model"]
    assert good["degraded"] == []
    assert len(working.analyses) == 1
    assert good["analysis"]["intent"] == ANALYSIS["intent"]


def test_a_stand_in_of_an_earlier_failure_is_not_kept_either(
    run: Run, cache: BaseCache[Any], skills_root: Path, write_skill: Callable[..., Path]
) -> None:
    for name in ("one", "two"):
        write_skill(name, "Merge PDF files into one document.", f"Variant {name}.")
    model = CountingModel()

    def answer(messages: list[BaseMessage]) -> Any:
        return TimeoutError("silent") if "<candidates>" in str(messages[-1].text) else model._answer(messages)

    selector = build_selector(llm=ScriptedChatModel(answer), cache=cache)
    for _ in range(2):
        result = run(selector, start(skills_root, "merge PDF files into one document"))
        second = [one for one in result["selector_trace"] if one["step"] == "analyze"][1:]
        assert [one["input"]["reasoner"] for one in second] == ["local"]
        assert all("cached" not in one["input"] for one in second)
    assert len(model.analyses) == 1


def test_what_an_earlier_run_degraded_does_not_come_back(run: Run, cache: BaseCache[Any], pdf_skills: Path) -> None:
    model = CountingModel((80, 75))
    selector = build_selector(llm=model.llm, cache=cache)
    cut = run(selector, start(pdf_skills), config={"recursion_limit": 5})
    assert [one["what"] for one in cut["degraded"]] == ["another analysis"]
    assert run(selector, start(pdf_skills))["degraded"] == []


def test_a_cache_that_fails_costs_a_warning_only(
    run: Run, pdf_skills: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept: SqliteCache[Any] = SqliteCache(path=str(tmp_path / "analyses.sqlite"))
    kept._conn.close()
    result = run(build_selector(llm=CountingModel().llm, cache=kept), start(pdf_skills))
    assert result["hit"]
    assert "cannot be read" in caplog.text
    assert "could not be kept" in caplog.text


@pytest.mark.parametrize("junk", [None, 7, "text", [("analysis", {})], [("selector_trace", 3)], [["analysis"]]])
def test_what_is_no_analysis_in_a_cache_is_passed_over(
    run: Run, pdf_skills: Path, junk: Any, caplog: pytest.LogCaptureFixture
) -> None:
    class Tampered(InMemoryCache[Any]):
        def get(self, keys: Any) -> Any:
            return dict.fromkeys(keys, junk)

    model = CountingModel()
    assert run(build_selector(llm=model.llm, cache=Tampered()), start(pdf_skills))["hit"]
    assert len(model.analyses) == 1
    assert "cannot be read" in caplog.text


def test_it_is_forgotten_after_its_time(run: Run, pdf_skills: Path) -> None:
    asked: list[int | None] = []

    class Watched(InMemoryCache[Any]):
        def set(self, keys: Any) -> None:
            asked.extend(ttl for _, ttl in keys.values())
            super().set(keys)

    run(build_selector(llm=CountingModel().llm, cache=Watched(), cache_ttl=30), start(pdf_skills))
    assert asked == [30]


def test_a_graph_without_a_cache_keeps_no_key(run: Run, pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner({"pdf-merge": 90.0}), checkpointer=InMemorySaver())
    run(selector, start(pdf_skills), config={"configurable": {"thread_id": "t"}})
    assert "model_key" not in selector.get_state({"configurable": {"thread_id": "t"}}).values


def test_reasoners_of_the_callers_own_are_told_apart(run: Run, cache: BaseCache[Any], pdf_skills: Path) -> None:
    class Named(ScriptedReasoner):
        def __init__(self, identity: str) -> None:
            super().__init__({"pdf-merge": 90.0})
            self.identity = identity

    first, second, third = Named("a"), Named("a"), Named("b")
    for reasoner in (first, second, third):
        run(build_selector(reasoner=reasoner, cache=cache), start(pdf_skills))
    assert [len(one.analyses) for one in (first, second, third)] == [1, 0, 1]


@pytest.mark.parametrize("options", [{"cache": "memory"}, {"cache_ttl": 5}, {"cache": InMemoryCache(), "cache_ttl": 0}])
def test_what_is_no_cache_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="cache"):
        build_selector(**options)


class Parent(TypedDict, total=False):
    task: str
    skill_directory: str
    outcome: str
    analysis: dict[str, Any]
    selector_trace: Annotated[list[TraceEntry], operator.add]


def test_inside_a_parent_with_a_checkpointer_it_works_too(run: Run, cache: BaseCache[Any], pdf_skills: Path) -> None:
    model = CountingModel()
    builder = StateGraph(Parent)
    builder.add_node("select", build_selector(llm=model.llm, cache=cache))
    builder.add_edge(START, "select")
    builder.add_edge("select", END)
    parent = builder.compile(checkpointer=InMemorySaver())
    for number in range(3):
        result = run(parent, start(pdf_skills), config={"configurable": {"thread_id": str(number)}})
        assert result["outcome"] == "hit"
        assert result["analysis"]["intent"] == ANALYSIS["intent"]
    assert len(model.analyses) == 1
