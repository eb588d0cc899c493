"""The rules of the Agent Skills format (agentskills.io/specification), as notes: breaking one costs nothing here."""

import unicodedata

from skill_selector.catalog.diagnostic import Report
from skill_selector.catalog.skill import Skill

NAME_LENGTH = 64
DESCRIPTION_LENGTH = 1024
COMPATIBILITY_LENGTH = 500
LINES = 500


def check_format(skill: Skill, lines: int, report: Report) -> None:
    """Note where a skill departs from the format. `lines` is the number of lines of its file."""
    if not skill.inferred:
        _check_name(skill, report)
        _check_length("description", skill.description, DESCRIPTION_LENGTH, report)
    _check_length("compatibility", skill.compatibility or "", COMPATIBILITY_LENGTH, report)
    if lines > LINES:
        message = f"the file has {lines:,} lines; the format recommends at most {LINES}"
        report.note("body_too_long", message, "move details into files below references/")


def _check_name(skill: Skill, report: Report) -> None:
    name = skill.name
    _check_length("name", name, NAME_LENGTH, report)
    if not _is_well_formed(name):
        message = f"the name {name!r} is not made of lower-case letters, digits and single hyphens"
        report.note("name_format", message, "use lower-case letters, digits and hyphens only")
    folder = skill.path.rpartition("/")[2]
    if name != folder and unicodedata.normalize("NFKC", name) != unicodedata.normalize("NFKC", folder):
        message = f"the name {name!r} is not that of the folder, {folder!r}"
        report.note("name_differs_from_folder", message, "give folder and name the same text")


def _is_well_formed(name: str) -> bool:
    """Letters of any script count as lower-case where the script has no case."""
    if name.isascii() and name.replace("-", "").isalnum() and name.islower():
        return not (name.startswith("-") or name.endswith("-") or "--" in name)
    composed = unicodedata.normalize("NFKC", name)
    return (
        composed == composed.lower()
        and all(character == "-" or unicodedata.category(character)[0] in "LMN" for character in composed)
        and not (composed.startswith("-") or composed.endswith("-") or "--" in composed)
    )


def _check_length(what: str, text: str, longest: int, report: Report) -> None:
    if len(text) > longest:
        message = f"the {what} has {len(text):,} characters; the format allows {longest:,}"
        report.note(f"{what}_too_long", message, f"shorten it to {longest:,} characters")
