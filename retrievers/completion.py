"""Everything that selections over a catalogue need on disk, made ahead."""

from langchain_core.embeddings import Embeddings

from skill_selector.graph.settings import Settings
from skill_selector.retrievers.embedder import choose_embedder
from skill_selector.retrievers.library import Library, Progress
from skill_selector.retrievers.strategy import choose_strategy
from skill_selector.retrievers.vectorindex import VectorIndex


def complete_library(
    library: Library,
    settings: Settings,
    progress: Progress | None = None,
    *,
    embeddings: Embeddings | None = None,
    custom: bool = False,
) -> VectorIndex | None:
    """Build the fields and the vectors that the settings' strategy needs, and return the vectors where it needs any.

    Args:
        library: the catalogue.
        settings: name the strategy and the embedder.
        progress: called with `index` or `embed`, and how many skills or texts are done.
        embeddings: the caller's own, instead of those of the settings.
        custom: the caller's own retriever takes the place of the strategy's routes.

    Raises:
        EmbedderError: the embedder cannot be used, or failed; what was finished before is kept.
    """
    strategy = choose_strategy(settings)
    library.index(progress, strategy.fields)
    embedder = choose_embedder(settings, embeddings) if strategy.semantic and not custom else None
    if embedder is None:
        return None
    vectors = library.vectors(embedder, strategy.text)
    vectors.complete((lambda done, _total: progress("embed", done)) if progress else None)
    return vectors
