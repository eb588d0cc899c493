"""What Act is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from skill_selector.catalog.skill import Skill
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.records import Degradation, TaskAnalysis
from skill_selector.graph.settings import Settings
from skill_selector.retrievers.glossary import Concepts, load_glossary
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.meaning import Meaning
from skill_selector.retrievers.query import TaskQuery, task_query
from skill_selector.retrievers.rarity import query_mass
from skill_selector.retrievers.strategy import Strategy
from skill_selector.retrievers.words import WordLists


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """One retrieval: a task, what Reason #1 made of it, and the pool to search.

    `skills` are the ones that may be found; the index holds at least those.
    """

    task: str
    analysis: TaskAnalysis
    skills: Sequence[Skill]
    index: SkillIndex
    settings: Settings
    words: WordLists
    strategy: Strategy
    meaning: Meaning | None = None
    """The skills' vectors, in the order of the index; None where they are switched off."""
    feedback: FeedbackStore | None = None
    """The counts of what was injected and judged; None where nobody counts."""
    project: str | None = None
    """The folder whose files show which skills are at home there; None where none is named."""
    faults: list[Degradation] = field(default_factory=list, compare=False)
    """What a route could not use, so that it fell back."""

    @cached_property
    def query(self) -> TaskQuery:
        """The words of the task with their weights."""
        return task_query(self.task, self.analysis, self.words)

    @cached_property
    def concepts(self) -> Concepts:
        """What the words of the task are called in the other language."""
        return load_glossary().concepts(self.task, self.query.weights)

    @cached_property
    def mass(self) -> float:
        """How much telling matter the task's words hold: what its scores are divided by the root of."""
        return query_mass(self.query, self.index)
