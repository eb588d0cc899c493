"""Folders of skills: from their paths to a `Catalog`."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.diagnostic import Diagnostic, Report
from skill_selector.catalog.parser import ParsedSkill, parse
from skill_selector.catalog.precedence import Placed, settle
from skill_selector.catalog.roots import AnyPath, Root, forward, open_roots
from skill_selector.catalog.source import read_source
from skill_selector.catalog.walker import Found, ScanLimits, unreadable, walk

DEFAULT_LIMITS = ScanLimits()
PROGRESS_STEP = 100
"""How many files are read between two reports of progress."""
_SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class ReadFile:
    """One found file, read and parsed."""

    found: Found
    parsed: ParsedSkill
    digest: str


def scan(
    roots: AnyPath | Sequence[AnyPath],
    *,
    limits: ScanLimits = DEFAULT_LIMITS,
    progress: Callable[[int], None] | None = None,
) -> Catalog:
    """Read every skill below some folders. A bad file is a diagnostic, never an exception.

    Args:
        roots: one folder or several, those of lowest precedence first. A folder with a SKILL.md is one skill.
        limits: the bounds.
        progress: called now and then with the number of files read so far, and at the end.

    Raises:
        SkillDirectoryError: some of the folders are missing, are not folders, or cannot be read.
    """
    opened = open_roots(roots)
    diagnostics: list[Diagnostic] = []
    found = find(opened, limits, diagnostics)
    files = list(_read_all(found, limits, diagnostics, progress))
    return assemble(opened, files, diagnostics)


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


def read_found(found: Found, limits: ScanLimits) -> ReadFile | Diagnostic:
    """Read and parse one file; a diagnostic where it cannot be read."""
    try:
        source = read_source(found.file, found.size, limits.file_bytes)
    except OSError as error:
        return unreadable(found.file, error, "file")
    file = forward(found.file)
    parsed = parse(
        source.data,
        skill_id=found.relative or found.root.name,
        path=found.path,
        file=file,
        root=found.root.shown,
    )
    if not source.complete:
        report = Report(file)
        message = f"the file has more than {limits.file_bytes:,} bytes; only what comes before was read"
        report.warning("file_too_large", message, "move details into files below references/")
        parsed = ParsedSkill(parsed.skill, (*parsed.diagnostics, *report.diagnostics))
    digest = parsed.skill.digest if parsed.skill else hashlib.sha256(source.data).hexdigest()
    return ReadFile(found, parsed, digest)


def assemble(roots: Sequence[Root], files: Iterable[ReadFile], diagnostics: Iterable[Diagnostic]) -> Catalog:
    """Give every skill its id and its place, and put the catalogue together."""
    entries: list[Placed] = []
    skipped: list[tuple[str, str]] = []
    reported = list(diagnostics)
    order = {root.path: place for place, root in enumerate(roots)}
    for one in files:
        reported.extend(one.parsed.diagnostics)
        if one.parsed.skill:
            entries.append(Placed(one.parsed.skill, order[one.found.root.path]))
        else:
            skipped.append((f"{one.found.root.shown}/{one.found.relative}", one.digest))
    settled = settle(entries, [root.shown for root in roots])
    reported.extend(settled.diagnostics)
    reported.sort(key=lambda one: (_SEVERITIES.index(one.severity), one.path))
    files_read = [(skill.id, skill.digest) for skill in (*settled.skills, *settled.shadowed)]
    return Catalog(
        roots=tuple(root.shown for root in roots),
        skills=settled.skills,
        shadowed=settled.shadowed,
        diagnostics=tuple(reported),
        digest=_digest([root.shown for root in roots], sorted(files_read + skipped)),
    )


def _read_all(
    found: Sequence[Found],
    limits: ScanLimits,
    diagnostics: list[Diagnostic],
    progress: Callable[[int], None] | None,
) -> Iterator[ReadFile]:
    for count, one in enumerate(found, start=1):
        read = read_found(one, limits)
        if isinstance(read, ReadFile):
            yield read
        else:
            diagnostics.append(read)
        if progress and (count % PROGRESS_STEP == 0 or count == len(found)):
            progress(count)


def _digest(roots: Sequence[str], files: Sequence[tuple[str, str]]) -> str:
    digest = hashlib.sha256()
    for part in (*roots, *(text for pair in files for text in pair)):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
