"""The knowledge base as one run sees it: what it asks by meaning, it asks once."""

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.retrievers.embedder import Embedder


class SearchOnce(KnowledgeSearch):
    """A search for the routes of one run, which ask the same at the same time: the second waits for the first.

    Not longer than a run: where the embedder hangs, later runs must not wait for it as well.
    """

    def __init__(self, search: KnowledgeSearch, embedder: Embedder | None) -> None:
        super().__init__(search.index, search.tags, embedder)
        self._asked: dict[str, NDArray[np.float32]] = {}
        self._asking = Lock()

    def ask_meaning(self, query: str) -> NDArray[np.float32]:
        """Do the same as `KnowledgeSearch.ask_meaning`."""
        with self._asking:
            if query not in self._asked:
                self._asked[query] = super().ask_meaning(query)
            return self._asked[query]
