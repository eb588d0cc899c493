"""Sorted tokens in a block of text, found without reading it: a dictionary of a million takes too long to load."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_selector.retrievers.blocks import Guard

BUCKET = 64
"""How many tokens are read to find one."""

_NEWLINE = b"\n"


class Lexicon(Mapping[str, int]):
    """The number of each token, which is its place among the sorted ones."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], guard: Guard, size: int) -> None:
        """Take the arrays of `lexicon_arrays`; `guard` is that of the text.

        Raises:
            ValueError: they are not of so many tokens.
        """
        self._starts = arrays["starts"].tolist()
        self._text = arrays["text"]
        self._heads = arrays["heads"].tobytes().split(_NEWLINE) if size else []
        self._guard = guard
        self._size = size
        if len(self._heads) != -(-size // BUCKET) or len(self._starts) != len(self._heads) + 1:
            raise ValueError("the tokens are not all there")

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        for bucket in range(len(self._heads)):
            yield from (_decoded(token) for token in self._bucket(bucket))

    def __getitem__(self, token: str) -> int:
        number = self._number(token)
        if number is None:
            raise KeyError(token)
        return number

    def get(self, token: str, default: Any = None) -> Any:
        """Return the token's number, or the default: most tokens that are asked for are not there."""
        number = self._number(token)
        return default if number is None else number

    def _number(self, token: str) -> int | None:
        encoded = _encoded(token)
        bucket = bisect_right(self._heads, encoded) - 1
        if bucket < 0 or _NEWLINE in encoded:
            return None
        if self._heads[bucket] == encoded:
            return bucket * BUCKET
        lines = self._lines(bucket)
        at = lines.find(_NEWLINE + encoded + _NEWLINE)
        return None if at < 0 else bucket * BUCKET + lines.count(_NEWLINE, 0, at + 1)

    def _bucket(self, bucket: int) -> list[bytes]:
        return self._lines(bucket)[:-1].split(_NEWLINE)

    def _lines(self, bucket: int) -> bytes:
        start, end = self._starts[bucket], self._starts[bucket + 1]
        self._guard.check(start, end)
        return self._text[start:end].tobytes()


def sorted_tokens(vocabulary: Mapping[str, int]) -> tuple[list[bytes], NDArray[np.int64]]:
    """Return the tokens in the order of their bytes, and the number of each in a vocabulary, which lists them by it."""
    pairs = sorted((_encoded(token), number) for number, token in enumerate(vocabulary))
    return [token for token, _ in pairs], np.array([number for _, number in pairs], dtype=np.int64)


def lexicon_arrays(tokens: Iterable[bytes]) -> dict[str, NDArray[Any]]:
    """Return sorted tokens as arrays: the first of each bucket, where the buckets start, and the text."""
    listed = list(tokens)
    buckets = [_NEWLINE.join(listed[at : at + BUCKET]) + _NEWLINE for at in range(0, len(listed), BUCKET)]
    starts = np.cumsum([0, *map(len, buckets)])
    heads = _NEWLINE.join(listed[::BUCKET])
    return {
        "heads": np.frombuffer(heads, dtype=np.uint8),
        "starts": starts.astype(np.int64),
        "text": np.frombuffer(b"".join(buckets), dtype=np.uint8),
    }


def _encoded(token: str) -> bytes:
    return token.encode("utf-8", "surrogatepass")


def _decoded(token: bytes) -> str:
    return token.decode("utf-8", "surrogatepass")
