"""The index over a catalogue: each skill's texts as named fields, each field with its postings."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.batch import FieldBatch
from skill_selector.retrievers.blocks import DamagedError
from skill_selector.retrievers.fields import FIELDS
from skill_selector.retrievers.merged import MergedPostings
from skill_selector.retrievers.postings import Matches, Postings, Progress
from skill_selector.retrievers.snapshot import TRIES, IndexSnapshot
from skill_selector.retrievers.text import is_chinese

FieldPostings = Postings | MergedPostings
_Answer = TypeVar("_Answer")

_logger = logging.getLogger(__name__)


class SkillIndex:
    """BM25 statistics over named fields of a sequence of skills.

    Every array that it returns has one element a skill, in the order of `ids`. Fields are built when they are asked
    for, at most once; afterwards nothing changes, so that threads may share an index.
    """

    def __init__(
        self,
        skills: Sequence[Skill],
        postings: Mapping[str, FieldPostings] | None = None,
        snapshot: IndexSnapshot | None = None,
    ) -> None:
        """Make an index, with the fields that are there already.

        Args:
            skills: the catalogue, in order.
            postings: fields that are built.
            snapshot: what is on disk of an index over these skills.

        Raises:
            ValueError: two skills share an id, or a field's postings are of another number of documents.
        """
        self.skills = tuple(skills)
        self.ids = tuple(skill.id for skill in self.skills)
        self.automatic: NDArray[np.bool_] = np.array([not skill.manual_only for skill in self.skills], dtype=bool)
        """Which skills may be chosen without being asked for by name."""
        self._positions = {skill_id: at for at, skill_id in enumerate(self.ids)}
        self._postings: dict[str, FieldPostings] = dict(postings or {})
        self._snapshot = snapshot
        self._building = Lock()
        if len(self._positions) < len(self.ids):
            raise ValueError("two skills share an id: ids must be unique within a catalogue")
        for field, one in self._postings.items():
            if one.size != len(self.ids):
                raise ValueError(f"the postings of {field!r} hold {one.size} documents, not {len(self.ids)}")

    @classmethod
    def build(
        cls,
        skills: Sequence[Skill],
        fields: Collection[str] = ("source",),
        progress: Progress | None = None,
        snapshot: IndexSnapshot | None = None,
    ) -> Self:
        """Return an index with the named fields built. Reads the bodies that are not in memory.

        Args:
            skills: the catalogue, in order.
            fields: names out of `FIELDS`; the others are built when they are first used.
            progress: called with how many texts are done, and how many there are in all.
            snapshot: what is on disk of an index over these skills, so that only the rest is built.
        """
        index = cls(skills, snapshot=snapshot)
        index.prepare(fields, progress)
        return index

    def prepare(self, fields: Collection[str], progress: Progress | None = None) -> None:
        """Build those of the named fields that are not there yet.

        Args:
            fields: names out of `FIELDS`.
            progress: as for `build`.
        """
        for field in fields:
            _check_field(field)
        missing = [field for field in dict.fromkeys(fields) if field not in self._postings]
        batch = FieldBatch(missing, progress)
        for field in missing:
            self._field(field, batch)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def built(self) -> dict[str, FieldPostings]:
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
        return self._ask(field, lambda postings: postings.scores(query))

    def occurrences(self, field: str, token: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the positions of the skills that hold the token, and the term frequency part of BM25 of each."""
        return self._ask(field, lambda postings: postings.occurrences(token))

    def matches(self, field: str, tokens: Iterable[str]) -> Matches:
        """Return the `occurrences` of those tokens that any skill holds, asked for at once."""
        listed = list(tokens)
        return self._ask(field, lambda postings: postings.matches(listed))

    def held(self, field: str, position: int, tokens: Iterable[str]) -> set[str]:
        """Return which of the tokens the skill at the position holds."""
        listed = list(tokens)
        return self._ask(field, lambda postings: postings.held(position, listed))

    @cached_property
    def chinese(self) -> NDArray[np.bool_]:
        """Which skills have names and descriptions in Chinese."""
        return np.array([is_chinese(f"{skill.name} {skill.description}") for skill in self.skills], dtype=bool)

    @cached_property
    def chinese_count(self) -> int:
        """How many skills that are."""
        return int(np.count_nonzero(self.chinese))

    def overlap(self, field: str, tokens: Iterable[str]) -> NDArray[np.bool_]:
        """Return which skills hold any of the tokens."""
        listed = list(tokens)
        return self._ask(field, lambda postings: postings.overlap(listed))

    def idf(self, field: str, token: str) -> float:
        """Return the token's inverse document frequency, more than 0."""
        return self._ask(field, lambda postings: postings.idf(token))

    def document_frequency(self, field: str, token: str) -> int:
        """Return how many skills hold the token."""
        return self._ask(field, lambda postings: postings.document_frequency(token))

    def count(self, field: str, position: int, token: str) -> int:
        """Return how often the skill at the position holds the token; metadata counts three times in `source`."""
        return self._ask(field, lambda postings: postings.count(position, token))

    def has(self, field: str, position: int, token: str) -> bool:
        """Tell whether the skill at the position holds the token."""
        return self.count(field, position, token) > 0

    def _ask(self, field: str, question: Callable[[FieldPostings], _Answer]) -> _Answer:
        for _ in range(TRIES):
            postings = self._field(field)
            try:
                return question(postings)
            except DamagedError as error:
                self._forget(field, postings, error)
        with self._building:
            self._snapshot = None
        return question(self._field(field))

    def _forget(self, field: str, postings: FieldPostings, error: DamagedError) -> None:
        _logger.info("%s: what it held is indexed anew", error)
        with self._building:
            if self._snapshot:
                self._snapshot.drop(error.path)
            if self._postings.get(field) is postings:
                del self._postings[field]

    def _field(self, field: str, batch: FieldBatch | None = None) -> FieldPostings:
        found = self._postings.get(field)
        if found is not None:
            return found
        _check_field(field)
        with self._building:
            found = self._postings.get(field)
            if found is None:
                found = self._postings[field] = self._load(field, batch or FieldBatch([field]))
            return found

    def _load(self, field: str, batch: FieldBatch) -> FieldPostings:
        if self._snapshot is None:
            return batch.build(field, self.skills)[0]
        return self._snapshot.open(field, lambda skills: batch.build(field, skills))


def _check_field(field: str) -> None:
    if field not in FIELDS:
        raise ValueError(f"there is no field {field!r}; the fields are {', '.join(FIELDS)}")
