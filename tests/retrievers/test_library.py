"""Catalogue and index together, between runs and between processes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skill_selector.catalog import scanner, snapshot
from skill_selector.catalog.source import Source, read_source
from skill_selector.retrievers import fields
from skill_selector.retrievers.library import Library, LibraryCache

WriteSkill = Callable[..., Path]


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take files that were written a moment ago as old."""
    monkeypatch.setattr(snapshot, "MARGIN_NS", 0)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read and cut into words."""
    done: list[str] = []
    cut = fields.field_words

    def reading(file: str, *args: int) -> Source:
        done.append(f"read {Path(file).parent.name}")
        time.sleep(0.01)  # so that threads meet
        return read_source(file, *args)

    monkeypatch.setattr(scanner, "read_source", reading)
    monkeypatch.setattr(fields, "field_words", lambda skill, field: done.append(f"cut {skill.id}") or cut(skill, field))  # type: ignore[func-returns-value]
    return done


def load(root: Path, libraries: LibraryCache | None = None) -> Library:
    """Load a folder, by default as a new process does it."""
    library = (libraries or LibraryCache()).load([str(root)], cache_dir=os.environ["SELECTOR_CACHE_DIR"])
    library.index()
    return library


def test_the_next_process_reads_and_cuts_nothing(pdf_skills: Path, work: list[str]) -> None:
    first = load(pdf_skills)
    work.clear()
    second = load(pdf_skills)
    assert work == []
    assert second.catalog == first.catalog
    assert second.index().scores("source", {"pdf": 1}).tolist() == first.index().scores("source", {"pdf": 1}).tolist()


@pytest.mark.parametrize("restart", [True, False])
def test_an_edit_costs_one_file_and_one_text(
    pdf_skills: Path, write_skill: WriteSkill, work: list[str], restart: bool
) -> None:
    libraries = LibraryCache()
    load(pdf_skills, libraries)
    work.clear()
    file = pdf_skills / "csv-chart" / "SKILL.md"
    file.write_text(file.read_text(encoding="utf-8").replace("CSV tables", "PDF tables"), encoding="utf-8")
    index = load(pdf_skills, None if restart else libraries).index()
    assert work == ["read csv-chart", "cut csv-chart"]
    assert index.document_frequency("source", "pdf") == 2


def test_a_library_stays_while_nothing_changes_and_comes_back_by_its_digest(pdf_skills: Path) -> None:
    libraries = LibraryCache()
    first = load(pdf_skills, libraries)
    assert load(pdf_skills, libraries) is first
    assert libraries.recall(first.catalog.roots, first.catalog.digest) is first
    again = LibraryCache().recall(first.catalog.roots, first.catalog.digest)
    assert again.catalog.digest == first.catalog.digest


def test_threads_that_ask_at_once_read_every_file_once(pdf_skills: Path, work: list[str]) -> None:
    libraries = LibraryCache()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: load(pdf_skills, libraries), range(8)))
    assert len({id(one) for one in found}) == 1
    assert len(work) == len(set(work)) == 6


def test_switched_off_nothing_is_written_and_nothing_is_missing(pdf_skills: Path, tmp_path: Path) -> None:
    library = LibraryCache().load([str(pdf_skills)], cache_dir="off")
    assert library.index().document_frequency("source", "pdf") == 1
    assert not (tmp_path / "cache").exists()


def test_skills_kept_out_and_shadowed_ones_do_not_disturb_the_snapshot(
    pdf_skills: Path, write_skill: WriteSkill, tmp_path: Path, work: list[str]
) -> None:
    write_skill("by-hand", "Only by hand", **{"disable-model-invocation": "true"})
    write_skill("pdf-merge", "Another way to merge PDF files", root=tmp_path / "own")
    roots = [str(pdf_skills), str(tmp_path / "own")]
    cache_dir = str(tmp_path / "cache")

    def counts() -> list[int]:
        both = LibraryCache().load(roots, cache_dir=cache_dir).index()
        alone = LibraryCache().load(roots[:1], cache_dir=cache_dir).index()
        return [
            len(both),
            len(alone),
            both.document_frequency("source", "pdf"),
            both.document_frequency("source", "way"),
        ]

    assert counts() == [3, 3, 1, 1]
    work.clear()
    assert counts() == [3, 3, 1, 1]
    assert work == []


def test_the_setting_moves_the_snapshot(pdf_skills: Path, tmp_path: Path) -> None:
    LibraryCache().load([str(pdf_skills)], cache_dir=str(tmp_path / "elsewhere")).index()
    assert list((tmp_path / "elsewhere").rglob("*.segment"))
    assert list((tmp_path / "elsewhere").rglob("*.sqlite"))


SELECT = """
import json, sys
from skill_selector import select_skill
selection = select_skill(sys.argv[1], sys.argv[2], offline=True, top_k=5)
print(json.dumps({"best": selection.best, "loaded": [name for name in ("jieba", "opencc") if name in sys.modules]}))
"""


def test_an_english_task_does_without_the_chinese_dictionary_once_the_snapshot_is_there(
    pdf_skills: Path, write_skill: WriteSkill
) -> None:
    write_skill("周报-整理", "整理每周工作。Not for 扫描件.", when_to_use="用户要写周报")
    results = []
    for _ in range(2):
        command = [sys.executable, "-c", SELECT, "Merge several PDF files into one document", str(pdf_skills)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
        results.append(json.loads(done.stdout))
    assert results[0]["loaded"] == ["jieba", "opencc"]
    assert results[1]["loaded"] == []
    assert results[0]["best"] == results[1]["best"] is not None
