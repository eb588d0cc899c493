"""Folders of skills: from their paths to a `Catalog`."""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.diagnostic import Diagnostic, Report
from skill_selector.catalog.garbage import paused_collection
from skill_selector.catalog.precedence import Placed, settle
from skill_selector.catalog.record import ReadFile
from skill_selector.catalog.roots import AnyPath, Root, forward, open_roots
from skill_selector.catalog.snapshot import Snapshot, Snapshots
from skill_selector.catalog.source import read_source
from skill_selector.catalog.walker import Found, ScanLimits, unreadable, walk

DEFAULT_LIMITS = ScanLimits()
PROGRESS_STEP = 100
"""How many files are read between two reports of progress."""
_SEVERITIES = {"error": 0, "warning": 1, "note": 2}


def scan(
    roots: AnyPath | Sequence[AnyPath],
    *,
    limits: ScanLimits = DEFAULT_LIMITS,
    progress: Callable[[int], None] | None = None,
    snapshots: Snapshots | None = None,
) -> Catalog:
    """Read every skill below some folders. A bad file is a diagnostic, never an exception.

    Args:
        roots: one folder or several, those of lowest precedence first. A folder with a SKILL.md is one skill.
        limits: the bounds.
        progress: called now and then with the number of files read so far, and at the end.
        snapshots: what earlier scans found out, so that unchanged files need not be read. Skills then come without
            their bodies, which are read when somebody asks for them.

    Raises:
        SkillDirectoryError: some of the folders are missing, are not folders, or cannot be read.
    """
    began = time.time_ns()
    opened = open_roots(roots)
    diagnostics: list[Diagnostic] = []
    with paused_collection():
        found = find(opened, limits, diagnostics)
        known = {root.path: snapshots.of(root, limits) for root in opened} if snapshots else {}
        reader = _Reader(limits, known, diagnostics)
        files = reader.read_all(found, progress)
        for path, snapshot in known.items():
            fresh = [read for read in reader.fresh if read.found.root.path == path]
            snapshot.keep(fresh, [one.file for one in found if one.root.path == path], began)
        if snapshots is None:
            return assemble(opened, files, diagnostics)
        return _assemble_once(opened, files, diagnostics, snapshots)


def find(roots: Sequence[Root], limits: ScanLimits, diagnostics: list[Diagnostic]) -> list[Found]:
    """Return the SKILL.md files below the roots, each once: in the root of highest precedence that leads to it."""
    found: list[Found] = []
    for root in roots:
        for one in walk(root, limits, roots):
            if isinstance(one, Found):
                found.append(one)
            else:
                diagnostics.append(one)
    if len(roots) == 1:
        return found
    last = {one.real: at for at, one in enumerate(found)}
    return [one for at, one in enumerate(found) if last[one.real] == at]


def read_found(
    found: Found, limits: ScanLimits, last: ReadFile | None = None, *, keep_body: bool = True
) -> ReadFile | Diagnostic:
    """Read and parse one file; a diagnostic where it cannot be read.

    Args:
        found: the file.
        limits: the bounds.
        last: what the file gave earlier, which holds where its bytes are the same.
        keep_body: whether the skill keeps its body in memory.
    """
    try:
        source = read_source(found.file, found.size, limits.file_bytes)
    except OSError as error:
        return unreadable(found.file, error, "file")
    digest = hashlib.sha256(source.data).hexdigest()
    if last and last.digest == digest and last.found.size == found.size:
        return replace(last, found=found)
    from skill_selector.catalog.parser import parse_digested  # noqa: PLC0415 - not needed where nothing changed

    file = forward(found.file)
    parsed = parse_digested(
        source.data,
        keep_body=keep_body,
        id=found.relative or found.root.name,
        path=found.path,
        file=file,
        root=found.root.shown,
        digest=digest,
    )
    diagnostics = parsed.diagnostics
    if not source.complete:
        report = Report(file)
        message = f"the file has more than {limits.file_bytes:,} bytes; only what comes before was read"
        report.warning("file_too_large", message, "move details into files below references/")
        diagnostics = (*diagnostics, *report.diagnostics)
    return ReadFile(found, parsed.skill, diagnostics, digest)


def assemble(roots: Sequence[Root], files: Iterable[ReadFile], diagnostics: Iterable[Diagnostic]) -> Catalog:
    """Give every skill its id and its place, and put the catalogue together."""
    entries: list[Placed] = []
    skipped: list[tuple[str, str]] = []
    reported = list(diagnostics)
    order = {root.path: place for place, root in enumerate(roots)}
    for one in files:
        reported.extend(one.diagnostics)
        if one.skill:
            entries.append(Placed(one.skill, order[one.found.root.path]))
        else:
            skipped.append((f"{one.found.root.shown}/{one.found.relative}", one.digest))
    settled = settle(entries, [root.shown for root in roots])
    reported.extend(settled.diagnostics)
    reported.sort(key=lambda one: (_SEVERITIES[one.severity], one.path))
    files_read = [(skill.id, skill.digest) for skill in (*settled.skills, *settled.shadowed)]
    return Catalog(
        roots=tuple(root.shown for root in roots),
        skills=settled.skills,
        shadowed=settled.shadowed,
        diagnostics=tuple(reported),
        digest=_digest([root.shown for root in roots], sorted(files_read + skipped)),
    )


def _assemble_once(
    roots: Sequence[Root], files: Sequence[ReadFile], diagnostics: Sequence[Diagnostic], snapshots: Snapshots
) -> Catalog:
    """Return the catalogue of the last scan where it was made of the same."""
    made_of = (roots, files, diagnostics)
    last = snapshots.last
    if last and last[:3] == made_of:
        return last[3]
    catalog = assemble(*made_of)
    snapshots.last = (*made_of, catalog)
    return catalog


class _Reader:
    """Reads the files that nothing is known of, or nothing that still holds."""

    def __init__(self, limits: ScanLimits, known: Mapping[str, Snapshot], diagnostics: list[Diagnostic]) -> None:
        self.fresh: list[ReadFile] = []
        """Those that were read."""
        self._limits = limits
        self._known = known
        self._diagnostics = diagnostics

    def read_all(self, found: Sequence[Found], progress: Callable[[int], None] | None) -> list[ReadFile]:
        """Return the files that can be read, and add to the diagnostics why the others can't."""
        files = []
        for count, one in enumerate(found, start=1):
            read = self._read(one)
            if isinstance(read, ReadFile):
                files.append(read)
            else:
                self._diagnostics.append(read)
            if progress and (count % PROGRESS_STEP == 0 or count == len(found)):
                progress(count)
        return files

    def _read(self, found: Found) -> ReadFile | Diagnostic:
        snapshot = self._known.get(found.root.path)
        if snapshot is None:
            return read_found(found, self._limits)
        last, current = snapshot.recall(found)
        if last and current:
            return last
        # With many skills, their bodies would be most of the memory.
        read = read_found(found, self._limits, last, keep_body=False)
        if isinstance(read, ReadFile):
            self.fresh.append(read)
        return read


def _digest(roots: Sequence[str], files: Sequence[tuple[str, str]]) -> str:
    parts = (*roots, *(text for pair in files for text in pair), "")
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
