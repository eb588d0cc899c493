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
        recalled = [reader.recall(one) for one in found]
    files = reader.read_all(found, recalled, progress)
    for path, snapshot in known.items():
        fresh = [read for read in reader.fresh if read.found.root.path == path]
        snapshot.keep(fresh, [one.file for one in found if one.root.path == path], began)
    if snapshots is None:
        return assemble(opened, files, diagnostics)
    return _assemble_once(opened, files, diagnostics, snapshots)


def find(roots: Sequence[Root], limits: ScanLimits, diagnostics: list[Diagnostic]) -> list[Found]:
    """Return the SKILL.md files below the roots, each once: in the root of highest precedence that leads to it."""
    by_real: dict[str, Found] = {}
    for root in roots:
        for one in walk(root, limits, roots):
            if isinstance(one, Found):
                by_real.pop(one.real, None)
                by_real[one.real] = one
            else:
                diagnostics.append(one)
    return list(by_real.values())


def read_found(found: Found, limits: ScanLimits, last: ReadFile | None = None) -> ReadFile | Diagnostic:
    """Read and parse one file; a diagnostic where it cannot be read.

    Args:
        found: the file.
        limits: the bounds.
        last: what the file gave earlier, which holds where its bytes are the same.
    """
    try:
        source = read_source(found.file, found.size, limits.file_bytes)
    except OSError as error:
        return unreadable(found.file, error, "file")
    digest = hashlib.sha256(source.data).hexdigest()
    if last and last.digest == digest and last.found.size == found.size:
        return replace(last, found=found)
    from skill_selector.catalog.parser import parse  # noqa: PLC0415 - not needed where nothing changed

    file = forward(found.file)
    parsed = parse(
        source.data,
        skill_id=found.relative or found.root.name,
        path=found.path,
        file=file,
        root=found.root.shown,
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
    with paused_collection():
        catalog = assemble(*made_of)
    snapshots.last = (*made_of, catalog)
    return catalog


class _Reader:
    """Reads the files that nothing is known of, or nothing that still holds."""

    def __init__(self, limits: ScanLimits, known: Mapping[str, Snapshot], diagnostics: list[Diagnostic]) -> None:
        self.fresh: list[ReadFile] = []
        """Those that were read, without their bodies."""
        self._limits = limits
        self._known = known
        self._diagnostics = diagnostics
        self._last: dict[str, ReadFile] = {}

    def recall(self, found: Found) -> ReadFile | None:
        """Return what is known of a file, if that still holds."""
        snapshot = self._known.get(found.root.path)
        if snapshot is None:
            return None
        last, current = snapshot.recall(found)
        if last and not current:
            self._last[found.file] = last
        return last if current else None

    def read_all(
        self, found: Sequence[Found], recalled: Sequence[ReadFile | None], progress: Callable[[int], None] | None
    ) -> list[ReadFile]:
        """Return the files that can be read, and add to the diagnostics why the others can't."""
        files = []
        for count, (one, known) in enumerate(zip(found, recalled, strict=True), start=1):
            read = known or self._read(one)
            if isinstance(read, ReadFile):
                files.append(read)
            else:
                self._diagnostics.append(read)
            if progress and (count % PROGRESS_STEP == 0 or count == len(found)):
                progress(count)
        return files

    def _read(self, found: Found) -> ReadFile | Diagnostic:
        read = read_found(found, self._limits, self._last.get(found.file))
        if isinstance(read, ReadFile) and found.root.path in self._known:
            if read.skill and read.skill.loaded_body is not None:
                # With many skills, their bodies would be most of the memory.
                read = replace(read, skill=replace(read.skill, loaded_body=None))
            self.fresh.append(read)
        return read


def _digest(roots: Sequence[str], files: Sequence[tuple[str, str]]) -> str:
    parts = (*roots, *(text for pair in files for text in pair), "")
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
