"""Whose counts a skill's are, and what they make of its score."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skill_selector.catalog.scanner import scan
from skill_selector.catalog.skill import Skill
from skill_selector.feedback.counts import Counts
from skill_selector.feedback.hook import FeedbackHook
from skill_selector.feedback.sqlite import SqliteFeedback
from skill_selector.graph.errors import FeedbackError, SettingError
from skill_selector.retrievers.effectiveness import (
    arecord_injection,
    effectiveness_route,
    record_injection,
    skill_subject,
)
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.search import search
from skill_selector.retrievers.strategy import RouteSpec, get_strategy

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]
WriteSkill = Callable[..., Path]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteFeedback]:
    one = SqliteFeedback(tmp_path / "counts.sqlite")
    yield one
    one.close()


def skill_in(root: Path, skill_id: str = "deploy") -> Skill:
    return scan(str(root)).by_id[skill_id]


def with_feedback(request: SearchRequest, store: SqliteFeedback) -> SearchRequest:
    return replace(request, feedback=store)


def test_counts_follow_a_skill_whose_root_moves_and_whose_folder_and_name_change(
    write_skill: WriteSkill, skills_root: Path, tmp_path: Path, store: SqliteFeedback
) -> None:
    write_skill("deploy", "Deploys the app.")
    record_injection([skill_in(skills_root)], store)
    moved = Path(shutil.move(skills_root, tmp_path / "elsewhere"))
    record_injection([skill_in(moved)], store)
    os.rename(moved / "deploy", moved / "roll-out")
    text = (moved / "roll-out" / "SKILL.md").read_text(encoding="utf-8").replace("name: deploy", "name: roll-out")
    (moved / "roll-out" / "SKILL.md").write_text(text, encoding="utf-8")
    record_injection([skill_in(moved, "roll-out")], store)
    [record] = store.records()
    assert record.counts == Counts(injected=3)
    assert record.label == "roll-out"


def test_counts_follow_edits_of_description_and_body_in_place(
    write_skill: WriteSkill, skills_root: Path, store: SqliteFeedback
) -> None:
    folder = write_skill("deploy", "Deploys the app.", "Step one.")
    record_injection([skill_in(skills_root)], store)
    for old, new in (("Deploys the app.", "Deploys any app."), ("Step one.", "Step one and two.")):
        file = folder / "SKILL.md"
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        record_injection([skill_in(skills_root)], store)
    assert [one.counts.injected for one in store.records()] == [3]


def test_two_skills_of_one_name_in_two_scopes_do_not_share_unless_they_are_copies(
    write_skill: WriteSkill, tmp_path: Path, store: SqliteFeedback
) -> None:
    user, project, copy = tmp_path / "user", tmp_path / "project", tmp_path / "copy"
    write_skill("deploy", "Deploys the app.", "With the user's script.", root=user)
    write_skill("deploy", "Deploys the app.", "With the project's script.", root=project)
    write_skill("deploy", "Deploys the app.", "With the user's script.", root=copy)
    record_injection([skill_in(user)], store)
    assert store.counts_of(skill_subject(skill_in(project))) is None
    record_injection([skill_in(project)], store)
    assert store.counts_of(skill_subject(skill_in(user))) == Counts(injected=1)
    assert store.counts_of(skill_subject(skill_in(project))) == Counts(injected=1)
    assert store.counts_of(skill_subject(skill_in(copy))) == Counts(injected=1)


async def test_an_injection_counts_each_skill_once_and_feedback_on_the_run_finds_them(
    make_skill: MakeSkill, store: SqliteFeedback
) -> None:
    skills = [make_skill("a", "one"), make_skill("b", "two")]
    await arecord_injection(skills, store, run_id="run")
    FeedbackHook(store).create_feedback("run", score=1)
    assert [one.counts for one in store.records()] == [Counts(injected=1, good=1)] * 2


def test_template_ranks_by_effectiveness_alone_and_the_unknown_at_one_half(
    make_skill: MakeSkill, make_request: MakeRequest, store: SqliteFeedback
) -> None:
    skills = [make_skill(name, f"does {name}") for name in ("bad", "new", "good", "mixed")]
    for name, good, times in (("bad", 0, 4), ("good", 3, 4), ("mixed", 1, 4)):
        subject = skill_subject(next(one for one in skills if one.id == name))
        store.count([subject], injected=times, good=good)
    request = make_request(skills, "nothing of the kind", strategy=get_strategy("template"), feedback_prior=0)
    found = search(with_feedback(request, store))
    assert [(one["id"], round(one["score"], 4)) for one in found] == [
        ("good", 0.75),
        ("new", 0.5),
        ("mixed", 0.25),
        ("bad", 0.0),
    ]
    assert found[0]["notes"]["effectiveness"] == "effectiveness 0.75: 3 good of 4 injected"
    assert found[1]["notes"]["effectiveness"] == "nothing counted yet"


def test_a_prior_keeps_one_bad_day_from_locking_a_skill_out(
    make_skill: MakeSkill, make_request: MakeRequest, store: SqliteFeedback
) -> None:
    skills = [make_skill("once"), make_skill("often")]
    store.count([skill_subject(skills[0])], injected=1, bad=1)
    store.count([skill_subject(skills[1])], injected=100, good=20)
    strategy = get_strategy("template")
    exact = search(with_feedback(make_request(skills, "merge files", strategy=strategy, feedback_prior=0), store))
    assert [one["id"] for one in exact] == ["often", "once"]
    shown = search(with_feedback(make_request(skills, "merge files", strategy=strategy, feedback_prior=4), store))
    assert [(one["id"], round(one["score"], 4)) for one in shown] == [
        ("once", round(2 / 5, 4)),
        ("often", round(22 / 104, 4)),
    ]
    assert shown[0]["notes"]["effectiveness"].endswith("prior 4")


@pytest.mark.parametrize(("good", "factor"), [(0, 0.3), (2, 0.65), (4, 1.0)])
def test_the_factor_of_the_source_lies_between_three_tenths_and_one(
    make_skill: MakeSkill, make_request: MakeRequest, store: SqliteFeedback, good: int, factor: float
) -> None:
    skills = [make_skill("a")]
    store.count([skill_subject(skills[0])], injected=4, good=good)
    request = with_feedback(make_request(skills, "x", feedback_prior=0), store)
    route = effectiveness_route(
        request, RouteSpec("effectiveness", options={"floor": 0.3}), {"name": "e", "index": request.index}
    )
    assert route.scores.tolist() == pytest.approx([factor])


def test_counts_that_cannot_be_read_are_reported_or_raised_as_asked(
    make_skill: MakeSkill, make_request: MakeRequest, tmp_path: Path
) -> None:
    (tmp_path / "broken").write_text("no database " * 50, encoding="utf-8")
    broken = SqliteFeedback(tmp_path / "broken")
    strategy = get_strategy("template")
    request = with_feedback(make_request([make_skill("a")], "merge files", strategy=strategy), broken)
    assert search(request)[0]["score"] == 0.5
    assert [one["what"] for one in request.faults] == ["feedback"]
    asked = make_request([make_skill("a")], "merge files", strategy=strategy, on_failure="raise")
    strict = with_feedback(asked, broken)
    with pytest.raises(FeedbackError):
        search(strict)


def test_a_floor_that_is_none_is_refused(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    request = make_request([make_skill("a")], "x")
    bad: Any
    for bad in (-1, 2, "x", True):
        with pytest.raises(SettingError, match="floor"):
            effectiveness_route(request, RouteSpec("e", options={"floor": bad}), {"name": "e", "index": request.index})
