"""Postings in a file: what is written comes back, and what was damaged is not believed."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_selector.retrievers import segment as module
from skill_selector.retrievers.blocks import BLOCK, DamagedError, Guard, block_sums
from skill_selector.retrievers.lexicon import BUCKET
from skill_selector.retrievers.postings import Postings
from skill_selector.retrievers.segment import KEY_LENGTH, Segment, write_segment

WORDS = ["k8s", "pdf", "csv", "c++", "数据", "合并", "日本語", "é", "🙂x", "node.js"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), max_size=8)


def keys_of(count: int) -> bytes:
    return b"".join(number.to_bytes(KEY_LENGTH, "big") for number in range(count))


def written(folder: Path, documents: Sequence[list[str]]) -> tuple[Path, Postings]:
    path = folder / "body-1.segment"
    postings = Postings.build(documents, len(documents))
    write_segment(path, postings, keys_of(len(documents)))
    return path, postings


@pytest.fixture
def large(tmp_path: Path) -> tuple[Path, Postings]:
    """More tokens than a bucket holds, more bytes than a block."""
    documents = [[f"w{number}", f"w{number % 50}", "all"] for number in range(12_000)]
    return written(tmp_path, documents)


def assert_equal(found: Postings, expected: Postings, tokens: Sequence[str]) -> None:
    assert found.size == expected.size
    for token in tokens:
        assert found.document_frequency(token) == expected.document_frequency(token)
        assert np.array_equal(found.scores({token: 1.0}), expected.scores({token: 1.0}))
        assert np.array_equal(found.overlap([token]), expected.overlap([token]))
        documents, frequencies = expected.occurrences(token)
        matches = found.matches([token, "nowhere"])
        assert set(matches) == ({token} if len(documents) else set())
        assert not matches or np.array_equal(matches[token], (documents, frequencies))
        assert [token in found.held(at, [token]) for at in range(min(found.size, 50))] == [
            at in documents for at in range(min(found.size, 50))
        ]
        assert [found.count(at, token) for at in range(min(found.size, 50))] == [
            expected.count(at, token) for at in range(min(found.size, 50))
        ]


@settings(deadline=None)
@given(texts)
def test_what_is_written_comes_back(documents: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, postings = written(Path(folder), documents)
        segment = Segment.open(path)
        segment.check()
        assert_equal(segment, postings, [*WORDS, "unknown", "", "zzz", "\ud800"])
        assert list(segment.vocabulary) == sorted(postings.vocabulary, key=lambda token: token.encode())
        assert dict(segment.vocabulary) == {token: at for at, token in enumerate(segment.vocabulary)}
        assert b"".join(segment.keys) == keys_of(len(documents))


def test_many_tokens_are_found_without_reading_them_all(large: tuple[Path, Postings]) -> None:
    path, postings = large
    segment = Segment.open(path)
    assert len(segment.vocabulary) > 2 * BUCKET
    assert_equal(segment, postings, ["all", "w0", "w49", "w50", "w11999", "w12000", "a", "zz"])
    unread = [sum(guard._open) for name, guard in segment.guards.items() if name in ("text", "offsets")]
    assert all(unread)


def test_no_more_places_are_remembered_than_allowed(
    large: tuple[Path, Postings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SLICES", 10)
    segment = Segment.open(large[0])
    for _ in range(2):
        assert [segment.document_frequency(f"w{number}") for number in range(50, 90)] == [1] * 40
        assert segment.document_frequency("nowhere") == 0
    assert len(segment._slices) <= 10


def test_arrays_are_mapped_and_cannot_be_written(large: tuple[Path, Postings]) -> None:
    segment = Segment.open(large[0])
    assert not segment.documents.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        segment.documents[0] = 1


@pytest.mark.parametrize("cut", [0, 1, 30, 60, 200, -1])
def test_a_file_that_is_not_whole_is_not_believed(large: tuple[Path, Postings], cut: int) -> None:
    path, _ = large
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(DamagedError):
        Segment.open(path)


@pytest.mark.parametrize("content", [b"\0" * 4096, b"PK\x03\x04 something else" * 100, b"{}"])
def test_a_foreign_file_is_not_believed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "body-1.segment"
    path.write_bytes(content)
    with pytest.raises(DamagedError):
        Segment.open(path)


def test_more_after_the_end_is_not_believed(large: tuple[Path, Postings]) -> None:
    path, _ = large
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(DamagedError):
        Segment.open(path)


@settings(deadline=None)
@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_a_changed_byte_anywhere_is_found_before_it_counts(place: float, bits: int) -> None:
    documents = [[WORDS[number % 10], WORDS[number % 7], f"w{number}"] for number in range(200)]
    with tempfile.TemporaryDirectory() as folder:
        path, postings = written(Path(folder), documents)
        data = bytearray(path.read_bytes())
        data[int(place * len(data))] ^= bits
        path.write_bytes(data)
        with suppress(DamagedError):
            segment = Segment.open(path)
            assert_equal(segment, postings, [*WORDS, "w3", "w150", "none"])


def test_values_that_point_outside_are_not_believed_even_with_their_checksum(tmp_path: Path) -> None:
    postings = Postings.build([["pdf"], ["pdf", "csv"]], 2)
    path = tmp_path / "a.segment"
    for changed in (
        {"documents": np.array([0, 1, 2], dtype=np.int32)},
        {"documents": np.array([-1, 0, 1], dtype=np.int32)},
        {"offsets": np.array([0, 2, 9], dtype=np.int64)},
        {"offsets": np.array([2, 0, 1], dtype=np.int64)},
    ):
        wrong = {name: getattr(postings, name) for name in ("offsets", "documents", "counts", "impacts", "lengths")}
        with pytest.MonkeyPatch.context() as patch:
            arrays = module._arrays_of(postings, keys_of(2)) | changed
            patch.setattr(module, "_arrays_of", lambda *_, arrays=arrays: arrays)
            write_segment(path, Postings(vocabulary=postings.vocabulary, **wrong), keys_of(2))
        segment = Segment.open(path)
        with pytest.raises(DamagedError):
            segment.scores({"pdf": 1, "csv": 1})
        with pytest.raises(DamagedError):
            segment.check()


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    path, postings = written(folder, [["pdf"]])

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        written(folder, [["csv"]])
    assert list(folder.iterdir()) == [path]
    assert_equal(Segment.open(path), postings, ["pdf", "csv"])


@pytest.mark.parametrize("length", [0, 1, 3 * BLOCK // 4 + 5])
def test_a_guard_looks_at_the_blocks_that_are_used(length: int, tmp_path: Path) -> None:
    values = np.arange(length, dtype=np.int32)
    sums = block_sums(values)
    assert len(sums) == -(-values.nbytes // BLOCK)
    guard = Guard(tmp_path, values, sums)
    guard.check()
    if length > BLOCK:
        damaged = values.copy()
        damaged[BLOCK // 4] += 1  # the first of the second block
        guard = Guard(tmp_path, damaged, sums)
        guard.check(0, BLOCK // 4)
        guard.check(2 * BLOCK // 4, len(values))
        for start, end in ((BLOCK // 4, BLOCK // 4 + 1), (0, BLOCK // 4 + 1), (0, len(values))):
            with pytest.raises(DamagedError):
                guard.check(start, end)
    for start, end in ((-1, 0), (1, 0), (0, len(values) + 1)):
        with pytest.raises(DamagedError):
            guard.check(start, end)
