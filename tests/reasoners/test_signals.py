"""What is measured of one skill, and that rivals and tricks don't change it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_selector.catalog.skill import Skill
from skill_selector.reasoners.extraction import analyze_task
from skill_selector.reasoners.signals import Findings, Signals, measure
from skill_selector.reasoners.terms import rarity, task_terms
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.words import load_words


def skill(name: str, description: str, body: str = "", **more: Any) -> Skill:
    more = {"path": f"/{name}", "file": f"/{name}/SKILL.md", "root": "/", "digest": "", **more}
    return Skill(id=name, name=name, description=description, loaded_body=body, **more)


PDF = skill("pdf-tools", "Merge and split PDF files.")
KNIT = skill("knitting", "Knit socks and scarves from wool.", body="Cast on sixty stitches. Felting comes last.")


def findings(task: str, one: Skill, *others: Skill) -> Findings:
    words = load_words()
    index = SkillIndex.build((one, *others))
    return measure(task_terms(task, analyze_task(task, words), index, words), one, index, words)


def signals(task: str, one: Skill, *others: Skill) -> Signals:
    return findings(task, one, *others).signals


def test_a_skill_that_speaks_of_the_task_covers_more_than_one_that_does_not() -> None:
    near, far = signals("merge two PDF files", PDF, KNIT), signals("merge two PDF files", KNIT, PDF)
    for name in ("lead_cover", "text_cover", "evidence", "keyword_cover", "lead_precision", "technology"):
        assert near.as_dict()[name] > far.as_dict()[name], name


def test_words_of_the_body_count_below_the_lead_only() -> None:
    found = findings("felting wool", KNIT)
    assert found.matched == ("wool",)
    assert found.matched_below == ("felt",)
    assert found.signals.text_cover > found.signals.lead_cover


def test_words_of_a_negated_clause_never_speak_for_the_skill() -> None:
    plain = skill("word-letters", "Write letters.")
    negated = skill("word-letters", "Write letters. Do not use for merging PDF files.", body="")
    task = "merge two PDF files"
    assert signals(task, negated).text_cover <= signals(task, plain).text_cover
    assert findings(task, negated).matched == ()
    assert findings(task, negated).matched_below == ()


@pytest.mark.parametrize(
    ("description", "task"),
    [
        ("Write letters. Do not use for PDF or Excel.", "merge two PDF files"),
        ("整理词条。不用于语言原理解释。", "解释一下这个语言原理"),
    ],
)
def test_an_exclusion_that_names_the_task_is_seen(description: str, task: str) -> None:
    found = findings(task, skill("letters", description))
    assert found.signals.exclusion > 0.6
    assert found.ruled_out_by


def test_an_exclusion_of_something_else_is_not() -> None:
    assert signals("write a letter to my aunt", skill("letters", "Write letters. Not for PDF files.")).exclusion == 0


def test_what_a_skill_claims_elsewhere_excludes_nothing() -> None:
    one = skill("python", "Write Python code. Not for Python notebooks.")
    assert signals("write Python code", one).exclusion == 0


def test_repeated_and_stuffed_words_count_once() -> None:
    stuffed = skill("pdf-tools", "Merge PDF files. " + "pdf merge files " * 40)
    plain = skill("pdf-tools", "Merge PDF files.")
    assert signals("merge two PDF files", stuffed).as_dict() == pytest.approx(
        signals("merge two PDF files", plain).as_dict(), abs=0.4
    )
    assert signals("merge two PDF files", stuffed).evidence == signals("merge two PDF files", plain).evidence


def test_a_long_list_of_topics_makes_a_skill_less_precise() -> None:
    loud = skill("loud", "Merge PDF files, mail, video, sql, poems, taxes, gardens, chess, cars, boats and trains.")
    assert (
        signals("merge two PDF files", loud, PDF).lead_precision
        < signals("merge two PDF files", PDF, loud).lead_precision
    )


def test_a_rival_platform_is_a_conflict_and_another_version_of_the_same_is_not() -> None:
    task = "fix the scrolling of our Android app"
    assert findings(task, skill("ios-scrolling", "Fix scrolling in iOS apps")).stack.exclusive
    assert not findings(task, skill("scrolling", "Fix scrolling in Android and iOS apps")).stack.rivals
    assert findings(task, skill("scrolling", "Fix scrolling in iPhone apps")).signals.conflict == 0.5


def test_a_shared_technology_softens_a_rival_language_but_not_a_rival_platform() -> None:
    task = "port this C++ library to HarmonyOS"
    assert not findings(task, skill("arkts-binding", "Bind native code for HarmonyOS")).stack.exclusive
    assert findings(task, skill("android-porting", "Port C++ libraries to Android")).stack.exclusive


def test_a_skill_that_the_task_spells_out_is_named() -> None:
    assert signals("write release notes for 3.2", skill("release-notes", "Tell users what is new")).named == 1
    assert signals("use the changelog skill", skill("changelog", "Write what changed")).named == 1
    assert signals("is there a changelog?", skill("changelog", "Write what changed")).named == 0


def test_languages_are_compared_by_what_the_text_mostly_is() -> None:
    assert signals("画个三居室户型图", skill("floor-plan", "Draw floor plans of flats")).other_language == 1
    assert signals("draw a floor plan", skill("户型", "绘制住宅的平面图")).other_language == 1
    assert signals("画个户型图", skill("floor-plan", "Draw floor plans 户型图")).other_language == 0


def test_a_word_of_every_skill_is_worth_less_than_a_word_of_few() -> None:
    index = SkillIndex.build(
        [skill(f"s{number}", "zither lessons" if number == 0 else "lessons") for number in range(200)]
    )
    assert rarity("zither", index, load_words()) > rarity("lesson", index, load_words()) > 0


def test_in_a_folder_of_three_no_word_is_worthless() -> None:
    index = SkillIndex.build([skill(f"s{number}", "zither lessons") for number in range(3)])
    assert rarity("zither", index, load_words()) > 2


def test_a_word_inside_a_longer_one_counts_less() -> None:
    index, words = SkillIndex.build([KNIT]), load_words()
    weights = task_terms("整理知识库", analyze_task("整理知识库", words), index, words).weights
    assert 0 < weights["知识"] < weights["知识库"]


def test_incidental_words_of_a_long_task_count_less() -> None:
    index = SkillIndex.build([KNIT])
    words = load_words()
    short = task_terms("knit socks, mind the zither", analyze_task("knit socks", words), index, words)
    filler = " ".join(f"lamp{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(300))
    long = task_terms(f"knit socks, mind the zither {filler}", analyze_task("knit socks", words), index, words)
    assert long.weights["zither"] < short.weights["zither"] / 2
    assert long.weights["sock"] == short.weights["sock"]


def test_a_skill_outside_the_index_is_measured_by_its_lead() -> None:
    words = load_words()
    index = SkillIndex.build([KNIT])
    found = measure(
        task_terms("merge PDF files", analyze_task("merge PDF files", words), index, words), PDF, index, words
    )
    assert found.signals.lead_cover > 0.5


@given(st.text(max_size=120), st.text(max_size=120), st.text(max_size=120))
@settings(max_examples=60, deadline=None)
def test_every_signal_is_a_share(task: str, name: str, description: str) -> None:
    for value in signals(task or "x", skill(name or "x", description)).as_dict().values():
        assert -1e-9 <= value <= 1 + 1e-9
