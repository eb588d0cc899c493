"""What a scan found out about one file, as it is handed on and as it is kept: independent of where the root lies."""

import json
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from skill_selector.catalog.diagnostic import Diagnostic
from skill_selector.catalog.roots import forward
from skill_selector.catalog.skill import Skill
from skill_selector.catalog.walker import Found

NOTHING: MappingProxyType[str, Any] = MappingProxyType({})

_decode = json.JSONDecoder().raw_decode
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


Stamp = tuple[int, int, int, int]
"""What the file system says of a file: size, times of the last modification and of the last change, inode.

Another one means that the file must be read again. Size and modification time alone would miss an update by a packer
that gives every file the same time.
"""


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

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    checked_ns: int
    """When a scan began that read the content for certain."""
    digest: str
    skill: list[Any] | None
    """Its fields, but for those that follow from where it lies."""
    diagnostics: list[list[str]]
    """Kind, severity, message and fix of each."""

    @property
    def stamp(self) -> Stamp:
        """What the file system said of the file."""
        return self[:4]


def stamp_of(found: Found) -> Stamp:
    """Return what the walk saw of a file."""
    return found[4:]


def encode(read: ReadFile, checked_ns: int) -> bytes:
    """Return a record's JSON text."""
    diagnostics = [[one.kind, one.severity, one.message, one.fix] for one in read.diagnostics]
    text = _encode([*stamp_of(read.found), checked_ns, read.digest, _values(read.skill), diagnostics])
    # An escape in the frontmatter may give half a surrogate pair.
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> Record:
    """Return a record of its JSON text.

    Raises:
        ValueError, TypeError: it is none.
    """
    return Record(*_decode(data.decode("utf-8", "surrogatepass"))[0])


def revive(record: Record, found: Found) -> ReadFile:
    """Return what reading the file would give now, without a body."""
    file = forward(found.file)
    diagnostics = [
        Diagnostic(path=file, kind=kind, severity=severity, message=message, fix=fix)  # type: ignore[arg-type]
        for kind, severity, message, fix in record.diagnostics
    ]
    return ReadFile(found, _skill(record, found, file), tuple(diagnostics), record.digest)


def _values(skill: Skill | None) -> list[Any] | None:
    if skill is None:
        return None
    return [
        skill.name,
        skill.description,
        skill.body_digest,
        skill.category,
        skill.language,
        skill.version,
        skill.compatibility,
        skill.when_to_use,
        skill.triggers,
        skill.tags,
        skill.allowed_tools,
        skill.disallowed_tools,
        skill.manual_only,
        skill.user_invocable,
        skill.inferred,
        skill.flags,
        dict(skill.metadata),
    ]


def _skill(record: Record, found: Found, file: str) -> Skill | None:
    if record.skill is None:
        return None
    (
        name,
        description,
        body_digest,
        category,
        language,
        version,
        compatibility,
        when_to_use,
        triggers,
        tags,
        allowed_tools,
        disallowed_tools,
        manual_only,
        user_invocable,
        inferred,
        flags,
        metadata,
    ) = record.skill
    return Skill(
        id=found.relative or found.root.name,
        name=name,
        description=description,
        path=found.path,
        file=file,
        root=found.root.shown,
        digest=record.digest,
        body_digest=body_digest,
        category=category,
        language=language,
        version=version,
        compatibility=compatibility,
        when_to_use=when_to_use,
        triggers=tuple(triggers),
        tags=tuple(tags),
        allowed_tools=None if allowed_tools is None else tuple(allowed_tools),
        disallowed_tools=tuple(disallowed_tools),
        manual_only=manual_only,
        user_invocable=user_invocable,
        inferred=inferred,
        flags=tuple(flags),
        metadata=MappingProxyType(metadata) if metadata else NOTHING,
    )
