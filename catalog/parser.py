"""One SKILL.md: from its bytes to a `Skill`."""

import hashlib
import unicodedata
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from skill_selector.catalog.checks import check_format
from skill_selector.catalog.diagnostic import Diagnostic, Report
from skill_selector.catalog.document import Document, open_document
from skill_selector.catalog.fields import Fields, read_fields, visible
from skill_selector.catalog.hiddentext import HIDDEN_TEXT, find_hidden_text, may_hide_text, report_hidden_text
from skill_selector.catalog.paragraph import first_paragraph
from skill_selector.catalog.persuasion import check_persuasion
from skill_selector.catalog.skill import Skill
from skill_selector.catalog.source import read_source

NOTHING: MappingProxyType[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class ParsedSkill:
    """What a file's bytes gave: a skill or none, and why."""

    skill: Skill | None
    diagnostics: tuple[Diagnostic, ...]


def parse(data: bytes, *, skill_id: str, path: str, file: str, root: str) -> ParsedSkill:
    """Read one SKILL.md. Never raises and never hangs, whatever the bytes are.

    Args:
        data: the file's bytes.
        skill_id: the skill's id within the catalogue.
        path: the skill's folder, absolute, with forward slashes; its last part stands in for a missing name.
        file: the SKILL.md itself, named by the diagnostics.
        root: the scanned folder.
    """
    digest = hashlib.sha256(data).hexdigest()
    return parse_digested(data, keep_body=True, id=skill_id, path=path, file=file, root=root, digest=digest)


def parse_digested(data: bytes, *, keep_body: bool, **place: str) -> ParsedSkill:
    """Do the same where the digest is known.

    Args:
        data: the file's bytes.
        keep_body: whether the skill keeps its body in memory.
        place: the skill's `id`, `path`, `file`, `root` and `digest`.
    """
    report = Report(place["file"])
    document = open_document(data, report)
    if document is None:
        return ParsedSkill(None, tuple(report.diagnostics))
    skill = _build(document, keep_body, report, **place)
    if skill:
        if may_hide_text(data) and (hidden := find_hidden_text(document.body)):
            report_hidden_text(hidden, "body", report)
        skill = _flagged(skill, report)
        check_format(skill, document.lines, report)
    return ParsedSkill(skill, tuple(report.diagnostics))


def read_body(file: str) -> str:
    """Return the text after the frontmatter, as far as a scan with default limits would have read it.

    Raises:
        OSError: the file cannot be read.
    """
    document = open_document(read_source(file).data, Report(file))
    return document.body if document else ""


def read_body_of(skill: Skill) -> tuple[str, bool]:
    """Return the text after the frontmatter, and whether the file is still what it was when it was scanned.

    Raises:
        OSError: the file cannot be read.
    """
    data = read_source(skill.file).data
    document = open_document(data, Report(skill.file))
    return document.body if document else "", hashlib.sha256(data).hexdigest() == skill.digest


def _build(document: Document, keep_body: bool, report: Report, **place: str) -> Skill | None:
    fields = Fields() if document.values is None else read_fields(document.values, report)
    description, inferred = fields.description, fields.description is None
    if description is None:
        description = _infer_description(document, report)
        if description is None:
            return None
    elif not document.body:
        report.warning("empty_body", "there are no instructions below the frontmatter", "write what the skill does")
    name = fields.name
    if name is None:
        name = unicodedata.normalize("NFC", visible(place["path"].rpartition("/")[2], "folder name", report))
        if document.values is not None:
            message = f"there is no name; the folder's was taken, {name!r}"
            report.warning("missing_name", message, f"add a line 'name: {name}'")
    return Skill(
        id=place["id"],
        name=name,
        description=description,
        path=place["path"],
        file=place["file"],
        root=place["root"],
        digest=place["digest"],
        body_digest=hashlib.sha256(document.body.encode("utf-8", "surrogatepass")).hexdigest(),
        category=fields.category,
        language=fields.language,
        version=fields.version,
        compatibility=fields.compatibility,
        when_to_use=fields.when_to_use,
        triggers=fields.triggers,
        tags=fields.tags,
        allowed_tools=fields.allowed_tools,
        disallowed_tools=fields.disallowed_tools,
        manual_only=fields.manual_only,
        user_invocable=fields.user_invocable,
        inferred=inferred,
        metadata=MappingProxyType(fields.rest) if fields.rest else NOTHING,
        loaded_body=document.body if keep_body else None,
    )


def _flagged(skill: Skill, report: Report) -> Skill:
    """Return the skill with a flag for each way in which it works on whoever chooses."""
    lead = "\n".join((skill.name, skill.description, skill.when_to_use, *skill.triggers, *skill.tags))
    flags: tuple[str, ...] = check_persuasion(lead, report)
    if any(one.kind == HIDDEN_TEXT for one in report.diagnostics):
        flags = (HIDDEN_TEXT, *flags)
    return replace(skill, flags=flags) if flags else skill


def _infer_description(document: Document, report: Report) -> str | None:
    """Return the first paragraph, with a warning, or None, with an error, where nothing can be inferred.

    An empty frontmatter says that the author has not filled in the form yet: only a body with a heading, which
    reads as a finished text, is taken in its place.
    """
    fix = "add a frontmatter with 'name' and 'description'"
    text = visible(first_paragraph(document.body), "first paragraph", report)
    unfinished = document.values == {} and "# " not in f"\n{document.body}"
    if not text or unfinished:
        what = "the description is missing" if document.values is not None else "there is no text to select by"
        report.error("missing_description", what, fix)
        return None
    if document.values is None:
        what = "there is no frontmatter; the name is the folder's and the description the first paragraph"
        report.warning("no_frontmatter", what, fix)
    else:
        what = "the description is missing; the first paragraph was taken"
        report.warning("missing_description", what, "add a line 'description: …'")
    return text
