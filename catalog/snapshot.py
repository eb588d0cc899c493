"""What earlier scans found out about the files below a root, in memory and on disk."""

import os
from collections import OrderedDict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from skill_selector.catalog.cache import Cache, code_version, sweep_shelf, touch, warn_once
from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.diagnostic import Diagnostic
from skill_selector.catalog.record import ReadFile, Record, Stamp, decode, encode, revive, stamp_of
from skill_selector.catalog.roots import Root
from skill_selector.catalog.store import Store
from skill_selector.catalog.walker import Found, ScanLimits

MARGIN_NS = 2_000_000_000
"""A file that changed less than this before it was read may change again without a new time: FAT counts in two seconds,
and the clock of a network folder is not ours. Such a file is read again."""

KEPT = 8
"""How many roots stay in memory."""


class _Known(NamedTuple):
    stamp: Stamp
    settled: bool
    """Whether another content would have another stamp."""
    read: ReadFile


class Snapshot:
    """The files below one root, as they were read last. Threads may share it."""

    def __init__(self, root: Root, store: Store | None = None) -> None:
        self._prefix = root.path.rstrip(os.sep) + os.sep
        self._store = store
        self._records: dict[str, Record] = {}
        """What was on disk, by path below the root."""
        self._known: dict[str, _Known] = {}
        """What this process knows, by whole path."""
        self._loaded = store is None
        self._lock = Lock()

    def load(self) -> None:
        """Read what is on disk, the first time."""
        with self._lock:
            if self._loaded or self._store is None:
                return
            self._loaded = True
            try:
                self._records = {key: decode(record) for key, record in self._store.read().items()}
            except (ValueError, TypeError):
                self._store.discard()

    def recall(self, found: Found) -> tuple[ReadFile | None, bool]:
        """Return what reading the file gave last, if anything, and whether reading it again can give nothing else."""
        known = self._known.get(found.file)
        if known is None:
            key = found.file[len(self._prefix) :]
            record = self._records.get(key)
            if record is None:
                return None, False
            known = _Known(record.stamp, _is_settled(record.stamp, record.checked_ns), revive(record, found))
            # In this order, so that another thread finds it at one of the two places.
            self._known[found.file] = known
            self._records.pop(key, None)
        return known.read, known.settled and known.stamp == stamp_of(found)

    def keep(self, fresh: Sequence[ReadFile], seen: Sequence[str], began_ns: int) -> None:
        """Remember files that a scan read, and forget those that are no longer there.

        Args:
            fresh: the files that were read.
            seen: the paths of all files that the scan found.
            began_ns: when the scan began: what changed later may not have been read.
        """
        for read in fresh:
            stamp = stamp_of(read.found)
            self._known[read.found.file] = _Known(stamp, _is_settled(stamp, began_ns), read)
        length = len(self._prefix)
        gone = self._gone({path[length:] for path in seen}) if len(self) > len(seen) else []
        for key in gone:
            self._records.pop(key, None)
            self._known.pop(self._prefix + key, None)
        if self._store and (fresh or gone):
            self._store.write(((read.found.file[length:], encode(read, began_ns)) for read in fresh), gone)

    def __len__(self) -> int:
        return len(self._records) + len(self._known)

    def _gone(self, seen: AbstractSet[str]) -> list[str]:
        length = len(self._prefix)
        keys = {*tuple(self._records), *(path[length:] for path in tuple(self._known))}
        # Another scan may have other bounds or further roots: only what is not there at all is forgotten.
        return [key for key in keys - seen if not os.path.lexists(self._prefix + key)]


def catalog_version() -> str:
    """Return what names the code that parses files."""
    return code_version(str(Path(__file__).parent))


def _is_settled(stamp: Stamp, checked_ns: int) -> bool:
    return max(stamp[1:3]) < checked_ns - MARGIN_NS


class Snapshots:
    """The snapshots of the roots that this process scanned last. Threads may share it."""

    def __init__(self, cache: Cache | None = None) -> None:
        self.cache = cache
        self.last: tuple[Sequence[Root], Sequence[ReadFile], Sequence[Diagnostic], Catalog] | None = None
        """The catalogue of the last scan, and what it was made of."""
        self._snapshots: OrderedDict[tuple[Root, int], Snapshot] = OrderedDict()
        self._lock = Lock()

    def of(self, root: Root, limits: ScanLimits) -> Snapshot:
        """Return what is known of a root, read from disk where this process does not know it yet."""
        key = (root, limits.file_bytes)
        with self._lock:
            snapshot = self._snapshots.get(key)
            if snapshot is None:
                snapshot = self._snapshots[key] = Snapshot(root, self._store(root, limits))
            self._snapshots.move_to_end(key)
            while len(self._snapshots) > KEPT:
                self._snapshots.popitem(last=False)
        snapshot.load()
        return snapshot

    def _store(self, root: Root, limits: ScanLimits) -> Store | None:
        shelf = self.cache.shelf(root) if self.cache else None
        if shelf is None:
            return None
        # What a file's bytes become depends on the code and on this one limit.
        file = shelf / f"catalog-{catalog_version()}-{limits.file_bytes}.sqlite"
        try:
            if file.exists():
                touch(file)
            else:
                sweep_shelf(shelf)
        except OSError as error:
            warn_once(shelf, error)
            return None
        return Store(file)
