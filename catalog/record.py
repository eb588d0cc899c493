"""What a scan found out about one file, as it is handed on and as it is kept: independent of where the root lies."""

import json
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, NamedTuple

from skill_selector.catalog.diagnostic import Diagnostic
from skill_selector.catalog.roots import forward
from skill_selector.catalog.skill import Skill
from skill_selector.catalog.walker import Found

NOTHING: MappingProxyType[str, Any] = MappingProxyType({})

_PLACE = ("id", "path", "file", "root", "digest", "loaded_body")
_KEPT = tuple(one.name for one in fields(Skill) if one.name not in _PLACE)
_SEQUENCES = tuple(_KEPT.index(name) for name in ("triggers", "tags", "allowed_tools", "disallowed_tools"))
_METADATA = _KEPT.index("metadata")

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_decode = json.JSONDecoder().raw_decode


class Stamp(NamedTuple):
    """What the file system says of a file; another one means that the file must be read again.

    Size and modification time alone would miss an update by a packer that gives every file the same time.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class ReadFile:
    """One found file, read and parsed."""

    found: Found
    skill: Skill | None
    diagnostics: tuple[Diagnostic, ...]
    digest: str
    """SHA-256 of the bytes that were read, in hex."""


class Record(NamedTuple):
    """One file as it is kept."""

    stamp: Stamp
    checked_ns: int
    """When a scan began that read the content for certain."""
    digest: str
    skill: list[Any] | None
    """The values of `_KEPT`, in order."""
    diagnostics: list[list[str]]
    """Kind, severity, message and fix of each."""


def stamp_of(found: Found) -> Stamp:
    """Return what the walk saw of a file."""
    return Stamp(found.size, found.mtime_ns, found.ctime_ns, found.inode)


def encode(read: ReadFile, checked_ns: int) -> bytes:
    """Return a record's JSON text."""
    skill = read.skill
    values = None
    if skill is not None:
        values = [getattr(skill, name) for name in _KEPT]
        values[_METADATA] = dict(skill.metadata)
    diagnostics = [[one.kind, one.severity, one.message, one.fix] for one in read.diagnostics]
    text = _encode([stamp_of(read.found), checked_ns, read.digest, values, diagnostics])
    # A path or an escape in the frontmatter may hold half a surrogate pair.
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> Record:
    """Return a record of its JSON text.

    Raises:
        ValueError, TypeError: it is none.
    """
    stamp, checked_ns, digest, skill, diagnostics = _decode(data.decode("utf-8", "surrogatepass"))[0]
    return Record(Stamp(*stamp), checked_ns, digest, skill, diagnostics)


def revive(record: Record, found: Found) -> ReadFile:
    """Return what reading the file would give now, without a body."""
    file = forward(found.file)
    skill = None
    if record.skill is not None:
        values = list(record.skill)
        for at in _SEQUENCES:
            if values[at] is not None:
                values[at] = tuple(values[at])
        values[_METADATA] = MappingProxyType(values[_METADATA]) if values[_METADATA] else NOTHING
        skill = Skill(
            id=found.relative or found.root.name,
            path=found.path,
            file=file,
            root=found.root.shown,
            digest=record.digest,
            **dict(zip(_KEPT, values, strict=True)),
        )
    diagnostics = tuple(
        Diagnostic(path=file, kind=kind, severity=severity, message=message, fix=fix)  # type: ignore[arg-type]
        for kind, severity, message, fix in record.diagnostics
    )
    return ReadFile(found, skill, diagnostics, record.digest)
