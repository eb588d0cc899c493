"""Making what selections over folders need, ahead of them."""

import os
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from langchain_core.embeddings import Embeddings

from skill_selector.catalog.cache import open_cache
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.nodes.parts import Parts
from skill_selector.retrievers.completion import complete_library
from skill_selector.retrievers.embedder import choose_embedder
from skill_selector.retrievers.library import Library
from skill_selector.retrievers.strategy import choose_strategy, settings_with_defaults

Directories = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

Progress = Callable[[str, int], None]


def index_skills(
    directories: Directories,
    *,
    embeddings: Embeddings | str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Make the snapshot of folders on disk: catalogue, index, and a vector of each distinct text.

    Only what is missing is made. What was finished before an error or Ctrl-C is kept.

    Args:
        directories: a folder of skills, or several, lowest precedence first.
        embeddings: LangChain embeddings of your own, or the name of some; see `select_skill`.
        progress: called with the step (`scan`, `index`, `embed`) and how many skills or texts are done.
        **options: settings, by the names of `SelectorContext`.

    Returns:
        `roots`, `count` of skills, `digest` of the catalogue, `fields` of the index, `embedder`, `texts`, how many of
        them were `embedded` now, `folder`, `seconds`.

    Raises:
        SettingError: there is no folder to keep anything in.
        SkillSelectorError: as `select_skill`.
    """
    start = perf_counter()
    named = embeddings if isinstance(embeddings, str) else None
    settings = settings_with_defaults(SelectorContext.from_options({**options, "embeddings": named}))
    cache = open_cache(settings.cache_dir)
    if cache is None:
        raise SettingError("SELECTOR_CACHE_DIR is off, so that nothing can be kept: unset it or name a folder")
    many = [directories] if isinstance(directories, str | os.PathLike) else list(directories)
    roots = [os.fspath(one) for one in many]
    own = embeddings if isinstance(embeddings, Embeddings) else None
    strategy = choose_strategy(settings)
    embedder = choose_embedder(settings, own) if strategy.semantic else None
    library: Library = Parts().libraries.load(roots, progress, cache_dir=settings.cache_dir)
    missing = library.vectors(embedder, strategy.text).look() if embedder else 0
    vectors = complete_library(library, settings, progress, embeddings=own)
    return {
        "roots": list(library.catalog.roots),
        "count": len(library.catalog.skills),
        "digest": library.catalog.digest,
        "fields": sorted(library.index().built),
        "embedder": vectors.embedder.identity if vectors else None,
        "texts": vectors.text_count if vectors else 0,
        "embedded": missing if vectors else 0,
        "folder": str(cache.folder),
        "seconds": round(perf_counter() - start, 3),
    }
