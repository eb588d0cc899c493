"""How telling a word is: its inverse document frequency, smoothed, among the skills that could hold it."""

import numpy as np
from numpy.typing import NDArray

from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.postings import idf
from skill_selector.retrievers.query import TaskQuery
from skill_selector.retrievers.text import has_chinese

PRIOR_SKILLS = 200
"""Skills without the word that are added to those of the catalogue, so that a small one does not decide by itself."""
MASS_FIELD = "source"


def smoothed_idf(size: int, found: int) -> float:
    """Return the inverse document frequency of a word that `found` of `size` skills hold; more than 0."""
    return idf(size + PRIOR_SKILLS, found)


def idf_among(index: SkillIndex, token: str, documents: NDArray[np.int32]) -> float:
    """Return how telling a token is that these skills hold; a Chinese one counts among the Chinese skills alone."""
    if has_chinese(token):
        return smoothed_idf(index.chinese_count, int(np.count_nonzero(index.chinese[documents])))
    return smoothed_idf(len(index), len(documents))


def query_mass(query: TaskQuery, index: SkillIndex) -> float:
    """Return 1 and the sum of weight x idf of the task's words, those included that no skill holds."""
    found = index.matches(MASS_FIELD, query.weights)
    nowhere = np.empty(0, dtype=np.int32)
    return 1 + sum(
        weight * idf_among(index, token, found[token][0] if token in found else nowhere)
        for token, weight in query.weights.items()
    )
