"""What a task demands of the way it is done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.reasoners.constraints import MOST, find_constraints


@pytest.mark.parametrize(
    ("task", "constraint"),
    [
        ("Draw the map without labels.", "without labels"),
        ("The file must stay under the root folder, whatever happens.", "must stay under the root folder"),
        ("Write it up, at most two pages.", "at most two pages"),
        ("Answer in Chinese, please.", "in Chinese"),
        ("Port the tool to Python 3.11 and keep the tests.", "Python 3.11"),
        ("Keep p95 below 300 ms", "below 300 ms"),
        ("Clean the list, don't touch the ids.", "don't touch the ids"),
        ("写一份说明，不要超过三页。", "不要超过三页"),
        ("整理数据，只用本地的文件", "只用本地的文件"),
        ("报告控制在 2000 字以内", "控制在 2000 字以内"),
        ("翻成英文，必须保留术语", "必须保留术语"),
        ("画图，用中文标注", "用中文标注"),
    ],
)
def test_demands_are_found_as_worded(task: str, constraint: str) -> None:
    assert constraint in find_constraints(task)


@pytest.mark.parametrize("task", ["Merge two files into one", "分别统计每个部门的人数", "能不能识别这张图里的花"])
def test_tasks_without_demands_have_none(task: str) -> None:
    assert find_constraints(task) == []


def test_a_limit_inside_a_longer_demand_is_not_said_twice() -> None:
    assert find_constraints("Write at most 200 words about the dam") == ["at most 200 words about the dam"]


@given(st.text(max_size=300))
def test_any_text_has_few_demands_of_its_own_words(task: str) -> None:
    found = find_constraints(task)
    assert len(found) <= MOST
    assert all(text for text in found)
