"""Postings in one file that is never changed: written whole, mapped into memory, checked where it is read.

The file is a header in JSON with its checksum, the checksums of the arrays' blocks, and the arrays. At the start, the
header and what has one value a document are checked. Everything else is checked block by block, the first time that a
query needs it: a checksum over the whole of a large index would cost more at every start than the queries.
"""

import json
import mmap
import os
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skill_selector.retrievers.blocks import BLOCK, DamagedError, Guard, block_sums
from skill_selector.retrievers.lexicon import Lexicon, lexicon_arrays, sorted_tokens
from skill_selector.retrievers.postings import Postings

SUFFIX, TEMPORARY = ".segment", ".tmp"
KEY_LENGTH = 16
"""Bytes of a document's key."""

_MAGIC = b"skill-selector segment 1\n"
_PREFIX = struct.Struct("<II")
"""Length and checksum of the header."""
_ALIGNED = 64
_TYPES = {
    "keys": "u1",
    "lengths": "<i4",
    "offsets": "<i8",
    "documents": "<i4",
    "counts": "<u2",
    "impacts": "<f4",
    "heads": "u1",
    "starts": "<i8",
    "text": "u1",
}

_Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Segment(Postings):
    """Postings that are mapped from a file, with the key of each document."""

    path: Path
    keys: tuple[bytes, ...]
    guards: Mapping[str, Guard]

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a file.

        Raises:
            DamagedError: it is not one of ours, or not whole.
            OSError: it cannot be read; FileNotFoundError where it has just been removed.
        """
        with open(path, "rb") as file:
            try:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                return cls._of_arrays(path, *_read_arrays(data))
            except (ValueError, TypeError, LookupError, AttributeError, OverflowError, struct.error) as error:
                raise DamagedError(path) from error

    @classmethod
    def _of_arrays(cls, path: Path, arrays: _Arrays, sums: Mapping[str, NDArray[np.uint32]]) -> Self:
        size = len(arrays["lengths"])
        guards = {
            name: Guard(path, values, sums[name], size if name == "documents" else None)
            for name, values in arrays.items()
        }
        for name in ("keys", "lengths", "heads", "starts"):
            guards[name].check()
        keys = arrays["keys"].tobytes()
        if len(keys) != size * KEY_LENGTH or not len(arrays["offsets"]):
            raise DamagedError(path)
        return cls(
            vocabulary=Lexicon(arrays, guards["text"], len(arrays["offsets"]) - 1),
            **{name: arrays[name] for name in ("offsets", "documents", "counts", "impacts", "lengths")},
            path=path,
            keys=tuple(keys[at : at + KEY_LENGTH] for at in range(0, len(keys), KEY_LENGTH)),
            guards=guards,
        )

    def check(self) -> None:
        """Check all of it, for whoever reads all of it.

        Raises:
            DamagedError: the file was changed.
        """
        for guard in self.guards.values():
            guard.check()
        if (np.diff(self.offsets) < 0).any() or self.offsets[0] != 0 or self.offsets[-1] != len(self.documents):
            raise DamagedError(self.path)

    def _slice(self, token: str) -> tuple[int, int]:
        at = self.vocabulary.get(token)
        if at is None:
            return 0, 0
        self.guards["offsets"].check(at, at + 2)
        start, end = int(self.offsets[at]), int(self.offsets[at + 1])
        for name in ("documents", "counts", "impacts"):
            self.guards[name].check(start, end)
        return start, end


def write_segment(path: Path, postings: Postings, keys: bytes) -> None:
    """Write postings to a file, at once or not at all.

    Args:
        path: the file.
        postings: what to write.
        keys: `KEY_LENGTH` bytes for each document.

    Raises:
        OSError: it cannot be written.
    """
    arrays = _arrays_of(postings, keys)
    sums = {name: block_sums(values) for name, values in arrays.items()}
    table = np.concatenate([sums[name] for name in _TYPES]).tobytes()
    header = json.dumps({"lengths": [len(arrays[name]) for name in _TYPES], "table": zlib.crc32(table)}).encode()
    # In the same folder, so that the last step is a renaming: whoever looks finds the whole file or none.
    temporary = NamedTemporaryFile(dir=path.parent, prefix=path.stem, suffix=TEMPORARY, delete=False)  # noqa: SIM115
    try:
        with temporary as file:
            file.write(_MAGIC + _PREFIX.pack(len(header), zlib.crc32(header)) + header + table)
            for name in _TYPES:
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


def _arrays_of(postings: Postings, keys: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file, the postings brought into the order of the sorted tokens."""
    tokens, order = sorted_tokens(postings.vocabulary)
    lengths = np.diff(postings.offsets)[order]
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    picked = np.repeat(postings.offsets[:-1][order] - offsets[:-1], lengths)
    picked += np.arange(len(picked))
    arrays = {
        "keys": np.frombuffer(keys, dtype=np.uint8),
        "lengths": postings.lengths,
        "offsets": offsets,
        "documents": postings.documents[picked],
        "counts": postings.counts[picked],
        "impacts": postings.impacts[picked],
        **lexicon_arrays(tokens),
    }
    return {name: np.asarray(arrays[name], dtype=kind) for name, kind in _TYPES.items()}


def _read_arrays(data: mmap.mmap) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[np.uint32]]]:
    start = len(_MAGIC) + _PREFIX.size
    if data[: len(_MAGIC)] != _MAGIC:
        raise ValueError("not a segment")
    length, checksum = _PREFIX.unpack(data[len(_MAGIC) : start])
    header = data[start : start + length]
    if zlib.crc32(header) != checksum:
        raise ValueError("the header was changed")
    values = json.loads(header)
    kinds = {name: np.dtype(kind) for name, kind in _TYPES.items()}
    lengths = dict(zip(_TYPES, values["lengths"], strict=True))
    blocks = {name: -(-lengths[name] * kinds[name].itemsize // BLOCK) for name in _TYPES}
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
