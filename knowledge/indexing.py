"""Making all that a knowledge folder needs, ahead of its use."""

import os
from time import perf_counter
from typing import Any

from langchain_core.embeddings import Embeddings

from skill_selector.catalog.diagnostic import count_kinds
from skill_selector.graph.errors import SettingError
from skill_selector.graph.settings import Settings
from skill_selector.knowledge.base import Progress, summary
from skill_selector.knowledge.library import KnowledgeLibrary
from skill_selector.knowledge.registry import SkillRegistry
from skill_selector.knowledge.tagging import Tagger
from skill_selector.knowledge.tagstore import TagStore
from skill_selector.retrievers.embedder import choose_embedder


def index_knowledge(
    directory: str | os.PathLike[str],
    registry: SkillRegistry | None = None,
    *,
    settings: Settings | None = None,
    embeddings: Embeddings | None = None,
    tagger: Tagger | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Read a folder, index its words, embed its chunks, and have a model tag them. Only what is missing is made.

    What was finished before an error or Ctrl-C is kept.

    Args:
        directory: the knowledge folder.
        registry: the skills that chunks are tagged with.
        settings: where to keep things, and the embedder.
        embeddings: LangChain embeddings of your own.
        tagger: a model that tags; None for rules alone.
        progress: called with the step (`read`, `index`, `embed`, `tag`) and how many are done.

    Returns:
        `root`, `files`, `read`, `chunks`, `types`, `digest`, `skills`, `tagged` (chunks with a tag), `embedder`,
        `embedded` now, `model` (see `TaggingReport`; None without one), `diagnostics_by_kind`, `diagnostics`, `folder`,
        `seconds`.

    Raises:
        SettingError: there is no folder to keep anything in.
        KnowledgeError: the folder cannot be used.
        EmbedderError, ModelSetupError: embedder or model cannot work as they are set up.
    """
    start = perf_counter()
    settings = settings or Settings()
    registry = registry or SkillRegistry()
    library = KnowledgeLibrary(settings.cache_dir)
    if library.cache is None:
        raise SettingError("SELECTOR_CACHE_DIR is off, so that nothing can be kept: unset it or name a folder")
    embedder = choose_embedder(settings, embeddings)
    search = library.open(directory, registry, embedder=embedder, progress=progress)
    base = search.base
    read = base.read
    report = (lambda done, _total: progress("index", done)) if progress else None
    search.index.words.prepare(("name", "description"), report)
    embedded = 0
    if embedder:
        vectors = search.index.vectors(embedder)
        embedded = vectors.look()
        vectors.complete((lambda done, _total: progress("embed", done)) if progress else None)
    store = TagStore.open(base, registry, library.cache) if tagger else None
    said = tagger.tag(store, registry, progress) if tagger and store else None
    search = library.open(directory, registry, embedder=embedder)
    tagged = sum(bool(search.tags.of(at)) for at in range(len(base)))
    return {
        **summary(base),
        "root": base.root.shown,
        "read": read,
        "digest": base.digest,
        "skills": [one.id for one in registry],
        "tagged": tagged,
        "embedder": embedder.identity if embedder else None,
        "embedded": embedded,
        "model": said.to_dict() if said else None,
        "diagnostics_by_kind": count_kinds(base.diagnostics),
        "diagnostics": [one.to_dict() for one in base.diagnostics],
        "folder": str(library.cache.folder),
        "seconds": round(perf_counter() - start, 3),
    }
