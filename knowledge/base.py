"""A knowledge folder, read: its chunks, kept on disk so that only changed files are read again."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from skill_selector.catalog.cache import Cache, code_version, sweep_shelf, touch, warn_once
from skill_selector.catalog.diagnostic import Diagnostic, Report
from skill_selector.catalog.encoding import decode
from skill_selector.catalog.roots import Root, forward
from skill_selector.catalog.snapshot import MARGIN_NS
from skill_selector.catalog.source import read_source
from skill_selector.catalog.store import Store
from skill_selector.catalog.walker import unreadable
from skill_selector.knowledge.chunk import Chunk, digest_of, from_record, to_record
from skill_selector.knowledge.folder import KnowledgeFile, KnowledgeLimits, find_files
from skill_selector.knowledge.intake import Intake, take_in
from skill_selector.knowledge.manifest import NAMES, Manifest, read_manifest

Progress = Callable[[str, int], None]
"""Called with what is going on (`read`, `index`, `embed`, `tag`) and how many files, texts or chunks are done."""

CUTTERS = ("sqlglot", "markdown-it-py", "langchain-text-splitters")
"""The distributions that decide how files are cut."""


@dataclass(frozen=True)
class KnowledgeBase:
    """The chunks of a folder, in order of path and line."""

    root: Root
    chunks: tuple[Chunk, ...]
    diagnostics: tuple[Diagnostic, ...]
    digest: str
    """Of what the files hold and the manifest says of them."""
    files: int
    read: int
    """How many files were read this time; the others had not changed."""
    by_id: Mapping[str, Chunk]

    def get(self, chunk_id: str) -> Chunk:
        """Return a chunk; KeyError where there is none of that id."""
        return self.by_id[chunk_id]

    def __len__(self) -> int:
        return len(self.chunks)


class _Known(NamedTuple):
    """What reading a file gave."""

    stamp: tuple[int, ...]
    checked_ns: int
    digest: str
    rules: str
    intake: Intake

    @property
    def settled(self) -> bool:
        """Whether another content would have another stamp."""
        return max(self.stamp[1:3]) < self.checked_ns - MARGIN_NS


class KnowledgeReader:
    """Reads one folder again and again. Threads may share it."""

    def __init__(self, root: Root, cache: Cache | None = None, limits: KnowledgeLimits | None = None) -> None:
        self.root = root
        self._limits = limits or KnowledgeLimits()
        self._store = _open_store(root, cache, self._limits)
        self._known: dict[str, _Known] | None = None
        self._last: KnowledgeBase | None = None
        self._lock = Lock()

    def load(self, progress: Progress | None = None) -> KnowledgeBase:
        """Return what the folder holds now; the same object as last time where nothing has changed."""
        with self._lock:
            return self._load(progress or (lambda _step, _done: None))

    def _load(self, progress: Progress) -> KnowledgeBase:
        known = self._recall()
        manifest, diagnostics = self._manifest()
        found: dict[str, _Known] = {}
        fresh: list[str] = []
        for file in find_files(self.root, self._limits):
            if isinstance(file, Diagnostic):
                diagnostics.append(file)
                continue
            one, was_read = self._file(file, manifest, known.get(file.path))
            if isinstance(one, Diagnostic):
                diagnostics.append(one)
                continue
            found[file.path] = one
            if was_read:
                fresh.append(file.path)
            progress("read", len(found))
        self._keep(found, fresh, known)
        self._known = found
        return self._result(found, diagnostics, len(fresh))

    def _result(self, found: dict[str, _Known], diagnostics: list[Diagnostic], read: int) -> KnowledgeBase:
        digest = digest_of(_version(), *(f"{path}\0{one.digest}\0{one.rules}" for path, one in found.items()))
        diagnostics += [fault for one in found.values() for fault in one.intake.diagnostics]
        chunks = [chunk for one in found.values() for chunk in one.intake.chunks]
        if len(chunks) > self._limits.chunks:
            report = Report(self.root.shown)
            lost = len(chunks) - self._limits.chunks
            what = f"after {self._limits.chunks:,} chunks {lost:,} were left out"
            report.error("chunk_limit", what, "index a folder further down")
            diagnostics += report.diagnostics
            chunks = chunks[: self._limits.chunks]
        last = self._last
        if last and last.digest == digest and last.diagnostics == tuple(diagnostics):
            return last
        by_id = {chunk.id: chunk for chunk in chunks}
        self._last = KnowledgeBase(
            self.root, tuple(by_id.values()), tuple(diagnostics), digest, len(found), read, by_id
        )
        return self._last

    def _file(self, file: KnowledgeFile, manifest: Manifest, known: _Known | None) -> tuple[_Known | Diagnostic, bool]:
        stated = manifest.of(file.path)
        rules = digest_of(json.dumps(stated, ensure_ascii=False, sort_keys=True))
        if known and known.rules == rules and known.settled and known.stamp == file.stamp:
            return known, False
        began = time.time_ns()
        try:
            source = read_source(file.file, file.size, self._limits.file_bytes)
        except OSError as error:
            return unreadable(file.file, error, "file"), False
        digest = sha256(source.data).hexdigest()
        if known and known.rules == rules and known.digest == digest:
            intake = known.intake
        else:
            intake = take_in(
                source.data,
                path=file.path,
                file=forward(file.file),
                format_name=file.format,
                rules=stated,
                limits=self._limits,
            )
        if not source.complete and not any(one.kind == "file_size" for one in intake.diagnostics):
            report = Report(forward(file.file))
            what = f"only the first {self._limits.file_bytes:,} of {file.size:,} bytes were read"
            report.error("file_size", what, "split the file")
            intake = Intake(intake.chunks, (*intake.diagnostics, *report.diagnostics))
        return _Known(file.stamp, began, digest, rules, intake), True

    def _manifest(self) -> tuple[Manifest, list[Diagnostic]]:
        for name in NAMES:
            path = Path(self.root.path) / name
            if not path.is_file():
                continue
            report = Report(forward(str(path)))
            try:
                text = decode(read_source(str(path)).data, report)
            except OSError as error:
                return Manifest(), [unreadable(str(path), error, "file")]
            return (Manifest() if text is None else read_manifest(text, report)), report.diagnostics
        return Manifest(), []

    def _recall(self) -> dict[str, _Known]:
        if self._known is not None:
            return self._known
        if self._store is None:
            return {}
        try:
            return {path: _decode(record) for path, record in self._store.read().items()}
        except (ValueError, TypeError, LookupError, AttributeError):
            self._store.discard()
            return {}

    def _keep(self, found: Mapping[str, _Known], fresh: list[str], known: Mapping[str, _Known]) -> None:
        gone = [path for path in known if path not in found]
        if self._store and (fresh or gone):
            self._store.write(((path, _encode(found[path])) for path in fresh), gone)


def _encode(known: _Known) -> bytes:
    faults = [[one.path, one.kind, one.severity, one.message, one.fix] for one in known.intake.diagnostics]
    chunks = [to_record(chunk) for chunk in known.intake.chunks]
    value = [list(known.stamp), known.checked_ns, known.digest, known.rules, chunks, faults]
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _decode(record: bytes) -> _Known:
    stamp, checked, digest, rules, chunks, faults = json.loads(record.decode("utf-8", "surrogatepass"))
    diagnostics = tuple(
        Diagnostic(path=path, kind=kind, severity=severity, message=message, fix=fix)
        for path, kind, severity, message, fix in faults
    )
    return _Known(tuple(stamp), checked, digest, rules, Intake(tuple(map(from_record, chunks)), diagnostics))


def _open_store(root: Root, cache: Cache | None, limits: KnowledgeLimits) -> Store | None:
    shelf = cache.shelf(root) if cache else None
    if shelf is None:
        return None
    # what a file's bytes become depends on the code and on these two limits
    file = shelf / f"knowledge-{_version()}-{limits.file_bytes}-{limits.chunks_of_file}.sqlite"
    try:
        if file.exists():
            touch(file)
        else:
            sweep_shelf(shelf)
    except OSError as error:
        warn_once(shelf, error)
        return None
    return Store(file)


def _version() -> str:
    return code_version(str(Path(__file__).parent), *CUTTERS)


def summary(base: KnowledgeBase) -> dict[str, Any]:
    """Return how many chunks there are of each type, as JSON."""
    types: dict[str, int] = {}
    for chunk in base.chunks:
        types[chunk.type] = types.get(chunk.type, 0) + 1
    return {"files": base.files, "read": base.read, "chunks": len(base), "types": dict(sorted(types.items()))}
