"""The vectors of a catalogue under one embedder: those that are there, and those that can be made."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.claim import claimed
from skill_selector.retrievers.embedder import Embedder
from skill_selector.retrievers.textkind import SUMMARY, TextKind
from skill_selector.retrievers.vectors import VectorStore

BATCH = 512
"""Texts that are embedded and kept at once: what stopping in the middle loses at most."""

ALONE = 1 << 18
"""Multiplications up to which OpenBLAS stays in one thread."""

Progress = Callable[[int, int], None]


class VectorIndex:
    """One vector a distinct text. Arrays that it returns have one element a skill. Threads may share it."""

    def __init__(
        self,
        skills: Sequence[Skill],
        embedder: Embedder,
        folders: Mapping[str, Path | None] | None = None,
        others: Sequence[Skill] = (),
        kind: TextKind = SUMMARY,
    ) -> None:
        """Take the skills; nothing is read or made yet.

        Args:
            skills: the catalogue, in order.
            embedder: whose vectors they are.
            folders: by root, the folder of its vectors; None where nothing can be kept.
            others: skills of the same roots that are left out here, but whose vectors are kept.
            kind: which text of a skill is embedded; the folders are for this kind alone.
        """
        self.embedder = embedder
        self._stores = {root: VectorStore(folder) for root, folder in (folders or {}).items() if folder}
        self._kind = kind
        self._first: dict[bytes, Skill] = {}
        """The first skill of each distinct text."""
        self._numbers: dict[bytes, int] = {}
        self._homes: dict[bytes, str] = {}
        self._alive: dict[str, dict[bytes, None]] = {root: {} for root in self._stores}
        of_skill = []
        for skill in skills:
            key = kind.key(skill)
            self._first.setdefault(key, skill)
            of_skill.append(self._numbers.setdefault(key, len(self._numbers)))
            self._homes.setdefault(key, skill.root)
            self._alive.get(skill.root, {})[key] = None
        for skill in others:
            if skill.root in self._alive:
                self._alive[skill.root][kind.key(skill)] = None
        self._of_skill = np.array(of_skill, dtype=np.int32)
        self._made: list[tuple[tuple[bytes, ...], NDArray[np.float32]]] = []
        """Vectors that could not be kept on disk."""
        self._located: tuple[list[tuple[NDArray[np.int32], NDArray[np.float32]]], NDArray[np.int32]] = (
            [],
            np.full((len(self._numbers), 2), -1, dtype=np.int32),
        )
        """Parts, each the number of every row's text, -1 where no skill has it, and the rows; and of each text the part
        and the row that hold its vector, -1 where there is none. One value, so that threads see both or neither."""
        self._known = np.zeros(len(self._numbers), dtype=bool)
        self._looked = False
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._of_skill)

    @property
    def texts(self) -> tuple[str, ...]:
        """The distinct texts."""
        return tuple(map(self._kind.text, self._first.values()))

    @property
    def text_count(self) -> int:
        """How many distinct texts there are."""
        return len(self._first)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which skills have a vector [skills]."""
        return self._known[self._of_skill]

    def look(self) -> int:
        """Look for vectors on disk, and return how many texts have none."""
        with self._lock:
            self._refresh()
            return int(np.count_nonzero(~self._known))

    def complete(self, progress: Progress | None = None, most: int | None = None) -> int:
        """Look for vectors on disk and make those that are missing; return how many skills still have none.

        Args:
            progress: called with how many texts have a vector, and how many there are.
                While another process makes some, its are waited for.
            most: make none at all where more than this are missing.

        Raises:
            EmbedderError: the embedder failed; what was finished before is kept.
        """
        with self._lock:
            if self._looked and self._known.all():
                return 0
            self._refresh()
            missing = np.count_nonzero(~self._known)
            if missing and most is None:
                # Another process may be at it: then its vectors are taken, as they come.
                with claimed([store.folder for store in self._stores.values()], lambda: self._still_missing(progress)):
                    self._refresh()
                    self._make(progress)
            elif most is None or missing <= most:
                self._make(progress)
            return int(np.count_nonzero(~self.known))

    def cosines(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the cosine of each skill with each query [skills, queries]; NaN where a skill has no vector."""
        with self._lock:
            if any(rows.shape[1] != queries.shape[1] for _, rows in self._located[0]):
                self._drop_other(queries.shape[1])
            parts = self._located[0]
        found = np.full((len(self._numbers), len(queries)), np.nan, dtype=np.float32)
        for numbers, rows in parts:
            scores = _products(rows, queries)
            used = numbers >= 0
            found[numbers[used]] = scores[used]
        return found[self._of_skill]

    def similarity(self, first: int, second: int) -> float | None:
        """Return the cosine of two skills, given by their places; None where one has no vector."""
        pair = [self._row(int(self._of_skill[at])) for at in (first, second)]
        return None if pair[0] is None or pair[1] is None else float(pair[0] @ pair[1])

    def _row(self, number: int) -> NDArray[np.float32] | None:
        parts, places = self._located
        part, at = places[number].tolist()
        if part < 0:
            return None
        row: NDArray[np.float32] = parts[part][1][at]
        return row

    def _still_missing(self, progress: Progress | None) -> int:
        self._refresh()
        known = int(np.count_nonzero(self._known))
        if progress:
            progress(known, len(self._known))
        return len(self._known) - known

    def _make(self, progress: Progress | None) -> None:
        report = progress or (lambda _done, _total: None)
        made = False
        while True:
            missing = [key for key, number in self._numbers.items() if not self._known[number]]
            if not missing:
                break
            report(len(self._numbers) - len(missing), len(self._numbers))
            # Texts of one root, so that each batch is one file.
            home = self._homes[missing[0]]
            batch = [key for key in missing if self._homes[key] == home][:BATCH]
            rows = self.embedder.documents([self._kind.text(self._first[key]) for key in batch])
            store = self._stores.get(home)
            if store is not None and store.add(batch, rows):
                self._refresh()
            # What was written may be gone again, or not be readable.
            if not all(self._known[self._numbers[key]] for key in batch):
                self._made.append((tuple(batch), rows))
                self._collect()
            made = True
        if made:
            report(len(self._numbers), len(self._numbers))
            for root, store in self._stores.items():
                store.tidy(self._alive[root])
            self._collect()

    def _refresh(self) -> None:
        self._looked = True
        for store in self._stores.values():
            store.refresh()
        self._collect()

    def _collect(self) -> None:
        files = [(one.keys, one.rows) for store in self._stores.values() for one in store.files.values()]
        known = np.zeros(len(self._numbers), dtype=bool)
        parts = []
        for keys, rows in [*files, *self._made]:
            numbers = np.fromiter((self._numbers.get(key, -1) for key in keys), dtype=np.int32, count=len(keys))
            if (numbers >= 0).any():
                known[numbers[numbers >= 0]] = True
                parts.append((numbers, rows))
        places = np.full((len(self._numbers), 2), -1, dtype=np.int32)
        for part, (numbers, _) in reversed([*enumerate(parts)]):
            used = np.flatnonzero(numbers >= 0)
            places[numbers[used], 0], places[numbers[used], 1] = part, used
        self._located, self._known = (parts, places), known

    def _drop_other(self, dimension: int) -> None:
        """Remove vectors of another length: the embedder is no longer what it was under the same identity."""
        for store in self._stores.values():
            store.remove([name for name, one in store.files.items() if one.rows.shape[1] != dimension])
        self._made = [(keys, rows) for keys, rows in self._made if rows.shape[1] == dimension]
        self._collect()


def _products(rows: NDArray[np.float32], queries: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of each row with each query [rows, queries].

    In blocks that are not shared between threads: on a busy machine these wait for each other several times as long as
    one of them would take.
    """
    found = np.empty((len(rows), len(queries)), dtype=np.float32)
    turned = np.ascontiguousarray(queries.T)
    step = max(8, ALONE // max(1, queries.size))
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], turned, out=found[start : start + step])
    return found
