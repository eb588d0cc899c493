"""Fields that are wanted together, built in one pass over the skills: reading and cutting bodies takes longest."""

from collections.abc import Collection, Sequence

from skill_selector.catalog.garbage import paused_collection
from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.counting import Numbers, WordCounts
from skill_selector.retrievers.fields import OF_THE_BODY, all_words
from skill_selector.retrievers.postings import Postings, Progress

REPORTED = 256
"""Skills between two reports of progress."""


class FieldBatch:
    """Builds one field after another, and counts the others in the same pass as the first. Not for several threads."""

    def __init__(self, fields: Collection[str], progress: Progress | None = None) -> None:
        """Take the fields.

        Args:
            fields: names out of `FIELDS`.
            progress: called with how many texts are done, and how many there are in all.
        """
        self._waiting = list(dict.fromkeys(fields))
        self._progress = progress
        self._counted: dict[str, WordCounts] = {}
        self._skills: tuple[Skill, ...] = ()
        self._changed: set[int] = set()

    def build(self, field: str, skills: Sequence[Skill]) -> tuple[Postings, Collection[int]]:
        """Return the postings of one field, and the positions of skills whose files are not what was scanned."""
        with paused_collection():
            if field not in self._counted or not _same(self._skills, skills):
                self._count(field, tuple(skills))
            postings = Postings.of_triples(*self._counted.pop(field).triples(), len(skills))
        return postings, self._changed if field in OF_THE_BODY else ()

    def _count(self, first: str, skills: tuple[Skill, ...]) -> None:
        if first in self._waiting:
            del self._waiting[: self._waiting.index(first)]  # those before it are on disk
        fields = self._waiting if first in self._waiting else [first]
        self._skills, self._changed, numbers = skills, set(), Numbers()
        self._counted = {field: WordCounts(numbers) for field in fields}
        for done, words in enumerate(all_words(skills, fields, self._changed), 1):
            for field, counts in self._counted.items():
                counts.add(words[field])
            if self._progress and (done % REPORTED == 0 or done == len(skills)):
                self._progress(done * len(fields), len(skills) * len(fields))


def _same(left: Sequence[Skill], right: Sequence[Skill]) -> bool:
    return len(left) == len(right) and all(one is other for one, other in zip(left, right, strict=True))
