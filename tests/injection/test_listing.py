"""The catalogue block within its bounds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import SettingError
from skill_selector.injection.listing import MOST_CHARACTERS, list_skills
from skill_selector.injection.location import home_relative


def _skill(skill_id: str, description: str = "Does something useful.", **more: Any) -> Skill:
    path = f"/skills/{skill_id}"
    return Skill(
        id=skill_id,
        name=skill_id,
        description=description,
        digest="",
        path=path,
        file=f"{path}/SKILL.md",
        root="/skills",
        **more,
    )


def test_no_skill_no_block() -> None:
    assert list_skills([]).text == ""
    manual = list_skills([_skill("cut-release", manual_only=True)])
    assert (manual.text, manual.skills, [one.why for one in manual.left_out]) == ("", (), ["manual_only"])


def test_up_to_30000_characters_it_is_full_and_beyond_compact() -> None:
    few = [_skill(f"s{number:04}", "x" * 400) for number in range(50)]
    many: list[Skill] = []
    while len(list_skills([*few, *many], form="full", budget=10**6).text) <= MOST_CHARACTERS:
        many.append(_skill(f"t{len(many):04}", "合并文件"))
    within, beyond = list_skills([*few, *many[:-1]], budget=10**6), list_skills([*few, *many], budget=10**6)
    assert (within.form, beyond.form) == ("full", "compact")
    assert within.characters <= MOST_CHARACTERS
    assert "<description>" not in beyond.text
    assert len(beyond.skills) == len(few) + len(many)


def test_over_the_budget_long_descriptions_give_way_first_but_not_what_they_exclude() -> None:
    long = "It fills in forms of every kind and shape. " * 20 + "Do not use it for log-in pages."
    made = list_skills([_skill("forms", long), _skill("short", "合并 PDF 文件")], budget=200)
    assert (made.form, made.skills) == ("full", ("forms", "short"))
    assert "Do not use it for log-in pages." in made.text
    assert "合并 PDF 文件" in made.text
    assert [(one.id, one.what, one.of) for one in made.cut] == [("forms", "description", len(long))]
    assert made.tokens <= 200


def test_an_exclusion_at_the_end_of_a_long_description_survives_the_formats_own_limit() -> None:
    made = list_skills([_skill("login", f"{'处理各类授权事务。' * 200}不适用于:仅配置登录。")])
    assert "不适用于:仅配置登录。" in made.text
    assert len(made.text) < 1_400


def test_with_an_order_the_best_stay_and_the_block_says_how_many_are_left_out() -> None:
    skills = [_skill(f"skill-{number}") for number in range(300)]
    made = list_skills(skills, order=["skill-299", "skill-7"], budget=500)
    assert made.skills[:2] == ("skill-299", "skill-7")
    left = 300 - len(made.skills)
    assert f"<left_out>{left} more skills are not listed, for want of room</left_out>\n</available_skills>" in made.text
    assert len(made.left_out) == left
    assert f"{left} left out (no room)" in made.summary


def test_without_an_order_no_letter_is_at_a_disadvantage_and_a_new_skill_moves_few() -> None:
    skills = [_skill(f"{letter}-{number}") for letter in "abcdefghij" for number in range(100)]
    made = list_skills(skills, budget=3000)
    assert {one[0] for one in made.skills} == set("abcdefghij")
    assert list(made.skills) == sorted(made.skills, key=[one.id for one in skills].index)
    again = list_skills([*skills, _skill("k-1")], budget=3000)
    assert len(set(made.skills) ^ set(again.skills)) <= 3


@given(
    texts=st.lists(st.text(max_size=300), min_size=1, max_size=30),
    budget=st.integers(100, 3000),
    form=st.sampled_from(["auto", "full", "compact"]),
)
def test_the_budget_holds_and_nothing_is_lost_in_silence(texts: list[str], budget: int, form: Any) -> None:
    skills = [_skill(f"s{number}", text) for number, text in enumerate(texts)]
    made = list_skills(skills, form=form, budget=budget)
    assert made.tokens <= budget
    assert {*made.skills, *(one.id for one in made.left_out)} == {one.id for one in skills}
    assert made.text.count("</available_skills>") == bool(made.skills)
    assert made.text.count("</skill>") == len(made.skills)


def test_the_location_is_the_path_with_the_home_as_a_tilde_or_the_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/skills")
    assert home_relative("/skills/a/SKILL.md") == "~/a/SKILL.md"
    assert home_relative("/skills-2/a") == "/skills-2/a"
    assert "<location>~/a/SKILL.md</location>" in list_skills([_skill("a")]).text
    assert "<location>a</location>" in list_skills([_skill("a")], location="id").text


def test_an_unknown_form_is_refused() -> None:
    wrong: Any = "whole"
    with pytest.raises(SettingError, match="full"):
        list_skills([], form=wrong)
