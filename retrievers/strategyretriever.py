"""A strategy as a LangChain retriever, for whoever wants documents rather than a selection."""

from collections.abc import Callable
from typing import Any, Literal

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from skill_selector.graph.records import Candidate
from skill_selector.graph.settings import Settings
from skill_selector.retrievers.library import Library
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.routes import make_document
from skill_selector.retrievers.search import search
from skill_selector.retrievers.strategy import Strategy

Content = Literal["description", "body"]


class StrategyRetriever(BaseRetriever):
    """What a strategy finds for a task, best first.

    Where the strategy's score decides, those that it selects: over the threshold, and at most as many as it takes;
    where Reason #2 decides, its `top_k` candidates. `metadata` holds `id`, `name`, `path`, `score` (0 to 1 where it
    decides), `routes`, `copies` and `fallback`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    strategy: Strategy
    settings: Settings = Field(repr=False)
    library: Callable[[], Library] = Field(repr=False)
    """The catalogue as it is now."""
    request: Callable[[str, Library], SearchRequest] = Field(repr=False)
    content: Content = "description"
    """What a document holds: `name: description`, or the body without frontmatter."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        library = self.library()
        found = search(self.request(query, library))
        return [self._document(one, library) for one in self._selected(found)]

    def _selected(self, found: list[Candidate]) -> list[Candidate]:
        if self.strategy.judge == "rubric":
            return found
        least = self.settings.hit_threshold if self.strategy.threshold is None else self.strategy.threshold
        passing = [one for one in found if not one["fallback"] and _passes(one["score"], least, self.strategy.above)]
        return passing[: self.strategy.take]

    def _document(self, one: Candidate, library: Library) -> Document:
        skill = library.catalog.by_id[one["id"]]
        metadata: dict[str, Any] = {"id": skill.id, "name": skill.name, "path": skill.path, **one}
        text = skill.body if self.content == "body" else f"{skill.name}: {skill.description}"
        return make_document(text, metadata, skill.id)


def _passes(score: float, least: float, above: bool) -> bool:
    shown = round(100 * min(1.0, score), 1)
    return shown > least if above else shown >= least
