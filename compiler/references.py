"""What the best chunks refer to: a signature names a type, a repair names a setting; their definitions belong with it.

One step, no further: what is defined elsewhere and used in a chunk that answers the request.
"""

from collections.abc import Sequence

from skill_selector.compiler.fusion import FusedChunk
from skill_selector.knowledge.chunk import Chunk, Entity, EntityKind
from skill_selector.knowledge.index import LAST_PART
from skill_selector.knowledge.search import KnowledgeSearch

REFERENCES = "references"
"""As results call it beside the routes."""
MOST_REFERRING = 6
"""The best chunks, whose references are followed."""
MOST_DEFINERS = 3
"""A name that more chunks define is no reference to one of them."""
MOST_FOLLOWED = 12
DECAY = 0.6
"""Of the score of the chunk that refers to it."""


def follow(fused: Sequence[FusedChunk], search: KnowledgeSearch) -> list[FusedChunk]:
    """Return the fused chunks with those that the best of them refer to, in their new order.

    A chunk that the routes found as well has the better of both scores.
    """
    by_id = search.base.by_id
    found: dict[str, FusedChunk] = {one["id"]: one for one in fused}
    followed: dict[str, float] = {}
    for one in fused[:MOST_REFERRING]:
        for chunk in _referred(by_id[one["id"]], search) if one["id"] in by_id else ():
            score = DECAY * one["score"]
            if chunk.id not in followed and len(followed) >= MOST_FOLLOWED:
                continue
            followed[chunk.id] = max(score, followed.get(chunk.id, 0.0))
    for chunk_id, score in followed.items():
        known = found.get(chunk_id)
        routes = {**(known["routes"] if known else {}), REFERENCES: round(score, 4)}
        found[chunk_id] = {
            "id": chunk_id,
            "score": round(max(score, known["score"] if known else 0.0), 6),
            "routes": routes,
        }
    return sorted(found.values(), key=lambda one: -one["score"])


def _referred(chunk: Chunk, search: KnowledgeSearch) -> list[Chunk]:
    """Return the chunks that define what a chunk uses."""
    index = search.index
    own = {one.name.casefold().rpartition(".")[2] for one in chunk.entities if one.defined}
    found: dict[str, Chunk] = {}
    for entity in chunk.entities:
        name = entity.name.casefold()
        places = None if entity.defined or name.rpartition(".")[2] in own else index.names.get(name)
        if places is None:
            continue
        positions = places[0][places[1] >= LAST_PART].tolist()
        if len(positions) <= MOST_DEFINERS:
            others = [search.base.chunks[at] for at in positions]
            found.update({one.id: one for one in others if one.id != chunk.id and _defines(one, entity)})
    return list(found.values())


def _defines(chunk: Chunk, entity: Entity) -> bool:
    """Say whether a chunk defines what an entity of another chunk refers to: spelled alike, and of a kind with it."""
    return any(
        one.defined and one.name.rpartition(".")[2] == entity.name.rpartition(".")[2] and _fits(entity.kind, one.kind)
        for one in chunk.entities
    )


def _fits(used: EntityKind, defined: EntityKind) -> bool:
    if used in {"table", "column"}:
        return defined == "table"
    return defined != "column"
