"""The index over a catalogue: each skill's texts as named fields, each field with its postings."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.postings import Postings, Progress
from skill_selector.retrievers.text import words

FIELDS = ("name", "description", "when_to_use", "head", "body", "source")
"""`head` is the beginning of the body; `source` is the one text that source 000 searches."""

HEAD_LENGTH = 2_500
"""Characters of the body that count as its beginning (source 000)."""
METADATA_WEIGHT = 3
"""How often the metadata stands in the `source` text (source 000)."""

# Frontmatter that says nothing about what a skill is for.
_ABOUT_THE_FILE = frozenset({"license", "version", "homepage", "repository", "url", "date", "created", "updated"})

_logger = logging.getLogger(__name__)


class SkillIndex:
    """BM25 statistics over named fields of a sequence of skills.

    Every array that it returns has one element a skill, in the order of `ids`. Fields are built when they are asked
    for, at most once; afterwards nothing changes, so that threads may share an index.
    """

    def __init__(self, skills: Sequence[Skill], postings: Mapping[str, Postings] | None = None) -> None:
        """Make an index, with the fields that are there already.

        Raises:
            ValueError: two skills share an id, or a field's postings are of another number of documents.
        """
        self.skills = tuple(skills)
        self.ids = tuple(skill.id for skill in self.skills)
        self.automatic: NDArray[np.bool_] = np.array([not skill.manual_only for skill in self.skills], dtype=bool)
        """Which skills may be chosen without being asked for by name."""
        self._positions = {skill_id: at for at, skill_id in enumerate(self.ids)}
        self._postings = dict(postings or {})
        self._building = Lock()
        if len(self._positions) < len(self.ids):
            raise ValueError("two skills share an id: ids must be unique within a catalogue")
        for field, one in self._postings.items():
            if one.size != len(self.ids):
                raise ValueError(f"the postings of {field!r} hold {one.size} documents, not {len(self.ids)}")

    @classmethod
    def build(
        cls, skills: Sequence[Skill], fields: Collection[str] = ("source",), progress: Progress | None = None
    ) -> Self:
        """Return an index with the named fields built. Reads the bodies that are not in memory.

        Args:
            skills: the catalogue, in order.
            fields: names out of `FIELDS`; the others are built when they are first used.
            progress: called with how many texts are done, and how many there are in all.
        """
        index = cls(skills)
        for done, field in enumerate(fields):
            index._field(field, _within(progress, done, len(fields)))
        return index

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def built(self) -> dict[str, Postings]:
        """The fields that are built so far."""
        return dict(self._postings)

    def position(self, skill_id: str) -> int:
        """Return the skill's place in every array; KeyError where there is no such skill."""
        return self._positions[skill_id]

    def __contains__(self, skill_id: object) -> bool:
        return skill_id in self._positions

    def mask(self, skills: Sequence[Skill]) -> NDArray[np.bool_]:
        """Return which of the index's skills are among the given ones and may be chosen automatically.

        Raises:
            ValueError: a skill is not in the index.
        """
        if skills is self.skills:
            return self.automatic
        strangers = [skill.id for skill in skills if skill.id not in self._positions]
        if strangers:
            raise ValueError(f"{strangers[0]!r} is not in the index: build the index over the skills that are searched")
        chosen = np.zeros(len(self), dtype=bool)
        chosen[[self._positions[skill.id] for skill in skills]] = True
        return chosen & self.automatic

    def scores(self, field: str, query: Mapping[str, float]) -> NDArray[np.float32]:
        """Return BM25 scores, 0 or more, of tokens with their weights."""
        return self._field(field).scores(query)

    def overlap(self, field: str, tokens: Iterable[str]) -> NDArray[np.bool_]:
        """Return which skills hold any of the tokens."""
        return self._field(field).overlap(tokens)

    def idf(self, field: str, token: str) -> float:
        """Return the token's inverse document frequency, more than 0."""
        return self._field(field).idf(token)

    def document_frequency(self, field: str, token: str) -> int:
        """Return how many skills hold the token."""
        return self._field(field).document_frequency(token)

    def count(self, field: str, position: int, token: str) -> int:
        """Return how often the skill at the position holds the token; metadata counts three times in `source`."""
        return self._field(field).count(position, token)

    def has(self, field: str, position: int, token: str) -> bool:
        """Tell whether the skill at the position holds the token."""
        return self.count(field, position, token) > 0

    def _field(self, field: str, progress: Progress | None = None) -> Postings:
        found = self._postings.get(field)
        if found is not None:
            return found
        if field not in FIELDS:
            raise ValueError(f"there is no field {field!r}; the fields are {', '.join(FIELDS)}")
        with self._building:
            if field not in self._postings:
                documents = (field_words(skill, field) for skill in self.skills)
                self._postings[field] = Postings.build(documents, len(self), progress)
        return self._postings[field]


def field_words(skill: Skill, field: str) -> list[str]:
    """Return the words (see `text.words`) of one field of a skill."""
    if field == "source":
        metadata = words("\n".join(_metadata_texts(skill)))
        return metadata * METADATA_WEIGHT + words(_body(skill)[:HEAD_LENGTH]) + words(skill.when_to_use)
    return words(_FIELD_TEXTS[field](skill))


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
        # It vanished after the scan: its metadata can still be found, and the next scan reports it.
        _logger.warning("the body of skill %s cannot be read, only its metadata is searched: %s", skill.id, error)
        return ""


_FIELD_TEXTS: Mapping[str, Callable[[Skill], str]] = {
    "name": lambda skill: skill.name,
    "description": lambda skill: skill.description,
    "when_to_use": lambda skill: "\n".join((skill.when_to_use, *skill.triggers)),
    "head": lambda skill: _body(skill)[:HEAD_LENGTH],
    "body": _body,
}


def _within(progress: Progress | None, done: int, fields: int) -> Progress | None:
    if progress is None:
        return None
    return lambda at, size: progress(done * size + at, fields * size)
