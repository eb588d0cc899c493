"""One file: from its bytes to chunks. Whatever the bytes are, it never raises; what is lost is said."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from skill_selector.catalog.diagnostic import Diagnostic, Report
from skill_selector.catalog.encoding import decode
from skill_selector.knowledge.chunk import Chunk, digest_of
from skill_selector.knowledge.entities import distinct
from skill_selector.knowledge.folder import KnowledgeLimits
from skill_selector.knowledge.formats import cut
from skill_selector.knowledge.kinds import type_of
from skill_selector.knowledge.manifest import clean
from skill_selector.knowledge.piece import Piece
from skill_selector.knowledge.prose import shortened
from skill_selector.knowledge.provenance import DEFAULT_AUTHORITY

MOST_FAULTS = 20
"""Faults of one kind that a file's diagnostics name one by one."""


class _Source(NamedTuple):
    path: str
    format: str
    title: str
    stated: Mapping[str, Any]


@dataclass(frozen=True)
class Intake:
    """What came of a file."""

    chunks: tuple[Chunk, ...]
    diagnostics: tuple[Diagnostic, ...]


def take_in(
    data: bytes, *, path: str, file: str, format_name: str, rules: Mapping[str, Any], limits: KnowledgeLimits
) -> Intake:
    """Cut a file.

    Args:
        data: its bytes, as far as they were read.
        path: below the folder, for the chunks.
        file: the whole path, for the diagnostics.
        format_name: of `formats.FORMATS`.
        rules: what the manifest says of it.
        limits: of the knowledge base.
    """
    report = Report(file)
    if not data.strip():
        report.note("empty_file", "the file is empty", "remove it, or write something")
        return Intake((), tuple(report.diagnostics))
    text = decode(data, report)
    if text is None:
        return Intake((), tuple(report.diagnostics))
    try:
        cutting = cut(text, format_name)
    except Exception as error:
        what = f"the {format_name} could not be cut ({type(error).__name__}); it was taken as plain text"
        report.warning("not_cut", what, "check the file's format")
        cutting = cut(text, "text")
    _report_faults(cutting.faults, report)
    file_values = {**rules, **clean(cutting.stated, report, "frontmatter")}
    pieces = [part for piece in cutting.pieces for part in shortened(piece)]
    if len(pieces) > limits.chunks_of_file:
        lost = len(pieces) - limits.chunks_of_file
        report.error("chunk_limit", f"after {limits.chunks_of_file:,} chunks {lost:,} were left out", "split the file")
        pieces = pieces[: limits.chunks_of_file]
    title = str(cutting.stated.get("title", "")) if isinstance(cutting.stated.get("title"), str) else ""
    source = _Source(path, format_name, title, file_values)
    return Intake(tuple(_chunks(pieces, source, report)), tuple(report.diagnostics))


def _chunks(pieces: list[Piece], source: _Source, report: Report) -> list[Chunk]:
    seen: Counter[str] = Counter()
    found = []
    for piece in pieces:
        own = clean(piece.stated, report, f"line {piece.start}") if piece.stated else {}
        values = {**source.stated, **own}
        name = piece.title or source.title
        key = digest_of(source.path, name, piece.text)
        seen[key] += 1
        found.append(
            Chunk(
                id=key if seen[key] == 1 else digest_of(key, str(seen[key])),
                text=piece.text,
                type=values.get("type") or type_of(piece, source.path, source.format),
                title=name,
                path=source.path,
                start_line=piece.start,
                end_line=piece.end,
                language=piece.language,
                date=values.get("date"),
                authority=values.get("authority", DEFAULT_AUTHORITY),
                entities=distinct(piece.entities),
                skills=values.get("skills", ()),
            )
        )
    return found


def _report_faults(faults: list[tuple[str, str, str]], report: Report) -> None:
    named: Counter[str] = Counter()
    for kind, message, fix in faults:
        named[kind] += 1
        if named[kind] <= MOST_FAULTS:
            report.warning(kind, message, fix)
    for kind, count in named.items():
        if count > MOST_FAULTS:
            report.warning(kind, f"{count - MOST_FAULTS:,} more of the kind", "as above")
