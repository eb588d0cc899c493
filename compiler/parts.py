"""What the nodes of one compiler graph share."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from weakref import WeakSet

from skill_selector.compiler.cache import ContextCache
from skill_selector.compiler.definitions import RegistryCache
from skill_selector.compiler.fusion import ChunkWeights
from skill_selector.compiler.learning import LearntWeights
from skill_selector.compiler.request import CompileRequest
from skill_selector.compiler.retrieval import RouteRunner
from skill_selector.compiler.routes import ROUTES, Route
from skill_selector.compiler.scorer import Scorer
from skill_selector.compiler.strategy import ContextStrategy, strategy_table
from skill_selector.graph.settings import Settings
from skill_selector.knowledge.chunk import digest_of
from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.knowledge.library import KnowledgeLibrary
from skill_selector.knowledge.registry import SkillRegistry
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.knowledge.tagstore import TagStore
from skill_selector.nodes.parts import Parts, stream_progress
from skill_selector.retrievers.bundled import bundled_embeddings
from skill_selector.retrievers.embedder import Embedder, choose_embedder
from skill_selector.retrievers.library import Library
from skill_selector.retrievers.meaning import ON_THE_SPOT

KEPT = 8
"""Searches that runs under way may come back to."""

_REGISTRIES = RegistryCache()
"""One for the process, as the folders of skills are."""


@lru_cache(maxsize=4)
def _library(cache_dir: str | None) -> KnowledgeLibrary:
    return KnowledgeLibrary(cache_dir)


@dataclass(kw_only=True)
class CompilerParts:
    """The parts that a compiler graph was built with."""

    shared: Parts = field(default_factory=Parts)
    """Settings, the catalogue's folders and the caller's embeddings, as the selector has them."""
    strategies: Mapping[str, ContextStrategy] = field(default_factory=strategy_table)
    routes: Mapping[str, Route] = field(default_factory=lambda: ROUTES)
    scorer: Scorer | None = None
    chunk_weights: ChunkWeights | None = None
    contexts: ContextCache = field(default_factory=ContextCache)
    runner: RouteRunner = field(default_factory=RouteRunner)
    _searches: "OrderedDict[tuple[str, str], KnowledgeSearch]" = field(default_factory=OrderedDict, repr=False)
    _warm: "WeakSet[KnowledgeSearch]" = field(default_factory=WeakSet, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def weights(self, settings: Settings) -> ChunkWeights:
        """Return the caller's weights of chunks, or those that the recorded outcomes give."""
        if self.chunk_weights is not None:
            return self.chunk_weights
        store = self.shared.feedback_of(settings)
        return LearntWeights(store, settings.feedback_prior, settings.feedback_shift)

    def catalog_of(self, roots: list[str], settings: Settings) -> tuple[Library, SkillRegistry]:
        """Scan folders of skills, and return them with their definitions.

        Raises:
            SkillDirectoryError: a folder cannot be used.
        """
        library = self.shared.libraries.load(roots, stream_progress(), cache_dir=settings.cache_dir)
        return library, _REGISTRIES.of(library.catalog)

    def open(
        self, directory: str, registry: SkillRegistry, definition: SkillDefinition, settings: Settings
    ) -> tuple[KnowledgeSearch, str]:
        """Open a knowledge folder; return the search, and a digest of all that decides what it finds.

        Args:
            directory: the folder.
            registry: the skills that chunks are tagged with.
            definition: the one of the run; tagged by rule where it was guessed and nobody has registered it.
            settings: of the run.

        Raises:
            KnowledgeError: the folder cannot be used.
            EmbedderError: an endpoint is named and there is no key.
        """
        if definition.id not in registry:
            registry = SkillRegistry([*registry, definition])
        embedder = self.embedder(settings)
        library = _library(settings.cache_dir)
        search = library.open(directory, registry, embedder=embedder, progress=stream_progress())
        stored = TagStore.open(search.base, registry, library.cache)
        version = stored.version if stored else ""
        digest = digest_of(search.base.digest, registry.digest, version, embedder.identity if embedder else "")
        with self._lock:
            self._searches[directory, digest] = search
            self._searches.move_to_end((directory, digest))
            while len(self._searches) > KEPT:
                self._searches.popitem(last=False)
        return search, digest

    def recall(self, request: CompileRequest, settings: Settings) -> KnowledgeSearch:
        """Return the search that `resolve` opened in this run; after a restart, over what the folder holds now."""
        directory = request.knowledge["directory"]
        with self._lock:
            search = self._searches.get((directory, request.knowledge["digest"]))
        if search is not None:
            return search
        _, registry = self.catalog_of(list(request.skills), settings)
        return self.open(directory, registry, request.definition, settings)[0]

    def warm_up(self, search: KnowledgeSearch, request: CompileRequest, settings: Settings) -> None:
        """Load what local routes need, so that the time limit is theirs and not that of a first start."""
        if search in self._warm:
            return
        _ = search.index.words, search.index.names, search.index.codes
        search.tags.confidence(request.definition.id)
        embedder = self.embedder(settings)
        if embedder is not None and embedder.embeddings is bundled_embeddings():
            search.index.vectors(embedder).complete(most=ON_THE_SPOT)
            embedder.queries([request.query or "task"])
        self._warm.add(search)

    def embedder(self, settings: Settings) -> Embedder | None:
        """Return who makes the vectors of this run; None for none.

        Raises:
            EmbedderError: an endpoint is named and there is no key.
        """
        return choose_embedder(settings, self.shared.embeddings)
