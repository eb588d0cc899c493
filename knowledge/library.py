"""Opening knowledge folders, and keeping them open between the runs of a process."""

import asyncio
import os
from collections import OrderedDict
from threading import Lock
from typing import Any

from skill_selector.catalog.cache import Cache, open_cache
from skill_selector.knowledge.base import KnowledgeReader, Progress
from skill_selector.knowledge.folder import KnowledgeLimits, open_folder
from skill_selector.knowledge.index import KnowledgeIndex
from skill_selector.knowledge.registry import SkillRegistry
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.knowledge.tags import TagTable
from skill_selector.knowledge.tagstore import TagStore
from skill_selector.retrievers.embedder import Embedder

KEPT = 4
"""How many folders and searches stay in memory."""


class KnowledgeLibrary:
    """The folders that this process opened last. Threads may share it.

    Opening looks at the folder anew each time; only files that changed are read. Where nothing changed, the search is
    the same object as before, with all that it has in memory.
    """

    def __init__(self, cache_dir: str | None = None, limits: KnowledgeLimits | None = None) -> None:
        """Take where to keep things.

        Args:
            cache_dir: the setting of that name; `off` for nowhere.
            limits: the bounds of each folder.
        """
        self.cache: Cache | None = open_cache(cache_dir)
        self._limits = limits
        self._readers: OrderedDict[str, KnowledgeReader] = OrderedDict()
        self._searches: OrderedDict[tuple[str, ...], KnowledgeSearch] = OrderedDict()
        self._lock = Lock()

    def open(
        self,
        directory: str | os.PathLike[str],
        registry: SkillRegistry | None = None,
        *,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> KnowledgeSearch:
        """Return the search over a folder.

        Args:
            directory: the knowledge folder.
            registry: the skills that chunks are tagged with.
            embedder: for the semantic search; None does without.
            progress: called now and then.

        Raises:
            KnowledgeError: the folder cannot be used.
        """
        registry = registry or SkillRegistry()
        root = open_folder(directory)
        with self._lock:
            reader = self._readers.get(root.path) or KnowledgeReader(root, self.cache, self._limits)
            self._readers[root.path] = reader
            _keep_newest(self._readers, root.path)
        base = reader.load(progress)
        stored = TagStore.open(base, registry, self.cache)
        version = stored.version if stored else ""
        key = (root.path, base.digest, registry.digest, embedder.identity if embedder else "", version)
        with self._lock:
            search = self._searches.get(key)
            if search is None or search.base is not base:
                known = next((one.index for one in self._searches.values() if one.base is base), None)
                index = known or KnowledgeIndex(base, self.cache)
                model = stored.tags() if stored else {}
                search = KnowledgeSearch(index, TagTable(index, registry, model), embedder)
            self._searches[key] = search
            _keep_newest(self._searches, key)
        return search

    async def aopen(
        self,
        directory: str | os.PathLike[str],
        registry: SkillRegistry | None = None,
        *,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> KnowledgeSearch:
        """Do the same off the event loop."""
        return await asyncio.to_thread(self.open, directory, registry, embedder=embedder, progress=progress)


def _keep_newest(kept: "OrderedDict[Any, Any]", key: object) -> None:
    kept.move_to_end(key)
    while len(kept) > KEPT:
        kept.popitem(last=False)
