"""Reason #1 without a model, as a whole."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_selector.graph.records import RankedSkill
from skill_selector.reasoners.extraction import analyze_task
from skill_selector.reasoners.keywords import MOST
from skill_selector.retrievers.words import load_words


def ranked(name: str, description: str) -> RankedSkill:
    return {
        "skill": {
            "id": name,
            "name": name,
            "description": description,
            "path": f"/{name}",
            "category": None,
            "version": None,
        },
        "score": 70.0,
        "dimensions": {"intent": 30.0, "tech_stack": 20.0, "constraints": 10.0, "keywords": 10.0},
        "reason": "",
        "veto": None,
        "routes": {},
        "retrieval_score": 1.0,
        "copies": [],
    }


def test_an_english_task_is_understood() -> None:
    analysis = analyze_task(
        "Hi! Please migrate our Django forms to Python 3.12, without touching the templates.", load_words()
    )
    assert analysis["intent"] == "migrate our Django forms to Python 3.12, without touching the templates"
    assert analysis["tech_stack"] == ["Django", "Python"]
    assert {"Django", "migrate", "form"} <= set(analysis["keywords"])
    assert {"without touching the templates", "Python 3.12"} <= set(analysis["constraints"])
    assert analysis["when_to_use"] == f"when you need to {analysis['intent']}"


def test_a_chinese_task_is_understood_in_chinese() -> None:
    analysis = analyze_task("请帮我分析 zlib 这个 C 语言库能否移植到鸿蒙，不要改源码", load_words())
    assert "移植到鸿蒙" in analysis["intent"]
    assert analysis["tech_stack"] == ["C", "HarmonyOS"]
    assert {"移植", "HarmonyOS", "zlib"} <= set(analysis["keywords"])
    assert analysis["constraints"] == ["不要改源码"]
    assert analysis["when_to_use"] == f"需要{analysis['intent']}时"


def test_a_mixed_task_keeps_both_languages() -> None:
    analysis = analyze_task("用 FastAPI 写一个 webhook，把 GitHub 的 issue 同步到飞书", load_words())
    assert {"FastAPI", "GitHub", "Feishu"} <= set(analysis["tech_stack"])
    assert {"webhook", "同步"} <= set(analysis["keywords"])


def test_a_technology_that_is_ruled_out_is_not_wanted() -> None:
    analysis = analyze_task("rebuild the page in Vue, don't use jQuery or React components", load_words())
    assert analysis["tech_stack"] == ["Vue"]


@pytest.mark.parametrize(
    "text", ["check the gate and verify the lamp, ", "请检查接口规格是否正确，", "除了", "<", "- must pass\n"]
)
def test_a_very_long_task_takes_no_long_time(text: str) -> None:
    load_words().find_action("预热")
    start = time.perf_counter()
    analyze_task(text * (200_000 // len(text)), load_words())
    assert time.perf_counter() - start < 20


@given(st.text(max_size=300))
@settings(max_examples=60)
def test_any_text_has_an_analysis_of_plain_json(task: str) -> None:
    analysis = analyze_task(task, load_words())
    assert set(analysis) == {"intent", "keywords", "constraints", "tech_stack", "when_to_use"}
    assert len(analysis["keywords"]) <= MOST
    assert analysis == analyze_task(task, load_words())
