"""Tasks that call their skill by name: what is a call, which skill it means, and what is none."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.scanner import scan
from skill_selector.nodes.call import find_call

WriteSkill = Callable[..., Path]


@pytest.fixture
def catalog(skills_root: Path, write_skill: WriteSkill) -> Catalog:
    write_skill("ship-it", "Ship a version.", **{"disable-model-invocation": "true"})
    write_skill("上线", "把新版本上线")
    write_skill("paper/kite", "Fold a kite.", body="Fold.")
    write_skill("wood/kite", "Build a kite.", body="Saw.")
    write_skill("first/copy", "Copied.")
    write_skill("second/copy", "Copied.")
    write_skill("background", "Facts about taxes.", **{"user-invocable": "false"})
    slides = skills_root / "slides"
    slides.mkdir()
    (slides / "SKILL.md").write_text("---\nname: Slide Deck\ndescription: Make slides.\n---\nDraw.", encoding="utf-8")
    return scan(skills_root)


def outcome(catalog: Catalog, task: str) -> tuple[str | None, list[str]] | None:
    call = find_call(task, catalog)
    return (call.outcome, [one["skill"]["id"] for one in call.ranked]) if call else None


@pytest.mark.parametrize(
    ("task", "skill_id"),
    [
        ("/ship-it", "ship-it"),
        ("/ship-it make 2.1", "ship-it"),
        ("/SHIP-IT: make 2.1", "ship-it"),
        ("/ship-it\nmake 2.1", "ship-it"),
        ("/上线", "上线"),
        ("/上线 2.1 版", "上线"),
        ("/上线，先跑测试", "上线"),
        ("／上线 2.1", "上线"),
        ("/wood/kite for two", "wood/kite"),
        ("/slide deck about tides", "slides"),
        ("ship-it", "ship-it"),
        ("paper/kite", "paper/kite"),
        ("use the ship-it skill to make 2.1", "ship-it"),
        ("Please run the skill `ship-it`, then tell me", "ship-it"),
        ("用上线技能发 2.1", "上线"),
        ("请使用技能「ship-it」", "ship-it"),
    ],
)
def test_a_skill_is_called_by_id_name_or_folder(catalog: Catalog, task: str, skill_id: str) -> None:
    assert outcome(catalog, task) == ("called", [skill_id])


def test_a_name_that_several_skills_have_is_ambiguous_with_all_of_them(catalog: Catalog) -> None:
    assert outcome(catalog, "/kite") == ("ambiguous_call", ["paper/kite", "wood/kite"])


def test_copies_are_one_skill(catalog: Catalog) -> None:
    call = find_call("/copy", catalog)
    assert call is not None
    assert call.outcome == "called"
    assert (call.ranked[0]["skill"]["id"], call.ranked[0]["copies"]) == ("first/copy", ["second/copy"])


def test_a_skill_that_no_human_may_start_is_refused_with_the_reason(catalog: Catalog) -> None:
    call = find_call("/background on cars", catalog)
    assert call is not None
    assert call.outcome == "refused_call"
    assert "user-invocable: false" in str(call.ranked[0]["veto"])
    assert call.ranked[0]["score"] == 0


def test_asked_for_in_words_such_a_skill_is_left_to_the_selection(catalog: Catalog) -> None:
    assert find_call("use the background skill for cars", catalog) is None


@pytest.mark.parametrize(
    "task",
    [
        "/etc/hosts is broken",
        "/var is full",
        "/home/ann/report.pdf is empty, repair it",
        "// this comment is wrong",
        "/^a+$/ matches too much",
        "/ is missing",
        "/",
        "don't use the ship-it skill",
        "we ship-it often",
        "不要用上线技能",
        "上线新版本",
        "use ship-it boxes of wood",
        "write what the ship-it skill does",
    ],
)
def test_paths_and_sentences_call_nothing(catalog: Catalog, task: str) -> None:
    assert find_call(task, catalog) is None


@pytest.mark.parametrize(
    ("task", "hint"),
    [("/shipit make 2.1", "/ship-it"), ("/paper/kites", "/paper/kite"), ("/slide-deck", "/slides")],
)
def test_a_name_that_no_skill_has_brings_up_the_nearest(catalog: Catalog, task: str, hint: str) -> None:
    call = find_call(task, catalog)
    assert call is not None
    assert call.outcome is None
    [fault] = call.degraded
    assert "there is no skill" in fault["why"]
    assert f"did you mean {hint}" in fault["why"]


def test_what_no_human_may_start_is_not_offered(catalog: Catalog) -> None:
    call = find_call("/backgroun", catalog)
    assert call is not None
    assert "did you mean" not in call.degraded[0]["why"]


def test_of_roots_the_higher_ones_skill_is_called(skills_root: Path, tmp_path: Path, write_skill: WriteSkill) -> None:
    write_skill("kite", "Fold a kite.")
    write_skill("kite", "Build a kite.", root=tmp_path / "mine")
    call = find_call("/kite", scan([skills_root, tmp_path / "mine"]))
    assert call is not None
    assert [one["skill"]["path"] for one in call.ranked] == [str(tmp_path / "mine" / "kite")]
