"""Which chunks help with which skill: what their author says, what a model says, else rules."""

from collections.abc import Mapping
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skill_selector.knowledge.chunk import Tag
from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.knowledge.index import KnowledgeIndex
from skill_selector.knowledge.registry import SkillRegistry

TYPE_SHARE, KEYWORD_SHARE, DESCRIPTION_SHARE = 0.4, 0.4, 0.2
"""Of a rule's confidence: the chunk has a preferred type, holds related keywords, is about the description's words."""
ENOUGH_KEYWORDS = 2
"""Related keywords that make a chunk's keyword share whole."""
LEAST_CONFIDENCE = 0.4
"""Below it a chunk gets no tag."""

ModelTags = Mapping[str, Mapping[str, float] | None]
"""By chunk id: confidence by skill id, 0 to 1; None where the model did not answer. Missing: it was not asked."""

_BY = ("rule", "fallback", "model", "author")


class _Column(NamedTuple):
    confidence: NDArray[np.float32]
    by: NDArray[np.int8]


class TagTable:
    """The tags of all chunks. Columns are made when a skill is first asked for; threads may share it."""

    def __init__(self, index: KnowledgeIndex, registry: SkillRegistry, model: ModelTags | None = None) -> None:
        self._index = index
        self._registry = registry
        self._model = model or {}
        self._columns: dict[str, _Column] = {}
        self._lock = Lock()

    def confidence(self, skill_id: str) -> NDArray[np.float32]:
        """Return how surely each chunk helps with a skill [chunks], 0 to 1; 0 for no tag.

        Raises:
            DefinitionError: the skill is not defined, and no chunk's author names it.
        """
        return self._column(skill_id).confidence

    def of(self, position: int) -> list[Tag]:
        """Return the tags of the chunk at a position, the surest first."""
        chunk = self._index.base.chunks[position]
        found = []
        for skill_id in dict.fromkeys([*chunk.skills, *(one.id for one in self._registry)]):
            column = self._column(skill_id)
            sure = float(column.confidence[position])
            if sure > 0:
                found.append(Tag(skill_id, round(sure, 4), _BY[column.by[position]]))  # type: ignore[arg-type]
        return sorted(found, key=lambda tag: -tag.confidence)

    def _column(self, skill_id: str) -> _Column:
        with self._lock:
            found = self._columns.get(skill_id)
            if found is None:
                found = self._columns[skill_id] = self._make(skill_id)
            return found

    def _make(self, skill_id: str) -> _Column:
        chunks = self._index.base.chunks
        named = np.array([skill_id in chunk.skills for chunk in chunks], dtype=bool)
        if skill_id in self._registry or not named.any():
            confidence = rule_confidence(self._index, self._registry.get(skill_id))
        else:
            confidence = np.zeros(len(chunks), dtype=np.float32)
        by = np.zeros(len(chunks), dtype=np.int8)
        for at, chunk in enumerate(chunks if self._model else ()):
            if chunk.id not in self._model:
                continue
            said = self._model[chunk.id]
            by[at] = _BY.index("fallback" if said is None else "model")
            if said is not None:
                confidence[at] = said.get(skill_id, 0.0)
        confidence[confidence < LEAST_CONFIDENCE] = 0
        confidence[named] = 1.0
        by[named] = _BY.index("author")
        return _Column(confidence, by)


def rule_confidence(index: KnowledgeIndex, definition: SkillDefinition) -> NDArray[np.float32]:
    """Return by rule how surely each chunk helps with a skill [chunks], 0 to 1.

    0.4 for a preferred type, 0.2 for each related keyword up to two, and 0.2 × the share of the description's words.
    """
    chunks = index.base.chunks
    preferred = frozenset(definition.preferred_context_types)
    typed = np.array([chunk.type in preferred for chunk in chunks], dtype=np.float32)
    count = np.zeros(len(chunks), dtype=np.float32)
    for keyword in definition.related_keywords:
        count += index.holding(keyword)
    related = np.minimum(count / ENOUGH_KEYWORDS, 1)
    about = index.keyword_scores(definition.description)
    total = TYPE_SHARE * typed + KEYWORD_SHARE * related + DESCRIPTION_SHARE * about
    confidence: NDArray[np.float32] = total.astype(np.float32)
    return confidence
