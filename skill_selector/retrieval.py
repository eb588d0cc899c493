"""Any strategy as a LangChain retriever over folders of skills."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.embeddings import Embeddings

from skill_selector.catalog.roots import list_paths
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.settings import Settings
from skill_selector.nodes.parts import Parts
from skill_selector.reasoners.base import AnalysisRequest
from skill_selector.reasoners.local import LocalReasoner
from skill_selector.retrievers.library import Library
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.strategy import choose_strategy, settings_with_defaults
from skill_selector.retrievers.strategyretriever import Content, StrategyRetriever
from skill_selector.retrievers.words import load_words

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

Directories = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def skill_retriever(
    directories: Directories,
    *,
    content: Content = "description",
    embeddings: Embeddings | str | None = None,
    feedback: "FeedbackStore | BaseStore | None" = None,
    project_directory: str | None = None,
    **options: Any,
) -> StrategyRetriever:
    """Return a strategy as a retriever: `strategy="detect"` and so on; each call scans what changed.

    Tasks are understood locally. Reason #2 does not run: where it would decide, the documents are its candidates.

    Args:
        directories: a folder of skills, or several, lowest precedence first.
        content: what documents hold: `description` (with the name) or `body`, without frontmatter.
        embeddings: see `select_skill`.
        feedback: where injections and feedback are counted; see `select_skill`.
        project_directory: whose files show which skills are at home there.
        **options: settings, by the names of `SelectorContext`.

    Raises:
        SkillSelectorError: a folder or a setting cannot be used.
    """
    named = embeddings if isinstance(embeddings, str) else None
    settings = settings_with_defaults(SelectorContext.from_options({**options, "embeddings": named}))
    parts = Parts(
        embeddings=None if isinstance(embeddings, str) else embeddings,
        feedback=feedback,
        project_directory=project_directory,
    )
    roots = list_paths(directories)

    def load() -> Library:
        return parts.libraries.load(roots, cache_dir=settings.cache_dir)

    def ask(task: str, library: Library) -> SearchRequest:
        return _request(task, library, parts, settings)

    return StrategyRetriever(
        strategy=choose_strategy(settings), settings=settings, library=load, request=ask, content=content
    )


def _request(task: str, library: Library, parts: Parts, settings: Settings) -> SearchRequest:
    strategy, words = choose_strategy(settings), load_words(settings.words_file)
    analysed = LocalReasoner().analyze(AnalysisRequest(task=task, settings=settings, words=words, attempt=1))
    return SearchRequest(
        task=task,
        analysis=analysed.analysis,
        skills=library.skills,
        index=library.index(fields=strategy.fields),
        settings=settings,
        words=words,
        strategy=strategy,
        meaning=parts.meaning_of(library, settings),
        feedback=parts.feedback_of(settings),
        project=parts.project_directory or settings.project_directory,
    )
