"""Named arrays in one file that is never changed: written whole, mapped into memory, checked where it is read.

The file is a header in JSON with its checksum, the checksums of the arrays' blocks, and the arrays.
"""

import json
import mmap
import os
import struct
import time
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skill_selector.retrievers.blocks import BLOCK, DamagedError, block_sums

TEMPORARY = ".tmp"
ORPHANED = 3600.0
"""Seconds after which a file that was not finished is removed."""

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Sums: TypeAlias = Mapping[str, NDArray[np.uint32]]

_PREFIX = struct.Struct("<II")
"""Length and checksum of the header."""
_ALIGNED = 64

MALFORMED = (ValueError, TypeError, LookupError, AttributeError, OverflowError, struct.error)
"""What reading a file raises that holds something else."""


def map_arrays(path: Path, magic: bytes, types: Mapping[str, str]) -> tuple[Arrays, Sums]:
    """Return the arrays of a file, mapped, and the checksums of their blocks, which are not yet compared.

    Args:
        path: the file.
        magic: what it must begin with.
        types: the type of each array, in order.

    Raises:
        DamagedError: it is not one of ours, or not whole.
        OSError: it cannot be read; FileNotFoundError where it has just been removed.
    """
    with open(path, "rb") as file:
        try:
            return _read(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), magic, types)
        except MALFORMED as error:
            raise DamagedError(path) from error


def write_arrays(path: Path, magic: bytes, types: Mapping[str, str], arrays: Arrays) -> None:
    """Write arrays of these types to a file, at once or not at all.

    Raises:
        OSError: it cannot be written.
    """
    sums = {name: block_sums(values) for name, values in arrays.items()}
    table = np.concatenate([sums[name] for name in types]).tobytes()
    header = json.dumps({"lengths": [len(arrays[name]) for name in types], "table": zlib.crc32(table)}).encode()
    # In the same folder, so that the last step is a renaming: whoever looks finds the whole file or none.
    temporary = NamedTemporaryFile(dir=path.parent, prefix=path.stem, suffix=TEMPORARY, delete=False)  # noqa: SIM115
    try:
        with temporary as file:
            file.write(magic + _PREFIX.pack(len(header), zlib.crc32(header)) + header + table)
            for name in types:
                file.write(bytes(-file.tell() % _ALIGNED))
                file.write(np.ascontiguousarray(arrays[name]).data.cast("B"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary.name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary.name)
        raise
    _sync_folder(path.parent)


def worth_merging(sizes: Sequence[tuple[int, int]]) -> list[int]:
    """Return which of several files to merge into one, by their places; none where that does not pay.

    A file is merged with all smaller ones where it is no larger than they are together, so that there are few files
    and an entry is written again at most as often as their number doubles; so is a file of which less than half counts.

    Args:
        sizes: how many entries of each file still count, and how many it has.
    """
    ordered = sorted((alive, at) for at, (alive, _) in enumerate(sizes))
    count, total = 0, 0
    for place, (alive, _at) in enumerate(ordered):
        # Afterwards each file is larger than all smaller ones together. A larger one may still be due for merging
        # behind one that is not, so the search goes on to the end.
        count = place + 1 if place and alive <= total else count
        total += alive
    chosen = [at for _, at in ordered[:count]]
    sparse = [at for at, (alive, size) in enumerate(sizes) if 2 * alive < size]
    return list(dict.fromkeys([*chosen, *sparse]))


def sweep_unfinished(folder: Path) -> None:
    """Remove what other processes began to write and did not finish."""
    for path in folder.glob(f"*{TEMPORARY}"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ORPHANED:
                path.unlink()


def _read(data: mmap.mmap, magic: bytes, types: Mapping[str, str]) -> tuple[Arrays, Sums]:
    start = len(magic) + _PREFIX.size
    if data[: len(magic)] != magic:
        raise ValueError("not one of ours")
    length, checksum = _PREFIX.unpack(data[len(magic) : start])
    header = data[start : start + length]
    if zlib.crc32(header) != checksum:
        raise ValueError("the header was changed")
    values = json.loads(header)
    kinds = {name: np.dtype(kind) for name, kind in types.items()}
    lengths = dict(zip(types, values["lengths"], strict=True))
    blocks = {name: -(-lengths[name] * kinds[name].itemsize // BLOCK) for name in types}
    at = start + length
    table = np.frombuffer(data, dtype="<u4", count=sum(blocks.values()), offset=at)
    if zlib.crc32(table.data) != values["table"]:
        raise ValueError("the checksums were changed")
    at += table.nbytes
    arrays, sums, used = {}, {}, 0
    for name, kind in kinds.items():
        at += -at % _ALIGNED
        arrays[name] = np.frombuffer(data, dtype=kind, count=lengths[name], offset=at)
        at += arrays[name].nbytes
        sums[name] = table[used : used + blocks[name]]
        used += blocks[name]
    if at != len(data):
        raise ValueError("the file has another length")
    return arrays, sums


def _sync_folder(folder: Path) -> None:
    """Make a renaming last, where the system has a way to."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
