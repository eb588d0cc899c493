"""The Python calls, sync and async, with own parts."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import skill_selector
from skill_selector import SkillSelection, aselect_skill, select_skill
from skill_selector.graph.errors import SettingError, SkillDirectoryError, TaskError
from skill_selector.reasoners.scripted import ScriptedReasoner
from skill_selector.testing import ScriptedChatModel

TASK = "merge PDF files and chart CSV tables"
TIE = {"pdf-merge": 80.0, "csv-chart": 75.0}

Select = Callable[..., SkillSelection]


def select_async(*arguments: Any, **options: Any) -> SkillSelection:
    return asyncio.run(aselect_skill(*arguments, **options))


def select_in_a_running_loop(*arguments: Any, **options: Any) -> SkillSelection:
    async def cell() -> SkillSelection:
        return select_skill(*arguments, **options)

    return asyncio.run(cell())


@pytest.fixture(params=[select_skill, select_async, select_in_a_running_loop], ids=["sync", "async", "in a loop"])
def select(request: pytest.FixtureRequest) -> Select:
    """Select by the sync call, the async call, and the sync call where a loop is running, as in a notebook."""
    half: Select = request.param
    return half


def test_a_task_and_a_folder_are_enough(select: Select, pdf_skills: Path) -> None:
    selection = select("merge two PDF files into one document", str(pdf_skills))
    assert selection.hit
    assert selection.best is not None
    assert selection.best["id"] == "pdf-merge"
    assert selection.skill_path == str(pdf_skills / "pdf-merge")


def test_folders_may_be_paths_one_or_several(select: Select, pdf_skills: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    for directories in (pdf_skills, [pdf_skills], (tmp_path / "other", str(pdf_skills))):
        assert select("merge two PDF files into one document", directories, offline=True).hit


def test_a_chinese_task_finds_the_chinese_skill(select: Select, pdf_skills: Path) -> None:
    selection = select("把昨天的会议录音整理成纪要,列出待办事项", pdf_skills, offline=True)
    assert selection.ranked[0]["skill"]["id"] == "meeting-notes"


def test_settings_go_in_by_name(select: Select, pdf_skills: Path) -> None:
    selection = select(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE), top_k=1, hit_threshold=70, min_gap=5)
    assert selection.hit
    assert len(selection.ranked) == 1


def test_a_setting_that_does_not_exist_is_refused(select: Select, pdf_skills: Path) -> None:
    with pytest.raises(SettingError, match="did you mean top_k"):
        select(TASK, pdf_skills, topk=3)


def test_offline_contradicts_a_model(select: Select, pdf_skills: Path) -> None:
    with pytest.raises(SettingError, match="contradict"):
        select(TASK, pdf_skills, offline=True, reasoner="llm")
    with pytest.raises(SettingError, match="contradict"):
        select(TASK, pdf_skills, offline=True, llm=ScriptedChatModel([]))


@pytest.mark.parametrize("task", ["", "  ", None, 3])
def test_a_task_that_says_nothing_is_refused(select: Select, pdf_skills: Path, task: Any) -> None:
    with pytest.raises(TaskError, match="task"):
        select(task, pdf_skills, offline=True)


def test_a_folder_that_is_not_there_is_refused(select: Select, tmp_path: Path) -> None:
    with pytest.raises(SkillDirectoryError, match="gone"):
        select(TASK, tmp_path / "gone", offline=True)


def test_ask_decides_a_tie(select: Select, pdf_skills: Path) -> None:
    questions: list[dict[str, Any]] = []

    def ask(question: dict[str, Any]) -> str:
        questions.append(question)
        return "csv-chart"

    selection = select(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE), ask=ask)
    assert (selection.decided_by, selection.best and selection.best["id"]) == ("human", "csv-chart")
    assert len(questions) == 1


def test_ask_may_refuse(select: Select, pdf_skills: Path) -> None:
    selection = select(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE), ask=lambda _question: None)
    assert (selection.outcome, selection.reason) == ("no_match", "declined")


def test_the_headline_after_a_choice_is_about_the_chosen_skill(pdf_skills: Path) -> None:
    chosen = select_skill(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE), ask=lambda _question: "csv-chart")
    assert chosen.headline == "csv-chart: score 75, chosen by a human"
    declined = select_skill(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE), ask=lambda _question: None)
    assert declined.headline == "no skill chosen: a human declined (best score 80)"


def test_an_end_of_input_is_no_answer(select: Select, pdf_skills: Path) -> None:
    def ask(_question: dict[str, Any]) -> str:
        raise EOFError

    selection = select(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE), ask=ask)
    assert (selection.outcome, selection.reason, selection.decided_by) == ("ambiguous", "gap_too_small", "score")
    assert [one["skill"]["id"] for one in selection.ranked][:2] == ["pdf-merge", "csv-chart"]


@pytest.mark.parametrize("directories", [None, 1, [], [None], [["x"]], b"/x", [b"/x"], {"a": 1}, ""])
def test_what_is_no_folder_is_refused(select: Select, directories: Any) -> None:
    with pytest.raises(SkillDirectoryError, match=r"path|given"):
        select(TASK, directories, offline=True)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"reasoner": 5}, "5 is no reasoner"),
        ({"ask": 5}, "ask=5 cannot be called"),
        ({"progress": 5}, "progress=5 cannot be called"),
        ({"on_ambiguous": "xx"}, "on_ambiguous is 'xx'"),
        ({"on_ambiguous": "report", "ask": lambda _question: None}, "contradict"),
        ({"on_ambiguous": "ASK"}, "pass `ask`"),
        ({"offline": True, "reasoner": ScriptedReasoner()}, "contradict"),
    ],
)
def test_an_argument_that_cannot_be_used_is_refused(
    select: Select, pdf_skills: Path, options: dict[str, Any], fault: str
) -> None:
    with pytest.raises(SettingError, match=fault):
        select(TASK, pdf_skills, **options)


@pytest.mark.parametrize("answer", ["zzz", 1, "merge-pdf", " pdf-merge ", ["pdf-merge"], ""])
def test_an_answer_that_was_not_offered_is_an_error_not_an_endless_question(
    select: Select, pdf_skills: Path, answer: Any
) -> None:
    with pytest.raises(SettingError, match="csv-chart"):
        select(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE), ask=lambda _question: answer)


def test_ask_may_be_async_in_the_async_call_only(pdf_skills: Path) -> None:
    async def ask(question: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        return str(question["candidates"][0]["id"])

    assert select_async(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE), ask=ask).hit
    with pytest.raises(SettingError, match="aselect_skill"):
        select_skill(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE), ask=ask)


def test_asking_without_anybody_to_ask_is_refused(select: Select, pdf_skills: Path) -> None:
    with pytest.raises(SettingError, match="pass `ask`"):
        select(TASK, pdf_skills, on_ambiguous="ask")


def test_progress_is_told_of_every_skill(select: Select, pdf_skills: Path) -> None:
    told: list[tuple[str, int]] = []
    select(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE), progress=lambda step, done: told.append((step, done)))
    assert ("scan", 3) in told


def test_an_edited_skill_counts_at_the_next_selection(
    select: Select, pdf_skills: Path, write_skill: Callable[..., Path]
) -> None:
    task = "knit a woollen scarf with cables"
    assert not select(task, pdf_skills, offline=True).hit
    write_skill("knit-scarf", "Knit a woollen scarf with cables, stitch by stitch.")
    assert select(task, pdf_skills, offline=True).ranked[0]["skill"]["id"] == "knit-scarf"


def test_the_async_call_leaves_the_loop_free(pdf_skills: Path) -> None:
    loop_threads: set[int] = set()

    class Watching(ScriptedReasoner):
        async def arank(self, request: Any) -> Any:
            loop_threads.add(threading.get_ident())
            return await super().arank(request)

        def rank(self, request: Any) -> Any:
            return super().rank(request)

    select_async(TASK, pdf_skills, reasoner=Watching(TIE))
    assert loop_threads == {threading.get_ident()}


def test_many_selections_at_once_do_not_mix(pdf_skills: Path) -> None:
    tasks = ["merge two PDF files into one document", "draw a bar chart from a CSV table"] * 4

    async def all_of_them() -> list[SkillSelection]:
        return await asyncio.gather(*(aselect_skill(task, pdf_skills, offline=True) for task in tasks))

    found = [one.ranked[0]["skill"]["id"] for one in asyncio.run(all_of_them())]
    assert found == ["pdf-merge", "csv-chart"] * 4


def test_the_result_prints_as_a_summary(pdf_skills: Path) -> None:
    text = str(select_skill(TASK, pdf_skills, reasoner=ScriptedReasoner({"pdf-merge": 90.0})))
    assert text.startswith("pdf-merge: score 90, 90 ahead")
    assert str(pdf_skills / "pdf-merge") in text


def test_the_summary_has_no_control_characters_of_a_stranger(pdf_skills: Path) -> None:
    selection = select_skill(TASK, pdf_skills, reasoner=ScriptedReasoner({"pdf-merge": 90.0}))
    skill = {**selection.ranked[0]["skill"], "id": "pdf\x1b[31m\nmerge", "name": "pdf\x1b]0;owned\a\nmerge"}
    ranked = [{**selection.ranked[0], "skill": skill}]
    text = str(replace(selection, ranked=ranked, best=skill))  # type: ignore[arg-type]
    assert not set("\x1b\a") & set(text)
    assert len(text.splitlines()) == 4
    assert "\n   90.0  pdf[31m merge  the script" in text


def test_the_result_is_json(pdf_skills: Path) -> None:
    selection = select_skill(TASK, pdf_skills, reasoner=ScriptedReasoner(TIE))
    assert json.loads(json.dumps(selection.to_dict())) == selection.to_dict()


def test_the_notebook_view_shows_the_candidates_and_escapes_what_strangers_wrote(
    skills_root: Path, write_skill: Callable[..., Path]
) -> None:
    write_skill("pdf-merge", "Merge PDF files <script>alert(1)</script> & more")
    html = select_skill(TASK, skills_root, reasoner=ScriptedReasoner({"pdf-merge": 90.0}))._repr_html_()
    assert "pdf-merge" in html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_the_notebook_view_works_for_every_outcome(pdf_skills: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for scores, folder in ((TIE, pdf_skills), ({}, pdf_skills), ({}, tmp_path / "empty")):
        selection = select_skill(TASK, folder, reasoner=ScriptedReasoner(scores))
        assert selection.outcome in selection._repr_html_()


def test_the_front_door_names_what_it_has_and_nothing_heavy_loads_before_it_is_used() -> None:
    assert set(skill_selector.__all__) <= set(dir(skill_selector))
    for name in skill_selector.__all__:
        assert getattr(skill_selector, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = skill_selector.no_such_name
    code = (
        "import sys, skill_selector, skill_selector.cli; "
        "print([m for m in sys.modules if m.startswith('lang') or m in {'numpy', 'rich', 'jieba'}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_jieba_is_loaded_for_chinese_only(pdf_skills: Path, skills_root: Path) -> None:
    (skills_root / "meeting-notes" / "SKILL.md").unlink()
    code = (
        "import sys, skill_selector; skill_selector.select_skill(sys.argv[1], sys.argv[2], offline=True); "
        "print([name for name in ('jieba', 'opencc') if name in sys.modules])"
    )
    for task, loaded in (("merge PDF files", "[]"), ("合併檔案", "['jieba', 'opencc']")):
        done = subprocess.run(
            [sys.executable, "-c", code, task, str(pdf_skills)], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == loaded
