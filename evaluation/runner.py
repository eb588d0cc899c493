"""One task after another through the selector graph, over folders that are read once."""

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from time import perf_counter
from typing import Any, TypeAlias

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel

from skill_selector.evaluation.prediction import TaskRun, run_of
from skill_selector.evaluation.task import LabelledTask
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.selector import wire
from skill_selector.nodes.parts import Parts
from skill_selector.reasoners.base import Reasoner
from skill_selector.retrievers.completion import complete_library
from skill_selector.retrievers.custom import CustomRetriever
from skill_selector.retrievers.library import Library, LibraryCache, Progress
from skill_selector.retrievers.strategy import settings_with_defaults

_Retrieved: TypeAlias = dict[int, list[str]]


class PinnedLibraries(LibraryCache):
    """The library that was loaded first, for every run after it: a scan looks at every file of the folders."""

    def __init__(self, source: LibraryCache) -> None:
        super().__init__()
        self._source = source
        self._pinned: Library | None = None
        self._pinning = Lock()

    def load(self, roots: Sequence[str], progress: Progress | None = None, *, cache_dir: str | None = None) -> Library:
        """Return the pinned library; the first call scans the roots."""
        with self._pinning:
            if self._pinned is None:
                self._pinned = self._source.load(roots, progress, cache_dir=cache_dir)
            return self._pinned

    def recall(self, roots: Sequence[str], digest: str, *, cache_dir: str | None = None) -> Library:
        """Return the pinned library."""
        return self.load(roots, cache_dir=cache_dir)


class Runner:
    """A graph and its folders, ready for many tasks."""

    def __init__(
        self,
        roots: Sequence[str],
        context: SelectorContext,
        *,
        llm: BaseChatModel | None = None,
        reasoner: Reasoner | None = None,
        retriever: CustomRetriever | None = None,
        embeddings: Embeddings | None = None,
    ) -> None:
        self._roots = list(roots)
        self._libraries = PinnedLibraries(Parts().libraries)
        self._settings = settings_with_defaults(context)
        self._cache_dir = self._settings.cache_dir
        self._embeddings = embeddings
        self._custom = retriever is not None
        parts = Parts(llm=llm, reasoner=reasoner, retriever=retriever, embeddings=embeddings, context=context)
        self._graph = wire(replace(parts, libraries=self._libraries))

    def load(self, progress: Progress | None = None) -> Library:
        """Read the folders, the first time.

        Raises:
            SkillDirectoryError: a folder is missing, is none, or cannot be read.
        """
        return self._libraries.load(self._roots, progress, cache_dir=self._cache_dir)

    def prepare(self, progress: Progress | None = None) -> str:
        """Read and index the folders, so that no task waits for it, and return the catalogue's digest."""
        library = self.load(progress)
        complete_library(library, self._settings, progress, embeddings=self._embeddings, custom=self._custom)
        return library.catalog.digest

    def run(self, task: LabelledTask) -> TaskRun:
        """Select for one task.

        Raises:
            SkillSelectorError: as `select_skill`.
        """
        start, retrieved = perf_counter(), _Retrieved()
        state: dict[str, Any] = {}
        for state in self._graph.stream(self._given(task), stream_mode="values"):
            _note(state, retrieved)
        return run_of(task.id, state, retrieved, perf_counter() - start)

    async def arun(self, task: LabelledTask) -> TaskRun:
        """Select for one task, without blocking the event loop."""
        start, retrieved = perf_counter(), _Retrieved()
        state: dict[str, Any] = {}
        async for state in self._graph.astream(self._given(task), stream_mode="values"):
            _note(state, retrieved)
        return run_of(task.id, state, retrieved, perf_counter() - start)

    def _given(self, task: LabelledTask) -> Any:
        return {"task": task.task, "skill_directory": self._roots}


def _note(state: dict[str, Any], retrieved: _Retrieved) -> None:
    """Keep each round's order of retrieval: the round that stands need not be the last."""
    if state.get("retrieved"):
        retrieved[state["attempt"]] = state["retrieved"]
