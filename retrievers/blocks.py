"""Checksums of an array by blocks, compared when a block is first used."""

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 14
"""Bytes of a block: a few microseconds to check, and few enough checksums."""


class DamagedError(Exception):
    """A file does not hold what was written to it."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is damaged")
        self.path = path


class Guard:
    """Checks the blocks of one array, each once. Threads may share it."""

    def __init__(self, path: Path, values: NDArray[Any], sums: NDArray[np.uint32], below: int | None = None) -> None:
        """Take an array with the checksums of its blocks; its values must be 0 or more and less than `below`."""
        self._path = path
        self._values = values
        self._sums = sums
        self._below = below
        self._length = BLOCK // values.itemsize
        self._open = bytearray(b"\1" * len(sums))

    def check(self, start: int = 0, end: int | None = None) -> None:
        """Check the blocks that hold the values from `start` up to `end`; all of them by default.

        Raises:
            DamagedError: one of them was changed, or there are no such values.
        """
        end = len(self._values) if end is None else end
        if not 0 <= start <= end <= len(self._values):
            raise DamagedError(self._path)
        block, last = start // self._length, -(-end // self._length)
        while (block := self._open.find(1, block, last)) >= 0:
            self._check_block(block)

    def _check_block(self, block: int) -> None:
        values = self._values[block * self._length : (block + 1) * self._length]
        if zlib.crc32(values.data) != self._sums[block]:
            raise DamagedError(self._path)
        if self._below is not None and not (values.min() >= 0 and values.max() < self._below):
            raise DamagedError(self._path)
        self._open[block] = 0


def block_sums(values: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the checksum of each block of an array."""
    length = BLOCK // values.itemsize
    sums = [zlib.crc32(values[at : at + length].data) for at in range(0, len(values), length)]
    return np.array(sums, dtype="<u4")
