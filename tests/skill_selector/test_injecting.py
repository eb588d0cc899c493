"""From folders to what goes into a prompt: by Python and by the command."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector import askill_catalog, askill_tools, skill_catalog, skill_tools
from skill_selector.cli import main
from skill_selector.graph.errors import SettingError

TASK = "merge two PDF files into one document"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], pdf_skills: Path) -> Run:
    """Return a function that runs `catalog` over three skills and returns exit status, stdout and stderr."""

    def catalog(*arguments: str) -> tuple[int, str, str]:
        status = main(["catalog", "--skills", str(pdf_skills), *arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return catalog


def test_both_halves_give_the_same_with_and_without_a_task(pdf_skills: Path) -> None:
    for task in (None, "把会议录音整理成会议纪要"):
        options = {} if task is None else {"offline": True}
        made = skill_catalog(pdf_skills, task=task, **options)  # type: ignore[arg-type]
        assert asyncio.run(askill_catalog(pdf_skills, task=task, **options)) == made  # type: ignore[arg-type]
        assert made.skills == (("csv-chart", "meeting-notes", "pdf-merge") if task is None else ("meeting-notes",))
    assert [one.name for one in skill_tools(pdf_skills)] == ["load_skill", "read_skill_file"]
    assert len(asyncio.run(askill_tools(pdf_skills))) == 2


def test_options_of_a_choice_need_a_task(pdf_skills: Path) -> None:
    with pytest.raises(SettingError, match=r"'top_k' .* needs a task"):
        skill_catalog(pdf_skills, top_k=3)


def test_each_form_is_printed_with_its_figures_on_stderr(run: Run) -> None:
    for form, holds, misses in (
        ("full", "<description>", "<skill_content"),
        ("compact", "<location>", "<description>"),
        ("skill", "<skill_content", "<available_skills>"),
    ):
        status, out, err = run("--form", form)
        assert (status, holds in out, misses in out) == (0, True, False)
        assert f"{form}: 3 skills, {len(out) - 1:,} characters, about " in err


def test_a_task_narrows_to_what_is_chosen_in_every_form(run: Run) -> None:
    for form in ("auto", "skill"):
        _, out, _ = run("--task", TASK, "--offline", "--form", form, "--json")
        made = json.loads(out)
        assert (made["outcome"], made["skills"]) == ("hit", ["pdf-merge"])
        assert {"form", "text", "characters", "tokens", "left_out", "cut"} <= set(made)


def test_skills_that_tie_are_all_put_in(
    run: Run, write_skill: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill("pdf-join", "Merge several PDF files into one document and reorder their pages, quickly.")
    monkeypatch.setenv("SELECTOR_MIN_GAP", "60")
    _, out, _ = run("--task", TASK, "--offline", "--json")
    made = json.loads(out)
    assert (made["outcome"], set(made["skills"])) == ("ambiguous", {"pdf-merge", "pdf-join"})


def test_where_nothing_fits_nothing_is_put_in(run: Run) -> None:
    status, out, err = run("--task", "tune my piano to 442 Hz", "--offline")
    assert (status, out) == (1, "")
    assert "no skill fits" in err


def test_the_budget_is_kept_and_what_is_left_out_said(run: Run) -> None:
    _, out, err = run("--budget", "120", "--form", "compact", "--location", "id")
    assert "<left_out>" in out or "3 skills" in err
    assert "<location>pdf-merge</location>" in out or "<location>csv-chart</location>" in out


@pytest.mark.parametrize("wrong", [("--budget", "many"), ("--budget", "3"), ("--form", "x"), ("--location", "x")])
def test_a_wrong_option_is_one_clear_line(run: Run, wrong: tuple[str, str]) -> None:
    status, out, err = run(*wrong)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_a_skill_whose_deciding_words_stand_late_and_last_is_found_before_any_cut(
    tmp_path: Path, write_skill: Callable[..., Path]
) -> None:
    root = tmp_path / "many"
    filler = "Works through papers of an office in several careful and well documented steps. "
    for number in range(59):
        write_skill(f"office-{number:02}", f"{filler * 3}Topic {number}.", root=root)
    write_skill("zz-tax", f"{filler * 3}Fills in the quarterly VAT return and its annexes.", root=root)
    made = skill_catalog(root, task="fill in our quarterly VAT return", offline=True, budget=2000)
    assert made.skills == ("zz-tax",)
    assert "VAT return and its annexes." in made.text
