"""The texts of a skill that are searched, by name."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
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

OF_THE_BODY = frozenset({"head", "body", "source"})
"""Fields that the body is read for."""

_logger = logging.getLogger(__name__)


def field_words(skill: Skill, field: str) -> list[str]:
    """Return the words (see `text.words`) of one field of a skill."""
    if field == "source":
        metadata = words("\n".join(_metadata_texts(skill)))
        return metadata * METADATA_WEIGHT + _head_words(_body(skill)) + words(skill.when_to_use)
    if field == "head":
        return _head_words(_body(skill))
    if field == "body":
        return [word for part in _body_words(_body(skill)) for word in part]
    return words(_FIELD_TEXTS[field](skill))


def all_words(skills: Sequence[Skill], fields: Collection[str], changed: set[int]) -> Iterator[dict[str, list[str]]]:
    """Yield the words of some fields of each skill.

    Args:
        skills: the skills; the bodies that are not in memory are read, once for all fields.
        fields: names out of `FIELDS`.
        changed: gets the positions of those whose files are not what was scanned.
    """
    reads = not OF_THE_BODY.isdisjoint(fields)
    for at, skill in enumerate(skills):
        if reads and skill.loaded_body is None:
            body, same = _read_body(skill)
            if not same:
                changed.add(at)
            skill = replace(skill, loaded_body=body)  # noqa: PLW2901
        yield {field: field_words(skill, field) for field in fields}


def _head_words(body: str) -> list[str]:
    if len(body) <= HEAD_LENGTH:
        return words(body)
    first, _ = _body_words(body)
    return first + words(body[_border(body) : HEAD_LENGTH])


@lru_cache(maxsize=2)
def _body_words(body: str) -> tuple[list[str], list[str]]:
    """Return the words before and after the border: two fields want the first, one after the other."""
    border = _border(body)
    return words(body[:border]), words(body[border:])


def _border(body: str) -> int:
    """Return where the last line begins that begins within the head; 0 where the text must be cut as a whole.

    No word goes beyond a line, but what stands on the next one may decide how characters outside ASCII are read.
    """
    return body.rfind("\n", 0, HEAD_LENGTH) + 1 if len(body) > HEAD_LENGTH and body.isascii() else 0


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
}
