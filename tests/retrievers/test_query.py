"""How much a word of a task counts by how often it stands there."""

import math

import pytest

from skill_selector.graph.records import TaskAnalysis
from skill_selector.retrievers.query import MOST_TIMES, task_query
from skill_selector.retrievers.words import WordLists

NOTHING: TaskAnalysis = {"intent": "", "keywords": [], "constraints": [], "tech_stack": [], "when_to_use": ""}


@pytest.mark.parametrize(("times", "factor"), [(1, 1.0), (4, 2.0), (9, 3.0), (36, 3.0), (400, 3.0)])
def test_a_repeated_word_counts_by_the_root_of_its_times_and_no_more_than_thrice(times: int, factor: float) -> None:
    words = WordLists(action=frozenset(), domain=frozenset())
    once = task_query("kiwi", NOTHING, words).weights["kiwi"]
    often = task_query(" ".join(["kiwi"] * times), NOTHING, words).weights["kiwi"]
    assert often == pytest.approx(factor * once)
    assert factor <= math.sqrt(MOST_TIMES)
