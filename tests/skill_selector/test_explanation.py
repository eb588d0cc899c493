"""Why a selection came out as it did: `select --explain --json`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector import select_skill
from skill_selector.cli import main
from skill_selector.explanation import explain

KEYS = {
    "outcome",
    "reason",
    "why",
    "decided_by",
    "strategy",
    "keywords",
    "thresholds",
    "top_score",
    "score_gap",
    "chosen",
    "candidates",
    "rounds",
    "degraded",
}


def test_a_hit_says_keywords_ranks_points_thresholds_and_why_others_lost(
    pdf_skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["select", "merge two PDF files", "--skills", str(pdf_skills), "--offline", "--explain", "--json"]
    assert main(arguments) == 0
    why = json.loads(capsys.readouterr().out)["explanation"]
    assert set(why) == KEYS
    assert why["thresholds"] == {"score": 60.0, "gap": 10.0}
    assert "PDF" in why["keywords"]
    best, *others = why["candidates"]
    assert (best["id"], best["place"], best["lost"], best["behind"]) == ("pdf-merge", 1, None, 0.0)
    assert best["retrieval"]["routes"]["action"]["rank"] == 1
    assert sum(best["dimensions"].values()) == pytest.approx(best["score"], abs=0.2)
    assert {one["lost"]["why"] for one in others} == {"below_threshold"}
    assert others[0]["lost"]["text"].endswith("short of the threshold 60")
    (only,) = why["rounds"]
    assert only["number"] == 1
    assert only["retrieved"][0] == "pdf-merge"
    assert only["ranked_by"] == "local"
    main(arguments)
    assert json.loads(capsys.readouterr().out)["explanation"] == why


def test_no_hit_explains_itself_in_chinese_too(pdf_skills: Path) -> None:
    why = explain(select_skill("给钢琴调音", pdf_skills, offline=True))
    assert set(why) == KEYS
    assert (why["outcome"], why["chosen"]) == ("no_match", [])
    assert all(one["lost"] for one in why["candidates"])


def test_a_tie_says_how_far_apart_the_tied_are(pdf_skills: Path, write_skill: Callable[..., Path]) -> None:
    write_skill("pdf-join", "Merge several PDF files into one document and reorder their pages, quickly.")
    why = explain(select_skill("merge two PDF files into one document", pdf_skills, offline=True, min_gap=60))
    assert why["outcome"] == "ambiguous"
    assert len(why["rounds"]) >= 1
    assert [one["lost"]["why"] for one in why["candidates"]][:2] == ["tied", "tied"]


def test_an_empty_folder_has_an_explanation_with_nothing_in_it(skills_root: Path) -> None:
    why = explain(select_skill("merge", skills_root, offline=True))
    assert set(why) == KEYS
    assert (why["reason"], why["thresholds"], why["candidates"], why["rounds"]) == ("empty_catalog", None, [], [])


def test_a_skill_that_excludes_the_task_late_in_a_long_description_is_not_chosen(
    pdf_skills: Path, write_skill: Callable[..., Path]
) -> None:
    text = "Builds the authorisation of a whole product: roles, permissions, scopes, tokens, audit. " * 6
    write_skill("authorisation", f'"{text}Avoid when: the user only asks about login set-up"')
    selection = select_skill("帮我配置登录授权", pdf_skills, offline=True)
    assert "authorisation" not in selection.chosen
