"""`knowledge.yaml`: what the files of a folder do not say of themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from skill_selector.catalog.diagnostic import Report
from skill_selector.catalog.reader import ReadError, read
from skill_selector.knowledge.chunk import CHUNK_TYPES
from skill_selector.knowledge.provenance import authority_of, day_of

NAMES = ("knowledge.yaml", "knowledge.yml")
FIELDS = ("type", "date", "authority", "skills")
_SPELLINGS = {"date": ("date", "updated_at", "updated", "last_updated"), "skills": ("skills", "skill", "skill_id")}


@dataclass(frozen=True)
class Manifest:
    """Its rules, in order; the last one that matches a file counts, field by field."""

    rules: tuple[tuple[str, Mapping[str, Any]], ...] = ()

    def of(self, path: str) -> dict[str, Any]:
        """Return what the rules say of a file, given by its path below the folder."""
        stated: dict[str, Any] = {}
        for pattern, values in self.rules:
            if fnmatchcase(path, pattern):
                stated |= values
        return stated


def read_manifest(text: str, report: Report) -> Manifest:
    """Read the rules; what cannot be used is reported and left out."""
    try:
        value = read(text).value
    except ReadError as error:
        report.error("bad_manifest", f"line {error.line + 1}: {error}", "correct it; its rules do not count now")
        return Manifest()
    rules = value.get("rules") if isinstance(value, dict) else None
    if not isinstance(rules, list):
        report.error("bad_manifest", "there is no list 'rules'", "write rules: - path: …, with type, date, authority")
        return Manifest()
    found = []
    for number, rule in enumerate(rules, 1):
        path = rule.get("path") if isinstance(rule, dict) else None
        if not isinstance(path, str) or not path:
            report.warning("bad_manifest", f"rule {number} names no path; it was left out", "add path: a pattern")
            continue
        found.append((path, clean(rule, report, f"rule {number}")))
    return Manifest(tuple(found))


def clean(stated: Mapping[str, Any], report: Report, where: str) -> dict[str, Any]:
    """Return what can be used of `type`, `date`, `authority` and `skills`; report the rest.

    Args:
        stated: the fields of a manifest's rule, of a frontmatter or of a record.
        report: takes the faults.
        where: names the place in them.
    """
    found: dict[str, Any] = {}
    for field in FIELDS:
        raw = next((stated[one] for one in _SPELLINGS.get(field, (field,)) if stated.get(one) not in (None, "")), None)
        if raw is None:
            continue
        value = _READ[field](raw)
        if value is not None:
            found[field] = value
        elif field != "type" or where.startswith("rule"):
            # records and pages have types of their own, which are none of ours
            report.warning(f"bad_{field}", f"{where}: {field} is {str(raw)[:60]!r}", _FIXES[field])
    return found


def _skills(raw: Any) -> tuple[str, ...] | None:
    listed = raw if isinstance(raw, list) else str(raw).split(",")
    names = tuple(str(one).strip().removeprefix("skill:") for one in listed if str(one).strip())
    return names or None


_READ = {
    "type": lambda raw: raw if raw in CHUNK_TYPES else None,
    "date": day_of,
    "authority": authority_of,
    "skills": _skills,
}
_FIXES = {
    "type": "one of " + ", ".join(CHUNK_TYPES),
    "date": "write it as 2026-11-30",
    "authority": "official, maintainer, team, community, personal, or a number from 0 to 1",
    "skills": "a list of skill ids",
}
