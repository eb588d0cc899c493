"""What Act is asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from skill_selector.catalog.skill import Skill
from skill_selector.graph.records import TaskAnalysis
from skill_selector.graph.settings import Settings
from skill_selector.retrievers.index import SkillIndex
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
