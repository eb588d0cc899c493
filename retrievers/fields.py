"""The texts of a skill that are searched, by name."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.text import words

FIELDS = ("name", "description", "when_to_use", "head", "body", "source")
"""`head` is the beginning of the body; `source` is the one text that source 000 searches."""

HEAD_LENGTH = 2_500
"""Characters of the body that count as its beginning (source 000)."""
METADATA_WEIGHT = 3
"""How often the metadata stands in the `source` text (source 000)."""

# Frontmatter that says nothing about what a skill is for.
_ABOUT_THE_FILE = frozenset({"license", "version", "homepage", "repository", "url", "date", "created", "updated"})

_OF_THE_BODY = frozenset({"head", "body", "source"})

_logger = logging.getLogger(__name__)


def field_words(skill: Skill, field: str) -> list[str]:
    """Return the words (see `text.words`) of one field of a skill."""
    if field == "source":
        metadata = words("\n".join(_metadata_texts(skill)))
        return metadata * METADATA_WEIGHT + words(_body(skill)[:HEAD_LENGTH]) + words(skill.when_to_use)
    return words(_FIELD_TEXTS[field](skill))


def all_words(skills: Sequence[Skill], field: str, changed: set[int]) -> Iterator[list[str]]:
    """Yield the words of a field of each skill, and add those to `changed` whose files are not what was scanned."""
    for at, skill in enumerate(skills):
        if field in _OF_THE_BODY and skill.loaded_body is None:
            body, same = _read_body(skill)
            if not same:
                changed.add(at)
            skill = replace(skill, loaded_body=body)  # noqa: PLW2901
        yield field_words(skill, field)


def _metadata_texts(skill: Skill) -> list[str]:
    texts = [skill.name, skill.description, skill.category, skill.language, skill.compatibility]
    texts += [*skill.tags, *skill.triggers]
    texts += [value for key, value in skill.metadata.items() if key.lower() not in _ABOUT_THE_FILE]
    return [text for value in texts for text in _strings(value)]


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list | tuple):
        return [text for one in value for text in _strings(one)]
    if isinstance(value, Mapping):
        return [text for key, one in value.items() if str(key).lower() not in _ABOUT_THE_FILE for text in _strings(one)]
    return []


def _body(skill: Skill) -> str:
    try:
        return skill.body
    except OSError as error:
        _warn(skill, error)
        return ""


def _read_body(skill: Skill) -> tuple[str, bool]:
    """Return the body, and whether it is still that of the file which was scanned."""
    from skill_selector.catalog.parser import read_body_of  # noqa: PLC0415 - not needed where an index is there

    try:
        return read_body_of(skill)
    except OSError as error:
        _warn(skill, error)
        return "", False


def _warn(skill: Skill, error: OSError) -> None:
    # It vanished after the scan: its metadata can still be found, and the next scan reports it.
    _logger.warning("the body of skill %s cannot be read, only its metadata is searched: %s", skill.id, error)


_FIELD_TEXTS: Mapping[str, Callable[[Skill], str]] = {
    "name": lambda skill: skill.name,
    "description": lambda skill: skill.description,
    "when_to_use": lambda skill: "\n".join((skill.when_to_use, *skill.triggers)),
    "head": lambda skill: _body(skill)[:HEAD_LENGTH],
    "body": _body,
}
