"""Vectors of skills' texts in files that are never changed, one folder for a root and an embedder.

A row belongs to a text, not to a skill: copies share it, and it outlives every change of other texts. Files are added
and merged as the index's segments are, so that several processes may do so at once.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from skill_selector.catalog.cache import warn_once
from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.arrayfile import (
    MALFORMED,
    Arrays,
    map_arrays,
    sweep_unfinished,
    worth_merging,
    write_arrays,
)
from skill_selector.retrievers.blocks import DamagedError, Guard

TEXT_LENGTH = 300
"""Characters of a skill's text that are embedded: more made Chinese tasks find less."""
KEY_LENGTH = 16
SUFFIX = ".vectors"

_MAGIC = b"skill-selector vectors 1\n"
_TYPES = {"keys": "u1", "rows": "<f4"}


def embedded_text(skill: Skill) -> str:
    """Return the text whose vector stands for a skill: its name in words, and how its description begins."""
    name = " ".join(skill.name.replace("-", " ").replace("_", " ").split())
    return f"{name}. {' '.join(skill.description.split())}"[:TEXT_LENGTH]


def text_key(text: str) -> bytes:
    """Return what a text's vector is found by."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_LENGTH).digest()


@dataclass(frozen=True, eq=False)
class VectorFile:
    """Vectors that are mapped from a file."""

    path: Path
    keys: tuple[bytes, ...]
    rows: NDArray[np.float32]
    """[keys, dimensions]"""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a file and check all of it, since every query reads all of it.

        Raises:
            DamagedError: it is not one of ours, or was changed.
            OSError: it cannot be read; FileNotFoundError where it has just been removed.
        """
        arrays, sums = map_arrays(path, _MAGIC, _TYPES)
        try:
            for name, values in arrays.items():
                Guard(path, values, sums[name]).check()
            joined = arrays["keys"].tobytes()
            keys = tuple(joined[at : at + KEY_LENGTH] for at in range(0, len(joined), KEY_LENGTH))
            return cls(path, keys, arrays["rows"].reshape(len(keys), len(arrays["rows"]) // len(keys)))
        except (*MALFORMED, ZeroDivisionError) as error:
            raise DamagedError(path) from error


class VectorStore:
    """One folder of such files. No method raises: what cannot be read is not there. Not for several threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, VectorFile] = {}

    def refresh(self) -> bool:
        """Look for files that other processes added or removed, and tell whether there were any."""
        try:
            names = {path.name for path in self.folder.glob(f"*{SUFFIX}")}
        except OSError as error:
            warn_once(self.folder, error)
            return False
        if names == set(self.files):
            return False
        opened = {name: self.files.get(name) or self._open(self.folder / name) for name in sorted(names)}
        self.files = {name: one for name, one in opened.items() if one is not None}
        return True

    def add(self, keys: Sequence[bytes], rows: NDArray[np.float32]) -> bool:
        """Keep vectors, and tell whether that worked."""
        name = blake2b(b"".join(sorted(keys)), digest_size=8).hexdigest() + SUFFIX
        arrays: Arrays = {
            "keys": np.frombuffer(b"".join(keys), dtype=np.uint8),
            "rows": np.ascontiguousarray(rows).ravel(),
        }
        try:
            write_arrays(self.folder / name, _MAGIC, _TYPES, arrays)
        except OSError as error:
            warn_once(self.folder, error)
            return False
        written = self._open(self.folder / name)
        if written is None:
            return False
        self.files[name] = written
        return True

    def remove(self, names: Iterable[str]) -> None:
        """Remove files."""
        for name in list(names):
            self.files.pop(name, None)
            _unlink(self.folder / name)

    def tidy(self, alive: Collection[bytes]) -> bool:
        """Merge files where that pays, and tell whether it did."""
        sweep_unfinished(self.folder)
        order = {key: at for at, key in enumerate(alive)}
        living = {name: [at for at, key in enumerate(one.keys) if key in order] for name, one in self.files.items()}
        names = list(living)
        chosen = [names[at] for at in worth_merging([(len(living[one]), len(self.files[one].keys)) for one in names])]
        if not chosen:
            return False
        found: dict[bytes, NDArray[np.float32]] = {}
        for name in chosen:
            one = self.files[name]
            found.update((one.keys[at], one.rows[at]) for at in living[name])
        keys = sorted(found, key=order.__getitem__)
        before = set(self.files)
        if keys and not self.add(keys, np.stack([found[key] for key in keys])):
            return False
        self.remove(name for name in chosen if name in before and not self._is_all_of(name, keys))
        return True

    def _is_all_of(self, name: str, keys: Sequence[bytes]) -> bool:
        """Say whether a file holds just these keys: then it is the one that was written."""
        return set(self.files[name].keys) == set(keys)

    def _open(self, path: Path) -> VectorFile | None:
        try:
            return VectorFile.open(path)
        except FileNotFoundError:  # merged by another process
            return None
        except DamagedError:
            _unlink(path)
        except OSError as error:
            warn_once(self.folder, error)
        return None


def _unlink(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
