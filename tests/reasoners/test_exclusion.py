"""Negated clauses of skills and of tasks, and claims to serve everything."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.catalog.skill import Skill
from skill_selector.reasoners.exclusion import (
    excluded_by_task,
    is_excluded,
    names_skill,
    split_scope,
)


@pytest.mark.parametrize(
    ("text", "included", "excluded"),
    [
        ("Edit letters. Do not use for PDF or Excel. Keeps styles.", "letters", ("PDF", "Excel")),
        ("Draw maps, not for navigation.", "Draw maps", ("navigation",)),
        ("Knit socks. Don't use this skill when the yarn is cotton.", "Knit socks", ("the yarn is cotton",)),
        ("Plan trips (not intended for business travel) and outings.", "outings", ("business travel",)),
        ("Audit code. Avoid when: only style is asked about.", "Audit code", ("only style is asked about",)),
        ("Handles Vue. For React apps, use the react-helper skill instead.", "Handles Vue", ("React apps",)),
        ("Backs up disks. Does not cover cloud storage.", "Backs up disks", ("cloud storage",)),
        ("整理照片，不适用于视频和音频。", "整理照片", ("视频", "音频")),
        ("写周报。不要用于会议纪要。", "写周报", ("会议纪要",)),
        ("不支持 Windows，适合 Linux", "适合 Linux", ("Windows",)),
        ("处理文档，除了 PDF 以外都可以", "处理文档", ("PDF",)),
    ],
)
def test_a_skills_negated_clauses_are_split_off(text: str, included: str, excluded: tuple[str, ...]) -> None:
    scope = split_scope(text)
    assert included in scope.included
    assert set(excluded) <= set(scope.excluded)
    assert not any(item in scope.included for item in excluded)


@pytest.mark.parametrize(
    "text",
    [
        "Merge files. Use for PDF, Excel and more.",
        "Works without an API key and needs no set-up.",
        "除了 PDF，还支持 Word",
        "Nothing is lost; notes are kept for node.js and e.g. Deno.",
    ],
)
def test_text_without_exclusions_stays_whole(text: str) -> None:
    assert split_scope(text).excluded == ()
    assert split_scope(text).included == text


@given(st.text(max_size=200))
def test_splitting_never_invents_text(text: str) -> None:
    scope = split_scope(text)
    for part in (*scope.included.split(), *(word for item in scope.excluded for word in item.split())):
        assert part in text


@pytest.mark.parametrize(
    ("task", "phrase"),
    [
        ("write a report without the pdf-tools skill", "pdf-tools"),
        ("Don't use pandas; polars is fine", "pandas"),
        ("use anything but the old importer, please", "old importer"),
        ("不要用 pdf-tools，帮我写周报", "pdf-tools"),
        ("别用 jQuery 重写这个页面", "jQuery 重写"),
        ("除了 excel-report 之外都可以", "excel-report"),
    ],
)
def test_what_a_task_will_not_have_is_found(task: str, phrase: str) -> None:
    assert any(phrase in found for found in excluded_by_task(task))


@pytest.mark.parametrize("task", ["merge two files", "分别统计每个部门的人数", "识别用户上传的图片"])
def test_other_tasks_rule_nothing_out(task: str) -> None:
    assert excluded_by_task(task) == ()


@pytest.mark.parametrize(
    "task",
    [
        "do not use map-maker; draw our route",
        "Don't use the map-maker skill for this",
        "without the map-maker skill, draw our route",
        "never call Map Maker, draw the route by hand",
        "draw our route with anything but map-maker",
        "the map-maker skill must not be used here, draw our route",
        "不要用 map-maker，画一张路线图",
        "别用map-maker画路线图，别用 map-maker",
        "画路线图，禁止调用 map-maker 技能",
        "画路线图，map-maker 这个技能就别用了",
        "除了 map-maker 技能，用什么都行",
    ],
)
def test_a_task_excludes_a_skill_by_its_name(task: str) -> None:
    phrases = excluded_by_task(task)
    assert is_excluded(phrases, skill("map-maker"))
    assert is_excluded(phrases, skill("Cartography", id="tools/map-maker"))
    assert not is_excluded(phrases, skill("route-planner"))


@pytest.mark.parametrize("task", ["use the map-maker skill", "用 map-maker 技能画图", "this map-maker skill is good"])
def test_a_skill_that_is_only_mentioned_is_not_excluded(task: str) -> None:
    assert not is_excluded(excluded_by_task(task), skill("map-maker"))


def test_a_chinese_skill_is_excluded_by_its_name() -> None:
    assert is_excluded(excluded_by_task("不要用地图制作技能，手画一张"), skill("地图制作"))
    assert is_excluded(excluded_by_task("地图制作技能不要用"), skill("地图制作"))


def skill(name: str, **fields: Any) -> Skill:
    place = {"id": name, "path": "/x", "file": "/x/SKILL.md", "root": "/", "digest": ""}
    return Skill(name=name, description="", **{**place, **fields})


def test_a_skill_is_named_however_its_parts_are_joined() -> None:
    assert names_skill(("PDF tools",), "pdf-tools")
    assert names_skill(("the old pdf_tools thing",), "pdf-tools")
    assert names_skill(("pandas",), "Pandas")
    assert not names_skill(("pandas and friends",), "pandas")
    assert not names_skill(("",), "")
