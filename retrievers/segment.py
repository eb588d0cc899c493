"""Postings in one file that is never changed: written whole, mapped into memory, checked where it is read.

At the start, the header (see `arrayfile`) and what has one value a document are checked. Everything else is checked
block by block, the first time that a query needs it: a checksum over the whole of a large index would cost more at
every start than the queries.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skill_selector.retrievers.arrayfile import MALFORMED, Arrays, Sums, map_arrays, write_arrays
from skill_selector.retrievers.blocks import DamagedError, Guard
from skill_selector.retrievers.lexicon import Lexicon, lexicon_arrays, sorted_tokens
from skill_selector.retrievers.postings import Postings

SUFFIX = ".segment"
KEY_LENGTH = 16
"""Bytes of a document's key."""
MOST_SLICES = 1 << 14
"""How many tokens' places are remembered: some 3 MB."""

_MAGIC = b"skill-selector segment 1\n"
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


@dataclass(frozen=True, eq=False)
class Segment(Postings):
    """Postings that are mapped from a file, with the key of each document."""

    path: Path
    keys: tuple[bytes, ...]
    guards: Mapping[str, Guard]
    _slices: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False)
    """Where the postings of the tokens lie that were asked for last, of those that are not there too."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a file.

        Raises:
            DamagedError: it is not one of ours, or not whole.
            OSError: it cannot be read; FileNotFoundError where it has just been removed.
        """
        arrays, sums = map_arrays(path, _MAGIC, _TYPES)
        try:
            return cls._of_arrays(path, arrays, sums)
        except MALFORMED as error:
            raise DamagedError(path) from error

    @classmethod
    def _of_arrays(cls, path: Path, arrays: Arrays, sums: Sums) -> Self:
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
            offsets=arrays["offsets"],
            documents=arrays["documents"],
            counts=arrays["counts"],
            impacts=arrays["impacts"],
            lengths=arrays["lengths"],
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
        known = self._slices.get(token)
        if known is None:
            known = self._looked_up(token)
            if len(self._slices) >= MOST_SLICES:
                self._slices.clear()
            self._slices[token] = known
        return known

    def _looked_up(self, token: str) -> tuple[int, int]:
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
    write_arrays(path, _MAGIC, _TYPES, _arrays_of(postings, keys))


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
