import os
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.arrayfile import ORPHANED
from skill_selector.retrievers.blocks import DamagedError
from skill_selector.retrievers.vectors import (
    TEXT_LENGTH,
    VectorFile,
    VectorStore,
    embedded_text,
    text_key,
)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    folder = tmp_path / "kept"
    folder.mkdir()
    return folder


def skill_of(name: str, description: str, body: str = "") -> Skill:
    return Skill(
        id=name, name=name, description=description, path="", file="", root="/r", digest=name, loaded_body=body
    )


def rows_of(*seeds: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.stack([np.random.default_rng(seed).normal(size=8).astype(np.float32) for seed in seeds])


def keys_of(*texts: str) -> list[bytes]:
    return [text_key(text) for text in texts]


def test_the_name_stands_in_words_before_the_description_and_the_body_does_not_count() -> None:
    text = embedded_text(skill_of("pdf-merge_tool", "Merge  PDF\nfiles.", "A body."))
    assert text == "pdf merge tool. Merge PDF files."


@given(st.text(max_size=600), st.text(max_size=30))
def test_the_text_is_bounded_and_always_has_a_key(description: str, name: str) -> None:
    text = embedded_text(skill_of(name, description))
    assert len(text) <= TEXT_LENGTH
    assert len(text_key(text)) == 16


def test_what_is_added_is_found_by_another_store(kept: Path) -> None:
    rows = rows_of(1, 2)
    assert VectorStore(kept).add(keys_of("a", "b"), rows)
    other = VectorStore(kept)
    assert other.refresh()
    [file] = other.files.values()
    assert list(file.keys) == keys_of("a", "b")
    assert np.array_equal(file.rows, rows)
    assert not other.refresh()


@pytest.mark.parametrize("where", [0.01, 0.2, 0.9, 0.99])
def test_a_damaged_file_is_thrown_away(kept: Path, where: float) -> None:
    VectorStore(kept).add(keys_of("a", "b"), rows_of(1, 2))
    [path] = kept.iterdir()
    data = bytearray(path.read_bytes())
    data[int(len(data) * where)] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(DamagedError):
        VectorFile.open(path)
    store = VectorStore(kept)
    store.refresh()
    assert store.files == {}
    assert list(kept.iterdir()) == []


@pytest.mark.parametrize("length", [0, 10, 100])
def test_a_file_that_was_cut_off_is_thrown_away(kept: Path, length: int) -> None:
    VectorStore(kept).add(keys_of("a", "b"), rows_of(1, 2))
    [path] = kept.iterdir()
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DamagedError):
        VectorFile.open(path)


def test_many_small_files_become_one_that_holds_the_same(kept: Path) -> None:
    store = VectorStore(kept)
    texts = [f"text {number}" for number in range(5)]
    for number, text in enumerate(texts):
        store.add(keys_of(text), rows_of(number))
    assert store.tidy(keys_of(*reversed(texts)))
    [path] = kept.iterdir()
    file = VectorFile.open(path)
    assert list(file.keys) == keys_of(*reversed(texts))
    assert np.array_equal(file.rows, rows_of(4, 3, 2, 1, 0))


def test_rows_that_no_skill_has_go_when_they_are_the_larger_part(kept: Path) -> None:
    store = VectorStore(kept)
    store.add(keys_of("a", "b", "c"), rows_of(1, 2, 3))
    assert not store.tidy(keys_of("a", "b"))
    assert store.tidy(keys_of("b"))
    [path] = kept.iterdir()
    assert VectorFile.open(path).keys == (text_key("b"),)
    assert store.tidy([])
    assert list(kept.iterdir()) == []


def test_unfinished_files_of_others_go_after_an_hour(kept: Path) -> None:
    for name, age in (("old.tmp", ORPHANED + 60), ("young.tmp", 60)):
        (kept / name).write_bytes(b"x")
        os.utime(kept / name, (time.time() - age,) * 2)
    VectorStore(kept).tidy([])
    assert [path.name for path in kept.iterdir()] == ["young.tmp"]


def test_a_folder_that_cannot_be_written_is_no_error(kept: Path) -> None:
    store = VectorStore(kept / "missing")
    assert not store.add(keys_of("a"), rows_of(1))
    store.refresh()
    assert store.files == {}
