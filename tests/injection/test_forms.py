"""The forms by name."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.scanner import scan
from skill_selector.graph.errors import SettingError
from skill_selector.injection.forms import FORMS, Injector


def test_every_form_gives_text_figures_and_what_is_left_out(catalog: Catalog) -> None:
    for form in FORMS:
        injector = Injector(form=form)
        made = injector.inject(catalog, only=["pdf-merge", "gone"])
        assert asyncio.run(injector.ainject(catalog, only=["pdf-merge", "gone"])) == made
        assert made.skills == ("pdf-merge",)
        assert (made.characters, made.tokens > 0) == (len(made.text), True)
        assert [(one.id, one.why) for one in made.left_out] == [("gone", "unknown")]
        assert made.to_dict()["left_out"]["by_reason"] == {"unknown": 1}


def test_nothing_chosen_is_no_text(catalog: Catalog) -> None:
    for form in ("auto", "skill"):
        assert Injector(form=form).inject(catalog, only=[]).text == ""


def test_whole_skills_share_the_budget_and_short_ones_stay_whole(
    skills_root: Path, write_skill: Callable[..., Path]
) -> None:
    write_skill("short", "Short.", "合并文件的三个步骤。")
    write_skill("long", "Long.", "one more line of it\n" * 2_000)
    made = Injector(form="skill", max_tokens=1500).inject(scan(skills_root), only=["long", "short"])
    assert made.skills == ("long", "short")
    assert made.tokens <= 1500
    assert "合并文件的三个步骤。" in made.text
    assert [(one.id, one.what) for one in made.cut] == [("long", "body")]
    assert "<truncated>" in made.text


def test_what_fits_is_never_cut(skills_root: Path, write_skill: Callable[..., Path]) -> None:
    for number in range(3):
        write_skill(f"skill-{number}", "Long.", "one more line of it\n" * 400 + f"the end of {number}")
    made = Injector(form="skill").inject(scan(skills_root))
    assert (made.cut, made.text.count("<truncated>")) == ((), 0)
    tight = Injector(form="skill", max_tokens=made.tokens + 3).inject(scan(skills_root))
    assert tight.text == made.text


def test_what_finds_no_room_as_a_whole_is_left_out_from_the_end(
    skills_root: Path, write_skill: Callable[..., Path]
) -> None:
    for number in range(5):
        write_skill(f"skill-{number}", "Long.", "one more line of it\n" * 500)
    made = Injector(form="skill", max_tokens=900).inject(scan(skills_root), only=["skill-3", "skill-1", "skill-0"])
    assert made.skills == ("skill-3", "skill-1")
    assert [(one.id, one.why) for one in made.left_out] == [("skill-0", "no_room")]


@pytest.mark.parametrize("wrong", [{"form": "x"}, {"location": "x"}, {"max_tokens": 5}, {"skill_max_tokens": True}])
def test_a_setting_that_cannot_be_used_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(wrong))):
        Injector(**wrong)
