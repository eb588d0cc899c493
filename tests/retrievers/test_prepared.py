from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill_selector.retrievers import bundled
from skill_selector.retrievers.blocks import DamagedError
from skill_selector.retrievers.bundled import FEW, BundledEmbeddings
from skill_selector.retrievers.prepared import open_prepared, write_prepared

TEXTS = ["merge three PDF files", "合并三个 PDF 文件", "naïve №5 ﬁle", ""]


@pytest.fixture(scope="module")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a prepared encoder."""
    folder = tmp_path_factory.mktemp("encoder")
    BundledEmbeddings(folder).encode(TEXTS)
    return folder


@pytest.fixture(scope="module")
def original() -> BundledEmbeddings:
    """The encoder as it is."""
    return BundledEmbeddings()


@pytest.fixture(scope="module")
def prepared(encoder_folder: Path) -> BundledEmbeddings:
    """The encoder from the file."""
    return BundledEmbeddings(encoder_folder)


def forbid_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> None:
        raise AssertionError("loaded without need")

    monkeypatch.setattr(bundled, "_load", load)


def test_the_first_use_prepares_what_the_next_process_maps(
    encoder_folder: Path, monkeypatch: pytest.MonkeyPatch, original: BundledEmbeddings
) -> None:
    assert [path.suffix for path in encoder_folder.iterdir()] == [".encoder"]
    expected = original.encode(TEXTS)
    forbid_loading(monkeypatch)
    assert np.array_equal(BundledEmbeddings(encoder_folder).encode(TEXTS), expected)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=80), min_size=1, max_size=6))
def test_vectors_are_those_of_the_encoder_itself(
    prepared: BundledEmbeddings, original: BundledEmbeddings, texts: list[str]
) -> None:
    texts = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    assert np.array_equal(prepared.encode(texts), original.encode(texts))


def test_many_texts_go_to_the_encoder_itself(encoder_folder: Path) -> None:
    embeddings = BundledEmbeddings(encoder_folder)
    embeddings.encode(["a"] * FEW)
    assert embeddings._encoder is None
    embeddings.encode(["a"] * (FEW + 1))
    assert embeddings._encoder is not None


@pytest.mark.parametrize("where", [0.0005, 0.1, 0.5, 0.9, 0.97])
def test_a_damaged_file_never_changes_a_vector(
    encoder_folder: Path, tmp_path: Path, original: BundledEmbeddings, where: float
) -> None:
    [source] = encoder_folder.glob("*.encoder")
    data = bytearray(source.read_bytes())
    at = int(len(data) * where)
    data[at : at + 200_000] = bytes(len(data[at : at + 200_000]))
    (tmp_path / source.name).write_bytes(data)
    texts = [f"{word} and more" for word in ("merge", "split", "draw", "合并", "会议", "compress")]
    assert np.array_equal(BundledEmbeddings(tmp_path).encode(texts), original.encode(texts))


def test_a_file_of_something_else_is_refused_and_replaced(tmp_path: Path, original: BundledEmbeddings) -> None:
    folder = tmp_path / "encoder"
    folder.mkdir()
    embeddings = BundledEmbeddings(folder)
    path = embeddings._path
    assert path is not None
    path.write_bytes(b"something else")
    (folder / "0.0.1.encoder").write_bytes(b"an older release")
    with pytest.raises(DamagedError):
        open_prepared(path, 1)
    assert np.array_equal(embeddings.encode(TEXTS), original.encode(TEXTS))
    assert [one.name for one in folder.iterdir()] == [path.name]
    assert path.stat().st_size > 1_000_000


def test_an_encoder_of_other_parts_is_not_prepared(tmp_path: Path) -> None:
    class Other:
        threads = 1
        _model = object()
        _tokenizer = object()

    assert not write_prepared(tmp_path / "x.encoder", Other())
    assert not (tmp_path / "x.encoder").exists()


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path, original: BundledEmbeddings) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    embeddings = BundledEmbeddings(tmp_path / "file" / "encoder")
    assert np.array_equal(embeddings.encode(TEXTS), original.encode(TEXTS))
