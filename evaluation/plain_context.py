"""The contexts that a compiled one is compared with: plain retrieval over everything, and none."""

from collections.abc import Sequence
from typing import NamedTuple

from skill_selector.compiler.request import query_of, values_of
from skill_selector.evaluation.context_score import Piece
from skill_selector.evaluation.context_task import ContextTask
from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.prompts.shortening import estimate_tokens

MOST = 200
"""Chunks that plain retrieval ranks."""


class Context(NamedTuple):
    """A prompt and what stands in it."""

    prompt: str
    pieces: tuple[Piece, ...]


def plain_context(task: ContextTask, definition: SkillDefinition, search: KnowledgeSearch, budget: int) -> Context:
    """Return the context of a retrieval that knows nothing of skills: the best chunks, as many as the budget holds.

    It searches the whole base for the task and the values of its parameters, by meaning and by words: the mean of both
    scores, each divided by its best one. A chunk that does not fit is passed over for the next.
    """
    query = query_of(task.task, task.parameters)
    scores: dict[str, float] = {}
    for hits in (search.semantic(query, limit=MOST), search.keyword(query, limit=MOST)):
        best = max((hit.score for hit in hits), default=1.0)
        for hit in hits:
            scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + hit.score / best / 2
    chosen: list[str] = []
    pieces: list[Piece] = []
    room = budget - estimate_tokens(_prompt(task, definition, ["x"]))
    for chunk_id in sorted(scores, key=lambda one: -scores[one]):
        chunk = search.base.get(chunk_id)
        block = f"[{chunk.source}]\n{chunk.text}"
        cost = estimate_tokens(block) + 2
        if cost <= room:
            room -= cost
            chosen.append(block)
            pieces.append(Piece(chunks=(chunk,), tokens=cost))
    return Context(_prompt(task, definition, chosen), tuple(pieces))


def no_context(task: ContextTask, definition: SkillDefinition) -> Context:
    """Return the skill, its parameters and the task alone."""
    return Context(_prompt(task, definition, []), ())


def _prompt(task: ContextTask, definition: SkillDefinition, blocks: Sequence[str]) -> str:
    values = "\n".join(values_of(task.parameters))
    return "\n\n".join([*blocks, f"{definition.id}: {definition.description}", values, task.task])
