"""The index on disk: what is built again after a change, and that nobody can tell from the scores."""

import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_selector.catalog.scanner import scan
from skill_selector.catalog.skill import Skill
from skill_selector.catalog.snapshot import Snapshots
from skill_selector.retrievers import fields
from skill_selector.retrievers.arrayfile import ORPHANED
from skill_selector.retrievers.fields import FIELDS
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.merged import MergedPostings
from skill_selector.retrievers.segment import Segment
from skill_selector.retrievers.snapshot import IndexSnapshot, document_keys
from skill_selector.retrievers.text import tokenize

MakeSkill = Callable[..., Skill]

WORDS = ["pdf", "csv", "k8s", "merge", "merge-pdf", "数据", "合并"]
TOKENS = sorted({token for word in WORDS for token in tokenize(word)} | {"unknown"})


def skill_of(skill_id: str, body: str, root: str = "/skills", **more: str) -> Skill:
    folder = f"{root}/{skill_id}"
    values = {"name": skill_id, "path": folder, "file": f"{folder}/SKILL.md", "root": root, "digest": body, **more}
    return Skill(id=skill_id, description="", loaded_body=body, **values)  # type: ignore[arg-type]


def opened(skills: Sequence[Skill], folder: Path | None, others: Sequence[Skill] = ()) -> SkillIndex:
    """Return an index over the skills as a new process would make it."""
    return SkillIndex.build(skills, ("body",), snapshot=IndexSnapshot(skills, {"/skills": folder}, others))


def assert_same(one: SkillIndex, other: SkillIndex, field: str = "body", tokens: Sequence[str] = TOKENS) -> None:
    assert one.ids == other.ids
    for token in tokens:
        assert one.document_frequency(field, token) == other.document_frequency(field, token)
        assert one.idf(field, token) == other.idf(field, token)
        assert np.array_equal(one.overlap(field, [token]), other.overlap(field, [token]))
        counts = [one.count(field, at, token) for at in range(len(one))]
        assert counts == [other.count(field, at, token) for at in range(len(one))]
    query = {token: 1.0 + at for at, token in enumerate(tokens)}
    assert np.array_equal(one.scores(field, query), other.scores(field, query))


def segments(folder: Path) -> list[Segment]:
    return [Segment.open(path) for path in sorted(folder.glob("*.segment"))]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The folder of a root's segments."""
    folder = tmp_path / "kept"
    folder.mkdir()
    return folder


@pytest.fixture
def texts_cut(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the skills whose texts are cut into words."""
    ids: list[str] = []
    real = fields.field_words

    def cutting(skill: Skill, field: str) -> list[str]:
        ids.append(skill.id)
        return real(skill, field)

    monkeypatch.setattr(fields, "field_words", cutting)
    return ids


def test_a_new_process_cuts_no_text_of_an_unchanged_catalogue(kept: Path, texts_cut: list[str]) -> None:
    skills = [skill_of(f"s{number}", "merge pdf " * (number + 1)) for number in range(5)]
    first = opened(skills, kept)
    texts_cut.clear()
    second = opened(skills, kept)
    assert texts_cut == []
    assert isinstance(second.built["body"], Segment)
    assert_same(second, first)
    assert_same(second, SkillIndex.build(skills))


def test_only_new_texts_are_cut_and_moved_skills_keep_theirs(kept: Path, texts_cut: list[str]) -> None:
    opened([skill_of("a", "pdf"), skill_of("b", "csv"), skill_of("c", "k8s")], kept)
    texts_cut.clear()
    moved = [skill_of("0", "new pdf"), skill_of("x/a", "pdf", name="a"), skill_of("b", "csv csv"), skill_of("c", "k8s")]
    index = opened(moved, kept)
    assert texts_cut == ["0", "b"]
    assert_same(index, SkillIndex.build(moved))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcdefgh"),
            st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
            max_size=8,
        ),
        min_size=1,
        max_size=6,
    )
)
def test_after_any_changes_it_is_the_same_as_built_from_scratch(catalogues: list[dict[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for texts in catalogues:
            skills = [skill_of(skill_id, texts[skill_id], name="same") for skill_id in sorted(texts)]
            assert_same(opened(skills, Path(folder)), SkillIndex.build(skills))


def test_copies_of_one_skill_count_each(kept: Path) -> None:
    for count in (1, 3, 2, 5):
        skills = [skill_of(f"copy-{number}", "merge pdf", name="same") for number in range(count)]
        index = opened(skills, kept)
        assert index.document_frequency("body", "pdf") == count
        assert_same(index, SkillIndex.build(skills))


def test_the_key_holds_content_and_name() -> None:
    skills = [skill_of("a", "x"), skill_of("b", "x"), skill_of("b", "y"), skill_of("c", "y", name="b")]
    keys = list(document_keys(skills))
    assert len(set(keys)) == 4
    assert list(document_keys([skills[1], skills[0]])) == [keys[1], keys[0]]
    assert next(document_keys([skills[2], skills[2]])) == keys[2]


def test_small_changes_do_not_rewrite_the_large_segment_and_do_not_pile_up(kept: Path) -> None:
    base = {f"s{number:03}": "merge pdf" for number in range(200)}
    opened([skill_of(*one) for one in base.items()], kept)
    [large] = kept.iterdir()
    stamp = large.stat().st_mtime_ns
    for number in range(40):
        base[f"s{number:03}"] = f"csv k8s {number}"
        skills = [skill_of(*one) for one in sorted(base.items())]
        index = opened(skills, kept)
        assert len(list(kept.iterdir())) <= 8
        assert isinstance(index.built["body"], MergedPostings)
    assert large.stat().st_mtime_ns == stamp
    assert_same(index, SkillIndex.build(skills))


def test_when_most_of_a_segment_no_longer_counts_it_is_written_anew(kept: Path) -> None:
    skills = [skill_of(f"s{number:03}", f"merge pdf w{number}") for number in range(100)]
    opened(skills, kept)
    index = opened(skills[:40], kept)
    assert [one.size for one in segments(kept)] == [40]
    assert "w70" not in segments(kept)[0].vocabulary
    assert_same(index, SkillIndex.build(skills[:40]))
    assert isinstance(opened(skills[:40], kept).built["body"], Segment)


def test_what_only_another_selection_of_roots_needs_is_kept(kept: Path, texts_cut: list[str]) -> None:
    skills = [skill_of(f"s{number}", f"pdf {number}") for number in range(10)]
    opened(skills, kept)
    opened(skills[:2], kept, others=skills[2:])
    texts_cut.clear()
    opened(skills, kept)
    assert texts_cut == []


def test_every_root_has_its_own_folder(kept: Path, texts_cut: list[str]) -> None:
    one = [skill_of("a", "pdf"), skill_of("b", "csv")]
    other = [skill_of("o/a", "pdf k8s", root="/other"), skill_of("o/c", "csv", root="/other")]
    folders = {"/skills": kept / "one", "/other": kept / "other"}
    for folder in folders.values():
        folder.mkdir()
    both = SkillIndex.build([*one, *other], ("body",), snapshot=IndexSnapshot([*one, *other], folders))
    assert_same(both, SkillIndex.build([*one, *other]))
    texts_cut.clear()
    SkillIndex.build(other, ("body",), snapshot=IndexSnapshot(other, folders))
    assert texts_cut == []


@pytest.mark.parametrize("damage", ["truncate", "scribble", "byte"])
def test_a_damaged_segment_is_built_anew_whenever_that_is_found_out(kept: Path, damage: str) -> None:
    skills = [skill_of(f"s{number}", "merge pdf " * (number + 1)) for number in range(5)]
    truth = SkillIndex.build(skills)
    opened(skills, kept)
    [path] = kept.iterdir()
    data = bytearray(path.read_bytes())
    if damage == "byte":
        at = data.index(np.float32(truth.built.get("body", truth._field("body")).scores({"pdf": 1})[0]).tobytes())
        data[at] ^= 1  # a score
    path.write_bytes({"truncate": bytes(data[:50]), "scribble": b"?" * 5000, "byte": bytes(data)}[damage])
    index = opened(skills, kept)
    assert_same(index, truth)
    assert_same(opened(skills, kept), truth)
    assert [one.size for one in segments(kept)] == [5]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=4))
def test_bits_that_change_on_disk_change_no_score_and_raise_nothing(flips: list[tuple[float, int]]) -> None:
    skills = [skill_of(f"s{number}", " ".join(WORDS[: number + 1])) for number in range(6)]
    truth = SkillIndex.build(skills)
    with tempfile.TemporaryDirectory() as folder:
        opened(skills[:4], Path(folder))
        opened(skills, Path(folder))
        for path in Path(folder).iterdir():
            data = bytearray(path.read_bytes())
            for place, bits in flips:
                data[int(place * len(data))] ^= bits
            path.write_bytes(data)
        assert_same(opened(skills, Path(folder)), truth)


def test_where_damage_cannot_be_removed_the_index_is_built_in_memory(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skills = [skill_of("a", "pdf"), skill_of("b", "csv pdf")]
    opened(skills, kept)
    [path] = kept.iterdir()
    data = bytearray(path.read_bytes())
    data[data.index(b"csv\npdf\n")] ^= 1
    path.write_bytes(data)
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(PermissionError("mapped")))
    assert_same(opened(skills, kept), SkillIndex.build(skills))


def test_a_full_disk_is_said_once_and_costs_only_the_snapshot(
    kept: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    skills = [skill_of("a", "pdf"), skill_of("b", "csv pdf")]
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert_same(opened(skills, kept), SkillIndex.build(skills))
    assert len(caplog.records) == 1
    assert list(kept.iterdir()) == []


def test_without_a_folder_everything_is_built_in_memory() -> None:
    skills = [skill_of("a", "pdf"), skill_of("b", "csv pdf")]
    assert_same(opened(skills, None), SkillIndex.build(skills))


def test_a_file_that_was_edited_after_the_scan_is_searched_but_not_kept(skills_root: Path, kept: Path) -> None:
    for name, text in (("kite", "pdf"), ("boat", "csv")):
        (skills_root / name).mkdir()
        (skills_root / name / "SKILL.md").write_text(
            f"---\nname: {name}\ndescription: d\n---\n{text}", encoding="utf-8"
        )
    skills = scan(skills_root, snapshots=Snapshots()).skills
    (skills_root / "kite" / "SKILL.md").write_text("---\nname: kite\ndescription: d\n---\nk8s", encoding="utf-8")
    snapshot = IndexSnapshot(skills, {skills_root.as_posix(): kept})
    index = SkillIndex.build(skills, ("body", "name"), snapshot=snapshot)
    assert index.has("body", index.position("kite"), "k8s")
    written = {path.name.partition("-")[0]: Segment.open(path) for path in kept.iterdir()}
    assert (written["body"].size, list(written["body"].vocabulary)) == (1, ["csv"])
    assert written["name"].size == 2


def test_files_that_were_not_finished_go_when_they_are_old(kept: Path) -> None:
    for name, age in (("old.tmp", ORPHANED + 60), ("young.tmp", 60)):
        (kept / name).write_bytes(b"half")
        os.utime(kept / name, (time.time() - age, time.time() - age))
    opened([skill_of("a", "pdf")], kept)
    assert sorted(path.suffix for path in kept.iterdir()) == [".segment", ".tmp"]
    assert (kept / "young.tmp").exists()


def test_all_fields_survive(kept: Path, make_skill: MakeSkill) -> None:
    skills = [
        make_skill("join", "Merges PDF files", "pdf " * 3000, when_to_use="paper", tags=("office",), root="/skills"),
        make_skill("图表", "把数据画成图表", "数据", triggers=("画图",), root="/skills"),
    ]
    tokens = [*TOKENS, "paper", "offic", "图表", "join"]
    for _ in range(2):
        index = SkillIndex.build(skills, FIELDS, snapshot=IndexSnapshot(skills, {"/skills": kept}))
        for field in FIELDS:
            assert_same(index, SkillIndex.build(skills), field, tokens)


PROCESS = """
import os, signal, sys
from pathlib import Path
from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.snapshot import IndexSnapshot
{setup}
folder, seed = Path(sys.argv[1]), int(sys.argv[2])
for turn in range({turns}):
    texts = {{f"s{{n:02}}": f"pdf {{(n * 7 + turn * seed) % 5}} csv" for n in range(30 + (turn * seed) % 9)}}
    skills = [Skill(id=i, name=i, description="", path=i, file=i, root="/skills", digest=t, loaded_body=t)
              for i, t in texts.items()]
    index = SkillIndex.build(skills, ("body",), snapshot=IndexSnapshot(skills, {{"/skills": folder}}))
    plain = SkillIndex.build(skills, ("body",))
    query = {{"pdf": 1.0, "csv": 2.0, "3": 1.0}}
    assert (index.scores("body", query) == plain.scores("body", query)).all()
print("done")
"""


def start_process(folder: Path, seed: int, turns: int = 1, setup: str = "") -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", PROCESS.format(turns=turns, setup=setup), str(folder), str(seed)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_that_index_and_merge_at_the_same_time_do_not_disturb_each_other(kept: Path) -> None:
    """Each sees another catalogue, so that they write, merge and remove segments under each other's hands."""
    processes = [start_process(kept, seed, turns=25) for seed in (1, 2, 3)]
    for process in processes:
        output, errors = process.communicate(timeout=60)
        assert (output, errors) == ("done\n", "")
    assert {path.suffix for path in kept.iterdir()} == {".segment"}


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_process_that_is_killed_while_it_writes_leaves_nothing_that_is_believed(kept: Path) -> None:
    killing = "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)"
    killed = start_process(kept, 1, setup=killing)
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert [path.suffix for path in kept.iterdir()] == [".tmp"]
    after = start_process(kept, 1)
    assert after.communicate(timeout=60)[0] == "done\n"
    assert sorted(path.suffix for path in kept.iterdir()) == [".segment", ".tmp"]
