"""Fields built together are the fields built one by one, for one reading of each body."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from skill_selector.catalog.cache import Cache
from skill_selector.catalog.scanner import scan
from skill_selector.catalog.skill import Skill
from skill_selector.catalog.snapshot import Snapshots
from skill_selector.retrievers import fields
from skill_selector.retrievers.batch import FieldBatch
from skill_selector.retrievers.fields import FIELDS, HEAD_LENGTH, field_words
from skill_selector.retrievers.postings import Postings
from skill_selector.retrievers.text import words

MakeSkill = Callable[..., Skill]

LONG = "merge pdf files\n" * 200 + "the end"


@pytest.fixture
def skills(make_skill: MakeSkill) -> list[Skill]:
    return [
        make_skill("pdf-merge", "Merges PDF files", LONG, when_to_use="for invoices"),
        make_skill("notes", "会议纪要", "把录音整理成会议纪要\n" * 400),
        make_skill("empty", "Nothing below"),
    ]


def test_fields_built_together_are_those_built_alone(skills: list[Skill]) -> None:
    batch = FieldBatch(FIELDS)
    for field in FIELDS:
        together, _ = batch.build(field, skills)
        alone = Postings.build([field_words(skill, field) for skill in skills], len(skills))
        assert set(together.vocabulary) == set(alone.vocabulary)
        assert np.array_equal(together.lengths, alone.lengths)
        for token in alone.vocabulary:
            assert np.array_equal(together.scores({token: 1.0}), alone.scores({token: 1.0}))


def test_a_body_is_read_once_for_all_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scanned, read = scanned_skill(tmp_path), []
    real = fields._read_body
    monkeypatch.setattr(fields, "_read_body", lambda skill: read.append(skill.id) or real(skill))  # type: ignore[func-returns-value]
    batch = FieldBatch(["name", "source", "body", "head"])
    for field in ("name", "source", "body", "head"):
        batch.build(field, [scanned])

    assert read == ["one"]


def test_a_changed_file_makes_only_the_fields_of_its_body_unsure(tmp_path: Path) -> None:
    scanned = scanned_skill(tmp_path)
    Path(scanned.file).write_text("---\nname: one\ndescription: d\n---\nother", encoding="utf-8")
    batch = FieldBatch(["name", "source"])

    assert list(batch.build("name", [scanned])[1]) == []
    assert list(batch.build("source", [scanned])[1]) == [0]


def test_other_skills_and_fields_that_were_not_announced_are_built_too(skills: list[Skill]) -> None:
    batch = FieldBatch(["name", "body"])
    batch.build("name", skills)

    assert batch.build("body", skills[:1])[0].size == 1
    assert "纪要" in batch.build("description", skills)[0].vocabulary
    assert batch.build("name", skills)[0].size == 3


@pytest.mark.parametrize(
    "body",
    [
        "",
        "short",
        "word\n" * HEAD_LENGTH,
        "x" * (2 * HEAD_LENGTH),
        "a-b.c " * HEAD_LENGTH,
        "ﬁle №5 naïve\n" * HEAD_LENGTH,
        "把录音整理\n成会议纪要" * HEAD_LENGTH,
        "line\r\n" * HEAD_LENGTH,
    ],
)
def test_a_body_that_is_cut_at_a_line_gives_the_words_of_the_whole(make_skill: MakeSkill, body: str) -> None:
    skill = make_skill("a", body=body)

    assert field_words(skill, "body") == words(body)
    assert field_words(skill, "head") == words(body[:HEAD_LENGTH])


def scanned_skill(root: Path) -> Skill:
    folder = root / "skills" / "one"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: one\ndescription: d\n---\nMerge PDF files", encoding="utf-8")
    [skill] = scan(root / "skills", snapshots=Snapshots(Cache(root / "cache"))).skills
    assert skill.loaded_body is None
    return skill
