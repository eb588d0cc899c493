"""Finding the SKILL.md files below a folder."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skill_selector.catalog.diagnostic import Diagnostic, Report
from skill_selector.catalog.roots import Root, forward
from skill_selector.catalog.source import MAX_FILE_BYTES

SKILL_FILE = "SKILL.md"
PRUNED = frozenset({"node_modules", "bower_components", "site-packages", "__pycache__", "__MACOSX", "venv"})
"""Folders that hold other people's files or copies, besides every hidden folder."""
CACHE_TAG = "CACHEDIR.TAG"
"""The file that marks a folder as a cache (bford.info/cachedir)."""


@dataclass(frozen=True, kw_only=True)
class ScanLimits:
    """The bounds of a scan."""

    depth: int = 6
    """Levels of folders below a root that are looked into."""
    folders: int = 200_000
    """Folders below one root that are looked into."""
    file_bytes: int = MAX_FILE_BYTES
    """Bytes of one file that are read; the rest is left out, with a diagnostic."""
    follow_outside: bool = False
    """Follow links that lead out of the roots."""


class Found(NamedTuple):
    """A SKILL.md that is there."""

    root: Root
    relative: str
    """The skill's folder, relative to the root, with forward slashes; empty for the root itself."""
    file: str
    """In the system's own form."""
    real: str
    """The same with every link resolved."""
    size: int
    """In bytes."""
    mtime_ns: int
    """When it was last changed."""
    ctime_ns: int
    """The same, or when its name, owner or permissions were; on Windows, when it was made."""
    inode: int

    @property
    def path(self) -> str:
        """The skill's folder, absolute, with forward slashes."""
        return f"{self.root.shown.rstrip('/')}/{self.relative}" if self.relative else self.root.shown


class _Folder(NamedTuple):
    """A folder to look into, or the SKILL.md in it."""

    path: str
    real: str
    relative: str
    depth: int


def walk(root: Root, limits: ScanLimits, allowed: Sequence[Root] = ()) -> Iterator[Found | Diagnostic]:
    """Yield the skills below a root and what stood in the way, ordered by path; links come after real folders.

    A folder with a SKILL.md is a skill, and what lies below it is its own.

    Args:
        root: the folder to look into.
        limits: the bounds; reaching one is a diagnostic.
        allowed: the folders that links may lead into, besides the root.
    """
    return _Walk(root, limits, allowed).run()


class _Walk:
    def __init__(self, root: Root, limits: ScanLimits, allowed: Sequence[Root]) -> None:
        self.root = root
        self.limits = limits
        self.inside = tuple(one.real.rstrip(os.sep) + os.sep for one in (root, *allowed))
        self.folders: set[str] = set()
        self.files: set[str] = set()
        self.links: list[_Folder] = []
        self.linked_files: list[_Folder] = []
        self.too_deep: list[str] = []
        self.full = False

    def run(self) -> Iterator[Found | Diagnostic]:
        yield from self._tree(_Folder(self.root.path, self.root.real, "", 0))
        while self.links and not self.full:
            # real folders first: a skill keeps the id of the place where it lies, and loops end by themselves
            links, self.links = self.links, []
            for link in links:
                yield from self._link(link)
        for link in self.linked_files:
            yield from self._linked_file(link)
        yield from self._cuts()

    def _tree(self, start: _Folder) -> Iterator[Found | Diagnostic]:
        stack = [start]
        while stack:
            folder = stack.pop()
            if folder.real in self.folders:
                continue
            if len(self.folders) >= self.limits.folders:
                self.full = True
                return
            self.folders.add(folder.real)
            try:
                with os.scandir(folder.path) as listing:
                    entries = list(listing)
                names = [entry for entry in entries if entry.name.lower() == "skill.md"]
                if names:
                    yield from self._skill(folder, names)
                elif not folder.depth or not any(entry.name == CACHE_TAG for entry in entries):
                    stack.extend(reversed(self._below(folder, entries)))
            except OSError as error:
                yield unreadable(folder.path, error, "folder")

    def _below(self, folder: _Folder, entries: list[os.DirEntry[str]]) -> list[_Folder]:
        below = []
        for entry in entries:
            name = entry.name
            if name.startswith(".") or name in PRUNED:
                continue
            link = entry.is_symlink()
            if not link and not entry.is_dir(follow_symlinks=False):
                continue
            relative = f"{folder.relative}/{name}" if folder.relative else name
            deeper = _Folder(entry.path, f"{folder.real.rstrip(os.sep)}{os.sep}{name}", relative, folder.depth + 1)
            if link:
                self.links.append(deeper)
            elif deeper.depth > self.limits.depth:
                self.too_deep.append(deeper.path)
            else:
                below.append(deeper)
        below.sort(key=lambda one: one.path)
        return below

    def _link(self, link: _Folder) -> Iterator[Found | Diagnostic]:
        try:
            if not stat.S_ISDIR(os.stat(link.path).st_mode):
                return
        except OSError:  # a link to nowhere that is not a SKILL.md is nobody's skill
            return
        real = os.path.realpath(link.path)
        if real in self.folders:
            return
        if not self._is_allowed(real):
            yield _outside(link.path, real)
        elif link.depth > self.limits.depth:
            self.too_deep.append(link.path)
        else:
            yield from self._tree(_Folder(link.path, real, link.relative, link.depth))

    def _skill(self, folder: _Folder, entries: list[os.DirEntry[str]]) -> list[Found | Diagnostic]:
        entry, *others = entries
        if others:
            entry, *others = sorted(entries, key=lambda one: (one.name != SKILL_FILE, one.name))
        file = _Folder(entry.path, f"{folder.real}{os.sep}{entry.name}", folder.relative, folder.depth)
        if entry.is_symlink():
            self.linked_files.append(file)
            found = []
        else:
            found = self._file(file)
        if others or entry.name != SKILL_FILE:
            found.insert(0, _odd_names(file.path, entry.name, [other.name for other in others]))
        return found

    def _linked_file(self, file: _Folder) -> list[Found | Diagnostic]:
        real = os.path.realpath(file.path)
        if self._is_allowed(real):
            return self._file(_Folder(file.path, real, file.relative, file.depth))
        return [_outside(file.path, real)]

    def _file(self, file: _Folder) -> list[Found | Diagnostic]:
        try:
            found = os.stat(file.path)
        except OSError as error:
            return [unreadable(file.path, error, "file")]
        if not stat.S_ISREG(found.st_mode) or not _is_utf8(file.path):
            return [_not_usable(file.path, found.st_mode)]
        if file.real in self.files:
            return []
        self.files.add(file.real)
        times = (found.st_mtime_ns, found.st_ctime_ns)
        return [Found(self.root, file.relative, file.path, file.real, found.st_size, *times, found.st_ino)]

    def _is_allowed(self, real: str) -> bool:
        return self.limits.follow_outside or (real + os.sep).startswith(self.inside)

    def _cuts(self) -> Iterator[Diagnostic]:
        report = Report(self.root.shown)
        if self.too_deep:
            what = f"{len(self.too_deep)} folders lie more than {self.limits.depth} levels down and were left out"
            report.warning("depth_limit", f"{what}, such as {forward(self.too_deep[0])}", "pass a folder further down")
        if self.full:
            what = f"after {self.limits.folders:,} folders the rest was left out"
            report.warning("folder_limit", what, "pass the folders that hold the skills")
        yield from report.diagnostics


def _odd_names(path: str, name: str, others: list[str]) -> Diagnostic:
    report = Report(forward(path))
    if others:
        report.warning("several_skill_files", f"beside {name}, {', '.join(others)} was left out", "keep one of them")
    else:
        report.note("file_name", f"the file is called {name}", f"call it {SKILL_FILE}: most hosts know only that")
    return report.diagnostics[0]


def _not_usable(path: str, mode: int) -> Diagnostic:
    report = Report(forward(path))
    if stat.S_ISREG(mode):
        report.error("path_not_utf8", "the path is not valid UTF-8", "rename the folder")
    else:
        what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        report.error("not_a_file", f"{os.path.basename(path)} is {what}", "replace it with a text file")
    return report.diagnostics[0]


def _outside(path: str, real: str) -> Diagnostic:
    report = Report(forward(path))
    fix = "pass that folder as a further root, or copy the skill"
    report.error("link_outside", f"the link leads out of the scanned folders, to {forward(real)}", fix)
    return report.diagnostics[0]


def unreadable(path: str, error: OSError, what: str) -> Diagnostic:
    """Return what keeps a folder or file from being read; only "not there" may mean that it was removed."""
    report = Report(forward(path))
    reason = error.strerror or str(error)
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        broken = os.path.islink(path)
        kind = "broken_link" if broken else "vanished"
        message = f"the link leads nowhere ({reason})" if broken else f"it was removed during the scan ({reason})"
        report.error(kind, message, "remove or mend the link" if broken else "scan again")
    else:
        report.error(f"unreadable_{what}", f"the {what} cannot be read: {reason}", "check its permissions")
    return report.diagnostics[0]


def _is_utf8(path: str) -> bool:
    if path.isascii():
        return True
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
