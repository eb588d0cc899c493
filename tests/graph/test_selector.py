"""The selector graph with a scripted reasoner: loop, bound, reset, question, outcomes, trace."""

import asyncio
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import ReasonerError, SettingError, SkillDirectoryError, TaskError
from skill_selector.graph.records import TaskAnalysis
from skill_selector.graph.selector import SelectorGraph, build_selector, wire
from skill_selector.graph.state import SelectorOutput
from skill_selector.nodes.parts import Parts
from skill_selector.reasoners.base import AnalysisRequest, RankReply, RankRequest
from skill_selector.reasoners.scripted import ScriptedReasoner
from skill_selector.retrievers.library import LibraryCache
from skill_selector.testing import ScriptedChatModel

TASK = "merge PDF files, chart CSV tables, write 会议纪要"
"""Shares words with every skill of `pdf_skills`."""

TIE = {"pdf-merge": 80.0, "csv-chart": 75.0}
CLEAR = {"pdf-merge": 90.0, "csv-chart": 40.0}

Run = Callable[..., dict[str, Any]]


def run_sync(selector: SelectorGraph, given: Any, **options: Any) -> dict[str, Any]:
    result: dict[str, Any] = selector.invoke(given, **options)
    return result


def run_async(selector: SelectorGraph, given: Any, **options: Any) -> dict[str, Any]:
    return asyncio.run(selector.ainvoke(given, **options))


@pytest.fixture(params=[run_sync, run_async], ids=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    """Run a graph to its end, once through `invoke` and once through `ainvoke`."""
    runner: Run = request.param
    return runner


def start(root: Path, task: str = TASK) -> Any:
    return {"task": task, "skill_directory": str(root)}


def thread(name: str = "t") -> RunnableConfig:
    return {"configurable": {"thread_id": name}}


def test_a_clear_winner_is_a_hit_after_one_round(run: Run, pdf_skills: Path) -> None:
    reasoner = ScriptedReasoner(CLEAR)
    result = run(build_selector(reasoner=reasoner), start(pdf_skills))
    assert (result["outcome"], result["hit"], result["reason"], result["decided_by"]) == (
        "hit",
        True,
        "clear_winner",
        "score",
    )
    assert result["best"]["id"] == "pdf-merge"
    assert result["skill_path"] == str(pdf_skills / "pdf-merge")
    assert [one["id"] for one in result["selected"]] == ["pdf-merge"]
    assert (result["top_score"], result["score_gap"]) == (90, 50)
    assert [one["skill"]["id"] for one in result["ranked"]] == ["pdf-merge", "csv-chart", "meeting-notes"]
    assert len(reasoner.analyses) == 1


def test_the_output_holds_exactly_the_keys_of_its_schema(run: Run, pdf_skills: Path) -> None:
    result = run(build_selector(reasoner=ScriptedReasoner(CLEAR)), start(pdf_skills))
    assert set(result) == set(SelectorOutput.__annotations__)


def test_a_score_below_the_threshold_is_no_match(run: Run, pdf_skills: Path) -> None:
    result = run(build_selector(reasoner=ScriptedReasoner({"pdf-merge": 59.0})), start(pdf_skills))
    assert (result["outcome"], result["reason"], result["best"]) == ("no_match", "below_threshold", None)
    assert result["selected"] == []
    assert result["skill_path"] is None


def test_threshold_and_gap_are_reached_at_their_very_value(run: Run, pdf_skills: Path) -> None:
    result = run(build_selector(reasoner=ScriptedReasoner({"pdf-merge": 60.0, "csv-chart": 50.0})), start(pdf_skills))
    assert result["outcome"] == "hit"


def test_a_gap_too_small_is_analysed_again_with_what_tied(run: Run, pdf_skills: Path) -> None:
    reasoner = ScriptedReasoner(TIE, CLEAR)
    result = run(build_selector(reasoner=reasoner), start(pdf_skills))
    assert (result["outcome"], result["best"]["id"]) == ("hit", "pdf-merge")
    assert [one.attempt for one in reasoner.analyses] == [1, 2]
    assert [one["skill"]["id"] for one in reasoner.analyses[1].tied] == ["pdf-merge", "csv-chart"]
    assert reasoner.analyses[0].previous is None
    assert reasoner.analyses[1].previous == reasoner.rankings[0].analysis


def test_a_tie_that_stays_is_ambiguous_and_chooses_nobody(run: Run, pdf_skills: Path) -> None:
    result = run(build_selector(reasoner=ScriptedReasoner(TIE)), start(pdf_skills))
    assert (result["outcome"], result["reason"], result["best"]) == ("ambiguous", "gap_too_small", None)
    assert (result["top_score"], result["score_gap"]) == (80, 5)


@pytest.mark.parametrize("attempts", [1, 2, 4])
def test_analyses_never_exceed_max_attempts(run: Run, pdf_skills: Path, attempts: int) -> None:
    rounds = [{"pdf-merge": 80.0, "csv-chart": 75.0 - number / 2} for number in range(6)]
    reasoner = ScriptedReasoner(*rounds)
    run(build_selector(reasoner=reasoner), start(pdf_skills), context=SelectorContext(max_attempts=attempts))
    assert len(reasoner.analyses) == attempts


def test_a_round_that_changes_nothing_ends_the_loop(run: Run, pdf_skills: Path) -> None:
    reasoner = ScriptedReasoner(TIE)
    run(build_selector(reasoner=reasoner), start(pdf_skills), context=SelectorContext(max_attempts=10))
    assert len(reasoner.analyses) == 2


def test_a_round_that_says_the_same_in_other_words_ends_the_loop_too(run: Run, pdf_skills: Path) -> None:
    class Talkative(ScriptedReasoner):
        def rank(self, request: RankRequest) -> RankReply:
            reply = super().rank(request)
            reworded = (replace(one, reason=f"look {request.attempt}: {one.reason}") for one in reply.judgements)
            return replace(reply, judgements=tuple(reworded))

    reasoner = Talkative(TIE)
    run(build_selector(reasoner=reasoner), start(pdf_skills), context=SelectorContext(max_attempts=10))
    assert len(reasoner.analyses) == 2


def test_a_low_recursion_limit_ends_the_loop_and_is_reported(run: Run, pdf_skills: Path) -> None:
    reasoner = ScriptedReasoner(TIE, CLEAR)
    result = run(build_selector(reasoner=reasoner), start(pdf_skills), config={"recursion_limit": 5})
    assert result["outcome"] == "ambiguous"
    assert len(reasoner.analyses) == 1
    assert [one["what"] for one in result["degraded"]] == ["another analysis"]


@pytest.mark.parametrize("limit", range(5, 12))
def test_no_recursion_limit_from_five_on_breaks_a_run(pdf_skills: Path, limit: int) -> None:
    rounds = [{"pdf-merge": 80.0, "csv-chart": 75.0 - number / 10} for number in range(6)]
    selector = build_selector(reasoner=ScriptedReasoner(*rounds), checkpointer=InMemorySaver())
    context = SelectorContext(max_attempts=4, on_ambiguous="ask")
    config: RunnableConfig = {**thread(), "recursion_limit": limit}
    result = selector.invoke(start(pdf_skills), config, context=context)
    assert result["outcome"] == "ambiguous"


@pytest.mark.parametrize(
    ("rounds", "gap"),
    [
        ([{"pdf-merge": 80.0, "csv-chart": 75.0}, {"pdf-merge": 80.0, "csv-chart": 77.0}], 5),
        ([{"pdf-merge": 80.0, "csv-chart": 77.0}, {"pdf-merge": 80.0, "csv-chart": 75.0}], 5),
        ([{"pdf-merge": 80.0, "csv-chart": 75.0}, {"pdf-merge": 30.0, "csv-chart": 2.0}], 5),
    ],
)
def test_the_best_round_stands_not_the_last(
    run: Run, pdf_skills: Path, rounds: list[dict[str, float]], gap: float
) -> None:
    result = run(build_selector(reasoner=ScriptedReasoner(*rounds)), start(pdf_skills))
    assert (result["outcome"], result["score_gap"]) == ("ambiguous", gap)


def test_a_second_task_on_the_same_thread_forgets_the_first(run: Run, pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(CLEAR), checkpointer=InMemorySaver())
    first = run(selector, start(pdf_skills), config=thread())
    assert first["hit"]
    nothing = build_selector(reasoner=ScriptedReasoner({}), checkpointer=selector.checkpointer)
    second = run(nothing, start(pdf_skills, "knit a scarf"), config=thread())
    assert (second["outcome"], second["best"], second["selected"]) == ("no_match", None, [])
    assert [one["step"] for one in second["selector_trace"]] == ["scan", "analyze", "retrieve", "rank"]


def test_a_thread_serves_a_next_task_that_comes_as_messages_only(run: Run, pdf_skills: Path) -> None:
    reasoner = ScriptedReasoner(CLEAR)
    selector = build_selector(reasoner=reasoner, checkpointer=InMemorySaver())
    run(selector, start(pdf_skills, "first task"), config=thread())
    run(selector, {"messages": [HumanMessage("second task")]}, config=thread())
    assert [one.task for one in reasoner.analyses] == ["first task", "second task"]


def test_a_next_run_without_a_task_is_refused_not_answered_with_the_last_one(run: Run, pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(CLEAR), checkpointer=InMemorySaver())
    run(selector, {"messages": [HumanMessage("a task")], "skill_directory": str(pdf_skills)}, config=thread())
    with pytest.raises(TaskError):
        run(selector, {"skill_directory": str(pdf_skills)}, config=thread())


@pytest.mark.parametrize(
    "messages",
    [
        [HumanMessage("old"), AIMessage("yes?"), HumanMessage("merge PDF files"), AIMessage("working on it")],
        [{"role": "user", "content": "merge PDF files"}, {"role": "assistant", "content": "ok"}],
        [{"type": "human", "content": [{"type": "text", "text": "merge PDF files"}]}],
        [("human", "merge PDF files")],
        HumanMessage("merge PDF files"),
    ],
)
def test_the_last_human_message_is_the_task(pdf_skills: Path, messages: Any) -> None:
    reasoner = ScriptedReasoner(CLEAR)
    build_selector(reasoner=reasoner).invoke({"messages": messages, "skill_directory": str(pdf_skills)})
    assert reasoner.analyses[0].task == "merge PDF files"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"task": ""},
        {"task": " \n "},
        {"task": 7},
        {"messages": []},
        {"messages": [AIMessage("hello")]},
        {"messages": [{"content": "nobody said it"}]},
        {"messages": [HumanMessage("  ")]},
    ],
)
def test_input_without_a_task_is_refused(run: Run, pdf_skills: Path, given: dict[str, Any]) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(CLEAR))
    with pytest.raises(TaskError, match="task"):
        run(selector, {**given, "skill_directory": str(pdf_skills)})


@pytest.mark.parametrize("given", [{}, {"skill_directory": ""}, {"skill_directory": []}, {"skill_directory": [3]}])
def test_input_without_a_folder_is_refused(run: Run, given: dict[str, Any]) -> None:
    with pytest.raises(SkillDirectoryError, match="skill_directory"):
        run(build_selector(reasoner=ScriptedReasoner()), {**given, "task": TASK})


def test_a_missing_folder_is_an_exception_that_names_it(run: Run, tmp_path: Path) -> None:
    with pytest.raises(SkillDirectoryError, match="no-such-folder"):
        run(build_selector(reasoner=ScriptedReasoner()), start(tmp_path / "no-such-folder"))


def test_an_unknown_strategy_is_refused_before_anything_is_scanned(run: Run, pdf_skills: Path) -> None:
    with pytest.raises(SettingError, match="react"):
        run(
            build_selector(reasoner=ScriptedReasoner()),
            start(pdf_skills),
            context=SelectorContext(strategy="magic"),
        )


def test_an_empty_folder_is_no_match_without_asking_anybody(run: Run, skills_root: Path) -> None:
    reasoner = ScriptedReasoner(CLEAR)
    result = run(build_selector(reasoner=reasoner), start(skills_root))
    assert (result["outcome"], result["reason"], result["ranked"]) == ("no_match", "empty_catalog", [])
    assert reasoner.analyses == []


def test_skills_that_only_a_human_may_start_are_never_candidates(
    run: Run, skills_root: Path, write_skill: Callable[..., Path]
) -> None:
    write_skill("pdf-merge", "Merge PDF files.", **{"disable-model-invocation": "true"})
    result = run(build_selector(reasoner=ScriptedReasoner(CLEAR)), start(skills_root))
    assert (result["outcome"], result["reason"]) == ("no_match", "empty_catalog")


def test_a_human_is_asked_and_the_answer_is_a_hit(run: Run, pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(TIE), checkpointer=InMemorySaver())
    context = SelectorContext(on_ambiguous="ask")
    asked = run(selector, start(pdf_skills), config=thread(), context=context)
    question = asked["__interrupt__"][0].value
    assert [one["id"] for one in question["candidates"]] == ["pdf-merge", "csv-chart"]
    result = run(selector, Command(resume="csv-chart"), config=thread(), context=context)
    assert (result["outcome"], result["reason"], result["decided_by"]) == ("hit", "chosen", "human")
    assert result["best"]["id"] == "csv-chart"
    assert result["skill_path"] == str(pdf_skills / "csv-chart")


def test_a_human_who_wants_none_of_them_makes_it_no_match(run: Run, pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(TIE), checkpointer=InMemorySaver())
    context = SelectorContext(on_ambiguous="ask")
    run(selector, start(pdf_skills), config=thread(), context=context)
    result = run(selector, Command(resume="none"), config=thread(), context=context)
    assert (result["outcome"], result["reason"], result["decided_by"]) == ("no_match", "declined", "human")
    assert result["best"] is None


@pytest.mark.parametrize("nonsense", ["meeting-notes", "no-such-skill", 1, {"id": "pdf-merge"}, ["pdf-merge"]])
def test_an_answer_that_was_not_offered_is_asked_again(run: Run, pdf_skills: Path, nonsense: Any) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(TIE), checkpointer=InMemorySaver())
    context = SelectorContext(on_ambiguous="ask")
    run(selector, start(pdf_skills), config=thread(), context=context)
    again = run(selector, Command(resume=nonsense), config=thread(), context=context)
    assert "neither" in again["__interrupt__"][0].value["error"]
    result = run(selector, Command(resume="pdf-merge"), config=thread(), context=context)
    assert result["best"]["id"] == "pdf-merge"


def test_a_candidate_that_has_gone_since_the_question_cannot_be_chosen(run: Run, pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(TIE), checkpointer=InMemorySaver())
    context = SelectorContext(on_ambiguous="ask")
    run(selector, start(pdf_skills), config=thread(), context=context)
    shutil.rmtree(pdf_skills / "csv-chart")
    again = run(selector, Command(resume="csv-chart"), config=thread(), context=context)
    question = again["__interrupt__"][0].value
    assert [one["id"] for one in question["candidates"]] == ["pdf-merge"]
    assert "csv-chart" in question["error"]


@pytest.mark.parametrize("limit", range(6, 13))
def test_another_analysis_never_takes_the_step_that_the_question_needs(pdf_skills: Path, limit: int) -> None:
    rounds = [{"pdf-merge": 80.0, "csv-chart": 75.0 - number / 10} for number in range(6)]
    selector = build_selector(reasoner=ScriptedReasoner(*rounds), checkpointer=InMemorySaver())
    context = SelectorContext(max_attempts=3, on_ambiguous="ask")
    config: RunnableConfig = {**thread(), "recursion_limit": limit}
    assert "__interrupt__" in selector.invoke(start(pdf_skills), config, context=context)


def test_a_candidate_that_has_gone_after_a_restart_is_left_out(pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(CLEAR), checkpointer=InMemorySaver())
    selector.invoke(start(pdf_skills), thread(), interrupt_before=["rank"])
    shutil.rmtree(pdf_skills / "csv-chart")
    restarted = wire(Parts(reasoner=ScriptedReasoner(CLEAR), libraries=LibraryCache()), selector.checkpointer)
    result = restarted.invoke(None, thread())
    assert [one["skill"]["id"] for one in result["ranked"]] == ["pdf-merge", "meeting-notes"]


def test_a_task_whose_run_failed_does_not_stand_in_for_the_next(run: Run, pdf_skills: Path, tmp_path: Path) -> None:
    reasoner = ScriptedReasoner(CLEAR)
    selector = build_selector(reasoner=reasoner, checkpointer=InMemorySaver())
    with pytest.raises(SkillDirectoryError):
        run(selector, start(tmp_path / "gone", "bake bread"), config=thread())
    run(selector, {"messages": [HumanMessage("second task")], "skill_directory": str(pdf_skills)}, config=thread())
    with pytest.raises(SkillDirectoryError):
        run(
            selector,
            {"messages": [HumanMessage("third")], "skill_directory": str(tmp_path / "gone")},
            config=thread(),
        )
    run(selector, start(pdf_skills, "fourth task"), config=thread())
    assert [one.task for one in reasoner.analyses] == ["second task", "fourth task"]


def test_a_run_under_way_has_no_outcome_yet(pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(CLEAR))
    outcomes = [one.get("outcome") for one in selector.stream(start(pdf_skills), stream_mode="values")]
    assert outcomes == [None, None, None, None, "hit"]


def test_half_characters_of_another_encoding_do_no_harm(run: Run, pdf_skills: Path) -> None:
    result = run(build_selector(context=SelectorContext(reasoner="local")), start(pdf_skills, "合并 \udcff PDF 文件"))
    assert result["outcome"] in {"hit", "no_match", "ambiguous"}


@pytest.mark.parametrize("task", ["😀", "???", "……"])
def test_a_task_without_a_word_has_nothing_in_common_with_any_skill(pdf_skills: Path, task: str) -> None:
    result = build_selector(context=SelectorContext(reasoner="local")).invoke(start(pdf_skills, task))
    assert (result["outcome"], result["reason"], result["top_score"]) == ("no_match", "no_overlap", 0)


def test_settings_of_the_builder_hold_where_the_run_sets_none(run: Run, pdf_skills: Path) -> None:
    selector = build_selector(
        reasoner=ScriptedReasoner({"pdf-merge": 50.0}), context=SelectorContext(hit_threshold=45, top_k=2)
    )
    assert run(selector, start(pdf_skills))["hit"]
    result = run(selector, start(pdf_skills), context=SelectorContext(hit_threshold=55))
    assert not result["hit"]
    assert len(result["ranked"]) == 2


def test_a_threshold_of_zero_does_not_make_a_score_of_zero_a_hit(run: Run, pdf_skills: Path) -> None:
    context = SelectorContext(hit_threshold=0, min_gap=0)
    result = run(build_selector(reasoner=ScriptedReasoner({})), start(pdf_skills), context=context)
    assert result["outcome"] == "no_match"


def test_the_trace_has_one_entry_a_step_with_round_and_time(run: Run, pdf_skills: Path) -> None:
    result = run(build_selector(reasoner=ScriptedReasoner(TIE, CLEAR)), start(pdf_skills))
    steps = [(one["step"], one["round"]) for one in result["selector_trace"]]
    assert steps == [
        ("scan", 0),
        ("analyze", 1),
        ("retrieve", 1),
        ("rank", 1),
        ("analyze", 2),
        ("retrieve", 2),
        ("rank", 2),
    ]
    assert all(one["seconds"] >= 0 and one["started"].endswith("+00:00") for one in result["selector_trace"])
    assert result["selector_trace"][2]["output"]["candidates"][0]["routes"]


def test_every_step_of_a_run_can_be_read_back_from_its_checkpoints(pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(TIE, CLEAR), checkpointer=InMemorySaver())
    selector.invoke(start(pdf_skills), thread())
    history = list(selector.get_state_history(thread()))
    nexts = [one.next for one in reversed(history)]
    assert nexts == [
        ("__start__",),
        ("scan",),
        ("analyze",),
        ("retrieve",),
        ("rank",),
        ("analyze",),
        ("retrieve",),
        ("rank",),
        (),
    ]


def test_the_state_is_plain_json_and_comes_back_from_a_checkpoint_as_it_went_in(pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(TIE, CLEAR), checkpointer=InMemorySaver())
    result = selector.invoke(start(pdf_skills), thread())
    values = selector.get_state(thread()).values
    assert json.loads(json.dumps(values)) == values
    assert {key: values[key] for key in result} == result


def test_a_model_that_failed_is_not_asked_again_in_its_task_but_in_the_next(
    run: Run, skills_root: Path, write_skill: Callable[..., Path]
) -> None:
    for name in ("one", "two"):
        write_skill(name, "Merge PDF files into one document.", f"Variant {name}.")
    asked: list[Any] = []

    def fail(messages: list[Any]) -> Exception:
        asked.append(messages)
        return TimeoutError("silent")

    selector = build_selector(llm=ScriptedChatModel(fail), checkpointer=InMemorySaver())
    given = start(skills_root, "merge PDF files into one document")
    for number in (1, 2):
        result = run(selector, given, config=thread())
        assert len(asked) == number
        (degraded,) = result["degraded"]
        assert (degraded["step"], degraded["round"], degraded["instead"]) == ("analyze", 1, "local")
        thought = [one for one in result["selector_trace"] if one["step"] in {"analyze", "rank"}]
        assert len(thought) == 4
        assert {one["input"]["reasoner"] for one in thought} == {"local"}


@pytest.mark.parametrize("step", ["analyze", "rank"])
def test_a_reasoner_that_returns_nothing_is_an_error_that_names_it(run: Run, pdf_skills: Path, step: str) -> None:
    class Empty(ScriptedReasoner):
        """Forgets to return what it found."""

        name = "forgetful"

    async def nothing(_request: Any) -> None:
        return None

    reasoner = Empty(CLEAR)
    setattr(reasoner, step, lambda _request: None)
    setattr(reasoner, f"a{step}", nothing)
    with pytest.raises(ReasonerError, match=f"the reasoner forgetful: `{step}` returned NoneType"):
        run(build_selector(reasoner=reasoner), start(pdf_skills))


def test_judgements_of_other_skills_are_an_error_of_the_reasoner(run: Run, pdf_skills: Path) -> None:
    class Partial(ScriptedReasoner):
        """Scores the first candidate only."""

        def rank(self, request: RankRequest) -> RankReply:
            return RankReply(judgements=super().rank(request).judgements[:1])

    with pytest.raises(ReasonerError, match="do not match the 3 candidates"):
        run(build_selector(reasoner=Partial(CLEAR)), start(pdf_skills))


def test_a_matcher_that_changes_its_analysis_does_not_change_the_run(run: Run, pdf_skills: Path) -> None:
    def match(analysis: Any, skills: Any, _options: Any) -> list[Any]:
        analysis["intent"] = "changed"
        analysis["keywords"].clear()
        return [(skill, 1.0) for skill in skills]

    result = run(build_selector(reasoner=ScriptedReasoner(CLEAR), retriever=match), start(pdf_skills))
    assert result["analysis"]["intent"] == TASK
    assert result["analysis"]["keywords"] == TASK.split()


@pytest.mark.parametrize("llm", ["gpt-4", 5, object()])
def test_a_model_that_is_none_is_refused_when_the_graph_is_built(llm: Any) -> None:
    with pytest.raises(SettingError, match=r"`llm` is .* BaseChatModel"):
        build_selector(llm=llm)


def test_schemas_show_their_fields() -> None:
    selector = build_selector()
    assert set(selector.get_input_jsonschema()["properties"]) == {"task", "messages", "skill_directory"}
    assert set(selector.get_output_jsonschema()["properties"]) == set(SelectorOutput.__annotations__)
    context = selector.get_context_jsonschema()
    assert context is not None
    assert context["properties"]["top_k"]["description"]


def test_studio_sees_the_steps_by_their_names() -> None:
    drawn = build_selector().get_graph()
    assert {"scan", "analyze", "retrieve", "rank", "confirm"} <= set(drawn.nodes)
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert {("rank", "analyze"), ("rank", "confirm"), ("rank", "__end__"), ("scan", "__end__")} <= edges


def test_the_builder_takes_its_settings_as_a_mapping_too(run: Run, pdf_skills: Path) -> None:
    selector = build_selector(reasoner=ScriptedReasoner(CLEAR), context={"top_k": 1})
    assert len(run(selector, start(pdf_skills))["ranked"]) == 1


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"context": {"topk": 1}}, "did you mean top_k"),
        ({"context": 5}, "context=5 is no SelectorContext"),
        ({"reasoner": 5}, "reasoner=5 is no reasoner"),
        ({"reasoner": "llm"}, "a name goes into the context"),
    ],
)
def test_the_builder_refuses_what_it_cannot_use(options: dict[str, Any], fault: str) -> None:
    with pytest.raises(SettingError, match=fault):
        build_selector(**options)


@pytest.mark.parametrize("given", [5, None, [], [None], b"/x", ""])
def test_a_skill_directory_that_is_no_path_is_refused(run: Run, given: Any) -> None:
    start_: Any = {"task": TASK, "skill_directory": given}
    with pytest.raises(SkillDirectoryError, match="`skill_directory`"):
        run(build_selector(reasoner=ScriptedReasoner(CLEAR)), start_)


def test_each_reason_step_is_told_how_long_those_before_it_took(run: Run, pdf_skills: Path) -> None:
    def slowly(request: AnalysisRequest) -> TaskAnalysis:
        time.sleep(0.05)
        words = request.task.split()
        return {"intent": request.task, "keywords": words, "constraints": [], "tech_stack": [], "when_to_use": ""}

    reasoner = ScriptedReasoner(TIE, CLEAR, analyze=slowly)

    run(build_selector(reasoner=reasoner), start(pdf_skills))

    asked: list[AnalysisRequest | RankRequest] = [
        reasoner.analyses[0],
        reasoner.rankings[0],
        reasoner.analyses[1],
        reasoner.rankings[1],
    ]
    told = [one.model_seconds for one in asked]
    assert told[0] == 0
    assert 0.05 <= told[1] <= told[2]
    assert told[3] >= told[2] + 0.05
