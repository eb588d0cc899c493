import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.fields import FIELDS, HEAD_LENGTH
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.postings import Postings

MakeSkill = Callable[..., Skill]


def test_metadata_counts_three_times_in_the_source_text(make_skill: MakeSkill) -> None:
    skill = make_skill(
        "join-pdf",
        "files",
        "page",
        category="law",
        language="rust",
        compatibility="linux",
        tags=("paper",),
        triggers=("staple",),
        when_to_use="scan",
        metadata={
            "audience": "clerk",
            "nested": {"shell": "zsh", "version": "beta"},
            "list": ["ocr"],
            "license": "gpl",
        },
    )
    index = SkillIndex.build([skill])

    three = ["join-pdf", "pdf", "file", "law", "rust", "linux", "paper", "stapl", "clerk", "zsh", "ocr"]
    assert {token: index.count("source", 0, token) for token in three} == dict.fromkeys(three, 3)
    assert {token: index.count("source", 0, token) for token in ("page", "scan")} == {"page": 1, "scan": 1}
    assert not index.has("source", 0, "gpl")
    assert not index.has("source", 0, "beta")


def test_source_and_head_hold_the_beginning_of_the_body_and_body_all_of_it(make_skill: MakeSkill) -> None:
    index = SkillIndex.build([make_skill("a", body="early " + "x " * HEAD_LENGTH + "latecomer")])

    for field in ("source", "head"):
        assert index.has(field, 0, "earli")
        assert not index.has(field, 0, "latecom")
    assert index.has("body", 0, "latecom")


def test_every_field_holds_its_own_text(make_skill: MakeSkill) -> None:
    index = SkillIndex.build(
        [make_skill("id-1", "descr", "bodi", name="nam", when_to_use="occas", triggers=("trig",))], FIELDS
    )

    expected = {"name": "nam", "description": "descr", "when_to_use": "occa", "head": "bodi", "body": "bodi"}
    for field, own in expected.items():
        assert [token for token in {*expected.values(), "trig"} if index.has(field, 0, token)] == [
            token for token in {*expected.values(), "trig"} if token == own or (field, token) == ("when_to_use", "trig")
        ]


def test_fields_are_built_when_first_used(make_skill: MakeSkill) -> None:
    index = SkillIndex.build([make_skill("a", "merge pdf")])

    assert set(index.built) == {"source"}
    assert index.document_frequency("description", "pdf") == 1
    assert set(index.built) == {"source", "description"}


def test_a_default_build_does_not_cut_whole_bodies_into_words(make_skill: MakeSkill) -> None:
    index = SkillIndex.build([make_skill("a", body="x " * HEAD_LENGTH + "latecomer")])

    assert index.document_frequency("source", "latecom") == 0


class Slow(dict[str, str]):
    """Metadata that takes a while to read, and notes each reading."""

    def __init__(self) -> None:
        super().__init__()
        self.readings = 0

    def items(self) -> Any:
        self.readings += 1
        sleep(0.02)
        return super().items()


def test_threads_that_ask_for_a_field_at_once_build_it_once(make_skill: MakeSkill) -> None:
    metadata = Slow()
    index = SkillIndex([make_skill("a", "pdf", metadata=metadata)])
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: index.document_frequency("source", "pdf"), range(8)))

    assert found == [1] * 8
    assert metadata.readings == 1


def test_ids_keep_the_catalogue_order_and_positions_fit_them(make_skill: MakeSkill) -> None:
    index = SkillIndex.build([make_skill("b"), make_skill("a"), make_skill("c")])

    assert index.ids == ("b", "a", "c")
    assert [index.position(one) for one in index.ids] == [0, 1, 2]
    assert "a" in index
    assert "z" not in index
    with pytest.raises(KeyError):
        index.position("z")


def test_an_empty_catalogue_is_no_error() -> None:
    index = SkillIndex.build([], FIELDS)

    assert len(index) == 0
    assert index.scores("source", {"pdf": 1}).tolist() == []
    assert index.overlap("body", ["pdf"]).tolist() == []
    assert index.idf("name", "pdf") > 0


def test_skills_of_nothing_but_signs_are_no_error(make_skill: MakeSkill) -> None:
    index = SkillIndex.build([make_skill("🎉", "！！！"), make_skill("…", "🎉🎉")])

    assert index.scores("source", {"pdf": 1}).tolist() == [0, 0]


def test_a_body_that_vanished_leaves_the_metadata_searchable(
    make_skill: MakeSkill, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def vanished(_self: Skill) -> str:
        raise FileNotFoundError("gone")

    monkeypatch.setattr(Skill, "body", property(vanished))
    with caplog.at_level(logging.WARNING):
        index = SkillIndex.build([make_skill("a", "merge pdf")])

    assert index.has("source", 0, "pdf")
    assert "the body of skill a cannot be read" in caplog.text


def test_manual_skills_and_those_outside_the_pool_are_masked(make_skill: MakeSkill) -> None:
    skills = [make_skill("a"), make_skill("b", manual_only=True), make_skill("c")]
    index = SkillIndex.build(skills)

    assert index.mask(index.skills).tolist() == [True, False, True]
    assert index.mask(skills[:2]).tolist() == [True, False, False]
    assert index.mask([]).tolist() == [False, False, False]
    with pytest.raises(ValueError, match="'z' is not in the index"):
        index.mask([make_skill("z")])


def test_an_unknown_field_is_refused_by_name(make_skill: MakeSkill) -> None:
    with pytest.raises(ValueError, match=r"no field 'title'.*description"):
        SkillIndex.build([make_skill("a")]).scores("title", {"pdf": 1})


def test_ids_must_be_unique(make_skill: MakeSkill) -> None:
    with pytest.raises(ValueError, match="share an id"):
        SkillIndex([make_skill("a"), make_skill("a")])


def test_postings_kept_elsewhere_are_taken_over_when_they_fit(make_skill: MakeSkill) -> None:
    skills = [make_skill("a", "merge pdf"), make_skill("b", "draw charts")]
    built = SkillIndex.build(skills).built

    assert SkillIndex(skills, built).scores("source", {"pdf": 1})[0] > 0
    with pytest.raises(ValueError, match="hold 2 documents, not 1"):
        SkillIndex(skills[:1], {"source": built["source"]})


def test_progress_runs_over_all_fields(make_skill: MakeSkill) -> None:
    seen: list[tuple[int, int]] = []
    SkillIndex.build([make_skill("a")], ("name", "source"), lambda done, total: seen.append((done, total)))

    assert seen == [(2, 2)]


def test_arrays_survive_a_file_and_serve_mapped(make_skill: MakeSkill, tmp_path: Path) -> None:
    import numpy as np

    skills = [make_skill("a", "merge pdf"), make_skill("b", "合并文件")]
    built = SkillIndex.build(skills).built["source"]
    assert isinstance(built, Postings)
    names = ("offsets", "documents", "counts", "impacts", "lengths")
    for name in names:
        np.save(tmp_path / f"{name}.npy", getattr(built, name))
    mapped = {name: np.load(tmp_path / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in names}
    index = SkillIndex(skills, {"source": Postings(vocabulary=built.vocabulary, **mapped)})

    assert (index.scores("source", {"合并": 1}) > 0).tolist() == [False, True]
