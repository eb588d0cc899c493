"""The chunks' words, names and vectors, as arrays with one element a chunk, in the order of the base."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from skill_selector.catalog.cache import Cache, code_version
from skill_selector.catalog.skill import Skill
from skill_selector.knowledge.base import KnowledgeBase
from skill_selector.retrievers.embedder import Embedder
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.library import shelf_folder
from skill_selector.retrievers.postings import idf
from skill_selector.retrievers.snapshot import IndexSnapshot
from skill_selector.retrievers.text import tokenize
from skill_selector.retrievers.vectorindex import VectorIndex

DEFINED, MENTIONED, IN_TEXT, LAST_PART = 1.0, 0.6, 0.3, 0.8
"""What it is worth that a chunk defines a name, uses it, or just holds its words; and where only the part of the name
behind the last dot fits."""
TITLE_WEIGHT = 0.5
"""Of words in the title, beside those in the text."""

Floats = NDArray[np.float32]
_TOKENIZERS = ("jieba", "opencc", "pystemmer")


class KnowledgeIndex:
    """What is searched. Words and vectors lie on disk, as those of skills do; threads may share it."""

    def __init__(self, base: KnowledgeBase, cache: Cache | None = None) -> None:
        self.base = base
        self._cache = cache
        root = base.root.shown
        # The index and the vectors of skills serve here too: a chunk's title is the name, its text the description.
        self._documents = tuple(
            Skill(
                id=chunk.id,
                name=chunk.title,
                description=chunk.text,
                path=root,
                file=f"{root}/{chunk.path}",
                root=root,
                digest=chunk.digest,
                loaded_body="",
            )
            for chunk in base.chunks
        )
        self._vectors: dict[str, VectorIndex] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._documents)

    @cached_property
    def words(self) -> SkillIndex:
        """BM25 over titles (`name`) and texts (`description`)."""
        tokens = code_version(str(Path(tokenize.__code__.co_filename).parent), *_TOKENIZERS)
        folder = self._folder(f"knowledge-index-{tokens}")
        return SkillIndex(self._documents, snapshot=IndexSnapshot(self._documents, {self.base.root.shown: folder}))

    def vectors(self, embedder: Embedder) -> VectorIndex:
        """Return the vectors under an embedder; nothing is read or made yet."""
        with self._lock:
            found = self._vectors.get(embedder.identity)
            if found is None:
                folder = self._folder(f"knowledge-vectors-{embedder.key}")
                folders = {self.base.root.shown: folder}
                found = self._vectors[embedder.identity] = VectorIndex(self._documents, embedder, folders)
            return found

    @cached_property
    def names(self) -> "dict[str, tuple[NDArray[np.int32], Floats]]":
        """By name in lower case: the chunks that have it as an entity, in order, and how much that is worth."""
        found: dict[str, dict[int, float]] = {}
        for at, chunk in enumerate(self.base.chunks):
            for entity in chunk.entities:
                worth = DEFINED if entity.defined else MENTIONED
                _note(found, entity.name.casefold(), at, worth)
                last = entity.name.rpartition(".")[2].casefold()
                if last != entity.name.casefold():
                    _note(found, last, at, worth * LAST_PART)
        return {name: _arrays(places) for name, places in found.items()}

    @cached_property
    def codes(self) -> "dict[str, tuple[NDArray[np.int32], Floats]]":
        """The same for error codes and exceptions alone, in upper case."""
        found: dict[str, dict[int, float]] = {}
        for at, chunk in enumerate(self.base.chunks):
            for entity in chunk.entities:
                if entity.kind == "error_code":
                    _note(found, entity.name.upper(), at, DEFINED if entity.defined else MENTIONED)
        return {name: _arrays(places) for name, places in found.items()}

    def holding(self, phrase: str) -> NDArray[np.bool_]:
        """Return which chunks hold every word of a phrase [chunks]."""
        tokens = tokenize(phrase)
        if not tokens:
            return np.zeros(len(self), dtype=bool)
        found = np.ones(len(self), dtype=bool)
        for token in dict.fromkeys(tokens):
            found &= self.words.overlap("description", [token]) | self.words.overlap("name", [token])
        return found

    def keyword_scores(self, text: str) -> Floats:
        """Return how much of a text's telling words each chunk holds [chunks], 0 to 1.

        BM25 over the sum of the words' IDF: a chunk of average length that holds each once has 1. Words that no chunk
        holds count too, so that a text about something else gets little.
        """
        weights = dict.fromkeys(tokenize(text), 1.0)
        if not weights or not len(self):
            return np.zeros(len(self), dtype=np.float32)
        total = self.words.scores("description", weights) + TITLE_WEIGHT * self.words.scores("name", weights)
        mass = sum(self.words.idf("description", token) for token in weights)
        scores: Floats = np.clip(total / np.float32(mass), 0, 1).astype(np.float32)
        return scores

    def name_scores(self, names: Sequence[str]) -> Floats:
        """Return the share of the names that each chunk covers, weighted by how rare they are [chunks], 0 to 1.

        A name that nobody has as an entity counts where its words stand in the text; one that is nowhere is left out.
        """
        total = np.zeros(len(self), dtype=np.float32)
        mass = 0.0
        for name in dict.fromkeys(one.strip().casefold() for one in names if one.strip()):
            places, values = self._places(name)
            worth = np.zeros(len(self), dtype=np.float32)
            worth[places] = values
            count = int(np.count_nonzero(worth))
            if count:
                rarity = idf(len(self), count)
                mass += rarity
                total += worth * np.float32(rarity)
        return total / np.float32(mass) if mass else total

    def _places(self, name: str) -> "tuple[NDArray[np.int32], Floats]":
        found = self.names.get(name)
        if found is not None:
            return found
        found = self.names.get(name.rpartition(".")[2])
        if found is not None:
            return found[0], found[1] * np.float32(LAST_PART)
        places = np.flatnonzero(self.holding(name)).astype(np.int32)
        return places, np.full(len(places), IN_TEXT, dtype=np.float32)

    def code_scores(self, codes: Sequence[str]) -> Floats:
        """Return the share of the error codes that each chunk is about [chunks], 0 to 1."""
        wanted = dict.fromkeys(one.strip().upper() for one in codes if one.strip())
        total = np.zeros(len(self), dtype=np.float32)
        known = 0
        for code in wanted:
            places, values = self.codes.get(code, _NOWHERE)
            total[places] += values
            known += bool(len(places))
        return total / np.float32(known) if known else total

    def _folder(self, name: str) -> Path | None:
        return shelf_folder(self._cache, self.base.root.path, name) if self._cache else None


_NOWHERE: tuple[NDArray[np.int32], Floats] = (np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32))


def _note(found: dict[str, dict[int, float]], name: str, at: int, worth: float) -> None:
    places = found.setdefault(name, {})
    places[at] = max(worth, places.get(at, 0.0))


def _arrays(places: dict[int, float]) -> tuple[NDArray[np.int32], Floats]:
    return np.fromiter(places, dtype=np.int32), np.fromiter(places.values(), dtype=np.float32)
