"""Finding the files of a knowledge folder."""

import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from skill_selector.catalog.diagnostic import Diagnostic, Report
from skill_selector.catalog.roots import Root, forward
from skill_selector.catalog.walker import CACHE_TAG, PRUNED, unreadable
from skill_selector.graph.errors import KnowledgeError
from skill_selector.knowledge.formats import format_of
from skill_selector.knowledge.manifest import NAMES

FULL, DEEP = "over the bound", "too deep"
"""Reasons for leaving files out, beside the endings of formats that are not read."""


@dataclass(frozen=True, kw_only=True)
class KnowledgeLimits:
    """The bounds of a knowledge base; reaching one is a diagnostic."""

    depth: int = 12
    """Levels of folders that are looked into."""
    files: int = 50_000
    file_bytes: int = 4 * 1024 * 1024
    """Bytes of one file that are read."""
    chunks_of_file: int = 5_000
    chunks: int = 200_000


class KnowledgeFile(NamedTuple):
    """A file that can be read."""

    path: str
    """Relative to the folder, with forward slashes."""
    file: str
    """In the system's own form."""
    format: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @property
    def stamp(self) -> tuple[int, int, int, int]:
        """What the file system says of it; see `catalog.record.Stamp`."""
        return self[3:]


def open_folder(directory: str | os.PathLike[str]) -> Root:
    """Check a knowledge folder.

    Raises:
        KnowledgeError: it is missing, is not a folder or cannot be read.
    """
    path = os.path.abspath(os.path.expanduser(os.fspath(directory)))
    try:
        os.scandir(path).close()
    except FileNotFoundError:
        raise KnowledgeError(f"there is no knowledge folder {path}; check the path, or create the folder") from None
    except NotADirectoryError:
        raise KnowledgeError(f"{path} is a file, not a knowledge folder; pass the folder that holds it") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise KnowledgeError(f"the knowledge folder {path} cannot be read ({reason}); check its permissions") from error
    return Root(path, os.path.realpath(path), forward(path))


def find_files(root: Root, limits: KnowledgeLimits) -> Iterator[KnowledgeFile | Diagnostic]:
    """Yield the files of a folder ordered by path, and what was left out.

    Hidden files, and folders of other people's packages, are no knowledge; links are followed within the folder only.
    """
    return _Walk(root, limits).run()


class _Walk:
    def __init__(self, root: Root, limits: KnowledgeLimits) -> None:
        self.root = root
        self.limits = limits
        self.left_out: Counter[str] = Counter()
        self.count = 0
        self.stack = [(root.path, "", 0)]

    def run(self) -> Iterator[KnowledgeFile | Diagnostic]:
        seen: set[str] = set()
        inside = self.root.real.rstrip(os.sep) + os.sep
        while self.stack:
            folder, relative, depth = self.stack.pop()
            real = os.path.realpath(folder)
            if real in seen:
                continue
            if not f"{real}{os.sep}".startswith(inside):
                yield _outside(folder)
                continue
            seen.add(real)
            try:
                with os.scandir(folder) as listing:
                    entries = sorted(listing, key=lambda one: one.name)
            except OSError as error:
                yield unreadable(folder, error, "folder")
                continue
            if not depth or all(entry.name != CACHE_TAG for entry in entries):
                yield from self._folder(entries, relative, depth)
        yield from _left_out(self.root, self.left_out, self.limits)

    def _folder(
        self, entries: list[os.DirEntry[str]], relative: str, depth: int
    ) -> Iterator[KnowledgeFile | Diagnostic]:
        below = []
        for entry in entries:
            if entry.name.startswith(".") or entry.name in PRUNED or (not depth and entry.name in NAMES):
                continue
            path = f"{relative}{entry.name}"
            if entry.is_dir():
                below.append((entry.path, f"{path}/", depth + 1))
                continue
            found = _file(entry, path, self.root)
            if isinstance(found, KnowledgeFile) and self.count >= self.limits.files:
                found = FULL
            if isinstance(found, str):
                self.left_out[found] += 1
                continue
            self.count += isinstance(found, KnowledgeFile)
            yield found
        if depth >= self.limits.depth:
            self.left_out[DEEP] += len(below)
        else:
            self.stack.extend(reversed(below))


def _file(entry: os.DirEntry[str], path: str, root: Root) -> KnowledgeFile | Diagnostic | str:
    """Return the file, what is wrong with it, or the ending of one that is not read."""
    kind = format_of(entry.name)
    if kind is None:
        return os.path.splitext(entry.name)[1].lower() or entry.name
    try:
        if entry.is_symlink() and not os.path.realpath(entry.path).startswith(root.real.rstrip(os.sep) + os.sep):
            return _outside(entry.path)
        status = entry.stat()
    except OSError as error:
        return unreadable(entry.path, error, "file")
    if not stat.S_ISREG(status.st_mode):
        return "no regular file"
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return KnowledgeFile(forward(path), entry.path, kind, status.st_size, *times, status.st_ino)


def _outside(path: str) -> Diagnostic:
    report = Report(forward(path))
    report.error("link_outside", "the link leads out of the knowledge folder", "copy what it leads to into the folder")
    return report.diagnostics[0]


def _left_out(root: Root, counts: Counter[str], limits: KnowledgeLimits) -> Iterator[Diagnostic]:
    report = Report(root.shown)
    full, deep = counts.pop(FULL, 0), counts.pop(DEEP, 0)
    if counts:
        named = ", ".join(f"{ending} ({count:,})" for ending, count in sorted(counts.items())[:20])
        report.note("unknown_format", f"{sum(counts.values()):,} files are not read: {named}", "convert what matters")
    if full:
        report.error(
            "file_limit", f"after {limits.files:,} files {full:,} were left out", "index a folder further down"
        )
    if deep:
        what = f"{deep:,} folders lie more than {limits.depth} levels down and were left out"
        report.error("depth_limit", what, "index a folder further down")
    yield from report.diagnostics
