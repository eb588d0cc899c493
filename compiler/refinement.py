"""From fused hits to the chunks that are worth their room: merged, without conflicts, reranked, completed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from skill_selector.compiler.conflicts import settle_conflicts
from skill_selector.compiler.duplicates import merge_duplicates, merged_into
from skill_selector.compiler.fusion import FusedChunk
from skill_selector.compiler.needs import Need, searchable
from skill_selector.compiler.references import REFERENCES
from skill_selector.compiler.relevance import Relevance, standing, touched
from skill_selector.compiler.request import CompileRequest
from skill_selector.compiler.rescue import rescue
from skill_selector.compiler.result import Conflict, Fate, ManifestEntry
from skill_selector.knowledge.chunk import Chunk, from_record, to_record
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.prompts.shortening import estimate_tokens

MOST_RERANKED = 80
"""Fused chunks that are looked at."""
FLOOR = 0.5
"""Of the best score: what lies below is noise."""


@dataclass
class Refinement:
    """What came of refining. `to_dict` gives plain JSON, which the graph's state carries."""

    kept: list[ManifestEntry] = field(default_factory=list)
    """The best first."""
    dropped: list[ManifestEntry] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    foreign: dict[str, Chunk] = field(default_factory=dict)
    """By id, the chunks that are not of the knowledge base."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "kept": [one.to_dict() for one in self.kept],
            "dropped": [one.to_dict() for one in self.dropped],
            "conflicts": [asdict(one) for one in self.conflicts],
            "foreign": {name: to_record(one) for name, one in self.foreign.items()},
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Refinement":
        """Return what `to_dict` gave."""
        return cls(
            [ManifestEntry.from_dict(one) for one in value["kept"]],
            [ManifestEntry.from_dict(one) for one in value["dropped"]],
            [Conflict.from_dict(one) for one in value["conflicts"]],
            {name: from_record(one) for name, one in value["foreign"].items()},
        )


class Refiner:
    """Refines for one request. Between `gathered` and `finished` somebody else may score `gathered`."""

    def __init__(
        self,
        request: CompileRequest,
        search: KnowledgeSearch,
        needs: Sequence[Need],
        near: Mapping[str, float],
    ) -> None:
        """Take what is known.

        Args:
            request: what is asked for.
            search: the knowledge base.
            needs: what the context is to cover.
            near: by chunk id, nearness in meaning, 0 to 1.
        """
        self._near = near
        self._request = request
        self._search = search
        self._needs = needs
        self._made = Refinement()
        self._fused: dict[str, FusedChunk] = {}
        self._merged: dict[str, list[str]] = {}

    def gathered(self, fused: Sequence[FusedChunk]) -> list[Chunk]:
        """Return the chunks to score: without duplicates and without those that lost a conflict."""
        self._fused = {one["id"]: one for one in fused}
        by_id = self._search.base.by_id
        found = [by_id[one["id"]] for one in fused if one["id"] in by_id]
        for one in fused:
            if one["id"] not in by_id:
                self._made.dropped.append(self._missing(one))
        for chunk in found[MOST_RERANKED:]:
            self._drop(chunk, "over_limit", f"{MOST_RERANKED} others were found before it")
        unique, gone = merge_duplicates(found[:MOST_RERANKED])
        self._merged = merged_into(gone)
        for lost, kept in gone.items():
            self._drop(by_id[lost], "duplicate", f"its text stands in {by_id[kept].source}")
        settled = settle_conflicts(unique)
        self._made.conflicts = settled.conflicts
        for lost, why in settled.lost.items():
            self._drop(by_id[lost], "conflict", why)
        return settled.kept

    def local_scores(self, chunks: Sequence[Chunk]) -> list[float]:
        """Return the local scorer's relevance, 0 to 1."""
        fused = {one.id: self._share(one, weighed=False) for one in chunks}
        return Relevance(self._request, self._search, self._needs, fused, self._near).of(chunks)

    def finished(self, chunks: Sequence[Chunk], relevance: Sequence[float]) -> Refinement:
        """Return the refinement: relevance times standing times weight, cut at the floor, with what had to be rescued.

        What a chunk refers to counts at least as much as `references.follow` has it. The floor is of the best score
        before weighing: what was learnt of one chunk shall not push out another.
        """
        referred = {name: one["routes"][REFERENCES] for name, one in self._fused.items() if REFERENCES in one["routes"]}
        factors = standing(chunks, self._request.preference)
        own = [
            max(one, referred.get(chunk.id, 0.0)) * factor
            for one, factor, chunk in zip(relevance, factors, chunks, strict=True)
        ]
        least = FLOOR * min(1.0, max(own, default=0.0))
        scored = [(min(1.0, one * self._weight(chunk)), chunk) for one, chunk in zip(own, chunks, strict=True)]
        scored.sort(key=lambda pair: -pair[0])
        for score, chunk in scored:
            entry = self._entry(chunk, score)
            if score >= least and score > 0:
                self._made.kept.append(entry)
            else:
                why = f"{score:.2f} is less than {FLOOR:g} of the best"
                self._made.dropped.append(replace(entry, kept=False, reason="below_floor", detail=why))
        self._rescue()
        self._made.dropped.sort(key=lambda one: -(one.score or one.fused))
        return self._made

    def _rescue(self) -> None:
        by_id = self._search.base.by_id
        texts = [searchable(by_id[one.chunk_id]) for one in self._made.kept]
        best = self._made.kept[0].score if self._made.kept else 1.0
        for one in rescue(self._request, self._needs, texts):
            what = ", ".join(one.covers)[:200]
            detail = f"nothing else covers {what}; from the skill {one.skill}, which was not chosen"
            entry = replace(self._entry(one.chunk, best), reason="rescued", detail=detail, skill=one.skill)
            self._made.kept.append(entry)
            self._made.foreign[one.chunk.id] = one.chunk

    def _share(self, chunk: Chunk, *, weighed: bool = True) -> float:
        """Return the best fused score among a chunk and its duplicates, with or without what outcomes say of them."""
        found = [self._fused[one] for one in (chunk.id, *self._merged.get(chunk.id, ())) if one in self._fused]
        scores = (one["score"] if weighed else one.get("unweighed", one["score"]) for one in found)
        return max(scores, default=0.0)

    def _weight(self, chunk: Chunk) -> float:
        """Return what outcomes multiply a chunk's score by."""
        return self._fused[chunk.id].get("weight", 1.0) if chunk.id in self._fused else 1.0

    def _drop(self, chunk: Chunk, reason: Fate, detail: str) -> None:
        self._made.dropped.append(replace(self._entry(chunk, 0.0), kept=False, reason=reason, detail=detail))

    def _missing(self, one: FusedChunk) -> ManifestEntry:
        return ManifestEntry(
            chunk_id=one["id"],
            source="",
            title="",
            type="document",
            kept=False,
            reason="gone",
            detail="the knowledge base does not hold it, or does no longer",
            fused=one["score"],
            routes=one["routes"],
        )

    def _entry(self, chunk: Chunk, score: float) -> ManifestEntry:
        own = self._fused.get(chunk.id)
        merged = self._merged.get(chunk.id, [])
        by_id = self._search.base.by_id
        return ManifestEntry(
            chunk_id=chunk.id,
            source=chunk.source,
            title=chunk.title,
            type=chunk.type,
            kept=True,
            reason="kept",
            score=round(score, 4),
            fused=round(self._share(chunk), 4),
            routes=own["routes"] if own else {},
            weight=round(self._weight(chunk), 4),
            tokens=estimate_tokens(chunk.text),
            touches_parameters=bool(touched(searchable(chunk), self._needs)),
            merged=tuple(by_id[one].source for one in merged),
            merged_ids=tuple(merged),
            date=chunk.date,
            authority=chunk.authority,
        )
