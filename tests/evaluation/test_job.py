"""Evaluation through the graph: the same whoever runs the tasks, and honest about what is doubtful."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from skill_selector import select_skill
from skill_selector.evaluation import Evaluation, evaluate, load_tasks, score
from skill_selector.evaluation.job import TASKS_A_PROCESS, fitting_processes
from skill_selector.evaluation.task import LabelledTask
from skill_selector.evaluation.worker import describe_strategy
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import EvaluationError, SettingError, SkillDirectoryError, TaskFileError
from skill_selector.reasoners.local import LocalReasoner
from skill_selector.reasoners.scripted import ScriptedReasoner
from skill_selector.retrievers.strategy import REACT, register_strategy
from skill_selector.testing import ScriptedChatModel

MakeTask = Callable[..., LabelledTask]
WriteSkill = Callable[..., Path]


def local(tasks: Sequence[LabelledTask], root: Path, **options: Any) -> Evaluation:
    return evaluate(tasks, root, offline=True, **{"processes": 1, **options})


def test_each_task_gets_what_select_skill_answers(pdf_tasks: list[LabelledTask], pdf_skills: Path) -> None:
    result = local(pdf_tasks, pdf_skills)
    for task, made in zip(pdf_tasks, result.predictions, strict=True):
        selection = select_skill(task.task, pdf_skills, offline=True)
        ids = [one["skill"]["id"] for one in selection.ranked]
        assert made["id"] == task.id
        assert (made["outcome"], made["top_score"]) == (selection.outcome, selection.top_score)
        assert made["best"] == (selection.best["id"] if selection.best else None)
        assert made["ranked"][: len(ids)] == ids
    assert result.figures == score(pdf_tasks, result.predictions)
    assert result.figures["match"]["hit@1"].mean == 1.0


def test_what_retrieval_brought_up_follows_what_was_ranked(
    make_task: MakeTask, skills_root: Path, write_skill: WriteSkill
) -> None:
    for number in range(9):
        write_skill(f"pdf-{number}", f"Merge PDF files, way {number}.")
    task = make_task("a", gold=["pdf-3"], task="merge PDF files")
    (run,) = local([task], skills_root, top_k=2).runs
    assert len(run["ranked"]) == 2
    assert len(run["prediction"]["ranked"]) == len(set(run["prediction"]["ranked"])) == 9


def test_the_number_of_processes_changes_nothing(pdf_tasks: list[LabelledTask], pdf_skills: Path) -> None:
    steps: list[tuple[str, int]] = []
    options: dict[str, Any] = {"top_k": 2, "hit_threshold": 1.0}
    alone = local(pdf_tasks, pdf_skills, **options)
    shared = local(pdf_tasks, pdf_skills, **options, processes=2, progress=lambda *step: steps.append(step))
    assert shared.predictions == alone.predictions
    assert shared.figures == alone.figures
    assert max(len(run["ranked"]) for run in shared.runs) == 2
    assert shared.predictions[0]["outcome"] == "hit"
    assert [done for step, done in steps if step == "evaluate"] == [1, 2, 3, 4, 5]


def test_workers_reason_locally_even_where_a_key_is_set(
    pdf_tasks: list[LabelledTask], pdf_skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASHSCOPE_API_KEY", "sk-any")
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9")
    result = evaluate(pdf_tasks[:2], pdf_skills, reasoner=LocalReasoner(), processes=2)
    assert (result.usage["calls"], result.warnings) == (0, ())
    assert result.predictions[0]["ranked"][0] == "pdf-merge"


def test_few_tasks_start_no_further_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: set(range(8)), raising=False)
    assert [fitting_processes(tasks) for tasks in (1, TASKS_A_PROCESS, 2 * TASKS_A_PROCESS, 10_000)] == [1, 1, 2, 8]


def test_tasks_can_come_from_a_file(pdf_skills: Path, write_tasks: Callable[..., Path]) -> None:
    row = {"id": "a", "lang": "zh", "kind": "match", "task": "整理会议纪要", "gold": [["meeting-notes"]]}
    result = local(load_tasks(write_tasks(row)), pdf_skills)
    assert result.predictions[0]["ranked"][0] == "meeting-notes"


def test_a_retriever_and_a_reasoner_of_ones_own_are_measured(pdf_tasks: list[LabelledTask], pdf_skills: Path) -> None:
    class Fixed(BaseRetriever):
        def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
            return [Document(name, metadata={"id": name}) for name in ("csv-chart", "pdf-merge", "meeting-notes")]

    result = evaluate(pdf_tasks, pdf_skills, offline=True, retriever=Fixed(), processes=2, top_k=1)
    assert {tuple(made["ranked"]) for made in result.predictions} == {("csv-chart", "pdf-merge", "meeting-notes")}
    judged = evaluate(pdf_tasks, pdf_skills, reasoner=ScriptedReasoner({"csv-chart": 90.0}), retriever=Fixed())
    assert {made["best"] for made in judged.predictions} == {"csv-chart"}
    assert judged.settings["reasoner"] == "scripted"


def test_a_strategy_that_is_registered_here_only_cannot_be_shared(
    pdf_tasks: list[LabelledTask], pdf_skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skill_selector.retrievers.strategy._registry", {"react": REACT})
    own = type(REACT)(name="react", routes=REACT.routes, post=(), take=2)
    register_strategy(own, replace=True)
    assert local(pdf_tasks, pdf_skills).predictions
    with pytest.raises(EvaluationError, match=r"'react' is not the same in a worker process.*processes=1"):
        local(pdf_tasks, pdf_skills, processes=2)
    assert describe_strategy(SelectorContext(strategy="own")) == ""


def test_gold_that_cannot_be_chosen_is_a_warning_at_once(
    make_task: MakeTask, pdf_skills: Path, write_skill: WriteSkill
) -> None:
    write_skill("release", "Cut a release.", **{"disable-model-invocation": "true"})
    tasks = [make_task(f"t{number}", gold=[(f"gone-{number}", "lost")]) for number in range(4)]
    said: list[str] = []
    result = local([*tasks, make_task("m", gold=["release"])], pdf_skills, warn=said.append)
    unknown, manual = result.warnings
    assert unknown.startswith("5 gold ids, of 4 tasks, are not in the catalogue: gone-0, lost, gone-1 and 2 more")
    assert manual.startswith("1 gold ids, of 1 tasks, are of skills that their authors keep out")
    assert said == list(result.warnings)
    (alone,) = local(tasks, pdf_skills).warnings
    assert "paths below the scanned folder, such as csv-chart" in alone
    assert local([make_task("a", gold=["pdf-merge"])], pdf_skills).warnings == ()


def test_tasks_in_which_the_model_failed_are_counted(pdf_tasks: list[LabelledTask], pdf_skills: Path) -> None:
    model = ScriptedChatModel(lambda _messages: TimeoutError("too slow"))
    result = evaluate(pdf_tasks, pdf_skills, llm=model, concurrency=2)
    assert result.warnings
    assert "of 5 tasks model failed" in result.warnings[0]
    assert result.predictions[0]["ranked"][0] == "pdf-merge"


def test_it_works_inside_a_running_event_loop(pdf_tasks: list[LabelledTask], pdf_skills: Path) -> None:
    async def notebook() -> Evaluation:
        return evaluate(pdf_tasks, pdf_skills, reasoner=ScriptedReasoner({"pdf-merge": 90.0}))

    assert asyncio.run(notebook()).predictions[0]["best"] == "pdf-merge"


@pytest.mark.parametrize("name", ["processes", "concurrency"])
@pytest.mark.parametrize("value", [0, -1, "two", "", 1.5, True, 1000])
def test_a_number_that_cannot_be_used_is_named(
    pdf_tasks: list[LabelledTask], pdf_skills: Path, name: str, value: Any
) -> None:
    with pytest.raises(SettingError, match=f"{name} is {value!r}: it must be a whole number from 1 to"):
        evaluate(pdf_tasks, pdf_skills, offline=True, **{name: value})


def test_what_makes_no_sense_is_refused_before_anything_runs(
    pdf_tasks: list[LabelledTask], pdf_skills: Path, tmp_path: Path
) -> None:
    with pytest.raises(TaskFileError, match="no task to evaluate"):
        local([], pdf_skills)
    with pytest.raises(TaskFileError, match="'a' is that of several tasks"):
        local([pdf_tasks[0]] * 2, pdf_skills)
    with pytest.raises(SettingError, match="nobody is there"):
        local(pdf_tasks, pdf_skills, on_ambiguous="ask")
    with pytest.raises(SettingError, match="contradict"):
        evaluate(pdf_tasks, pdf_skills, offline=True, reasoner="llm")
    with pytest.raises(SettingError, match="did you mean top_k"):
        local(pdf_tasks, pdf_skills, topk=3)
    with pytest.raises(SkillDirectoryError, match="gone"):
        local(pdf_tasks, tmp_path / "gone")


def test_an_empty_folder_is_refused_for_every_task(pdf_tasks: list[LabelledTask], skills_root: Path) -> None:
    result = local(pdf_tasks, skills_root)
    assert {(made["outcome"], len(made["ranked"])) for made in result.predictions} == {("no_match", 0)}


def test_settings_are_shown_without_secrets(
    pdf_tasks: list[LabelledTask], pdf_skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASHSCOPE_API_KEY", "sk-secret")
    monkeypatch.setenv("LLM_BASE_URL", "https://user:sk-secret@models.example/v1")
    model = ScriptedChatModel(lambda _messages: TimeoutError("slow"))
    with_model = evaluate(pdf_tasks, pdf_skills, llm=model).settings
    assert (with_model["llm_host"], with_model["llm_model"]) == ("models.example", "glm-5.2")
    assert "secret" not in str(with_model)
    alone = local(pdf_tasks, pdf_skills, top_k="7").settings
    assert (alone["top_k"], alone["reasoner"]) == (7, "local")
    assert not [name for name in alone if name.startswith("llm")]


def test_the_result_reads_well(pdf_tasks: list[LabelledTask], pdf_skills: Path) -> None:
    result = local(pdf_tasks, pdf_skills)
    assert "match           hit@1       1.000" in str(result)
    assert "<td>right_hit</td>" in result._repr_html_()
    data = result.to_dict()
    assert set(data) == {"tasks", "figures", "seconds", "usage", "warnings", "settings", "catalog"}
    assert data["figures"]["match"]["hit@1"] == {
        "mean": 1.0,
        "low": pytest.approx(0.4385, abs=1e-4),
        "high": 1.0,
        "n": 3,
    }
