"""What the nodes of one graph share: the caller's own parts, and what is costly to make twice."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langgraph.config import get_stream_writer
from langgraph.runtime import get_runtime
from langgraph.store.base import BaseStore

from skill_selector.catalog.cache import open_cache
from skill_selector.feedback.place import open_feedback
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.graph.settings import Settings
from skill_selector.graph.state import SelectorState
from skill_selector.reasoners.base import Reasoner
from skill_selector.reasoners.calibration import Calibration, load_calibration
from skill_selector.reasoners.choice import choose_reasoner, takes_model
from skill_selector.retrievers.custom import CustomRetriever
from skill_selector.retrievers.embedder import choose_embedder
from skill_selector.retrievers.library import Library, LibraryCache, Progress
from skill_selector.retrievers.meaning import Meaning
from skill_selector.retrievers.strategy import choose_strategy, settings_with_defaults

_log = logging.getLogger(__name__)

_LIBRARIES = LibraryCache()
"""One for the process: every graph that is built sees the same folders."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The parts that a graph was built with."""

    llm: BaseChatModel | None = None
    reasoner: Reasoner | None = None
    retriever: CustomRetriever | None = None
    embeddings: Embeddings | None = None
    feedback: FeedbackStore | BaseStore | None = None
    project_directory: str | None = None
    context: SelectorContext | None = None
    """Settings for every run that does not set its own."""
    calibration: Calibration | None = None
    """In place of the one that the settings name."""
    cached: bool = False
    """Analyses are cached, under a key that `scan` then has to begin."""
    libraries: LibraryCache = field(default=_LIBRARIES)
    _reasoners: Callable[[Settings], Reasoner] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.llm is not None and not isinstance(self.llm, BaseChatModel):
            raise SettingError(
                f"`llm` is {type(self.llm).__name__}: it must be a chat model of LangChain's, a BaseChatModel; to name "
                "a model of the endpoint in the settings, use `llm_model`"
            )
        make = lru_cache(maxsize=8)(lambda settings: choose_reasoner(settings, llm=self.llm))
        object.__setattr__(self, "_reasoners", make)

    def settings(self) -> Settings:
        """Return the settings of the run that is going on. Blocks: it may read files.

        A host that embeds the graph passes a context of its own through; only ours is looked at.

        Raises:
            SettingError: a setting cannot be used.
        """
        return self.calibrated()[0]

    def calibrated(self) -> tuple[Settings, Calibration | None]:
        """Return the settings of the run, with the calibration that they come from; None where none counts.

        Raises:
            SettingError: a setting or the calibration cannot be used.
        """
        context = get_runtime().context
        return self.resolve(_merge(context if isinstance(context, SelectorContext) else None, self.context))

    def resolve(self, context: SelectorContext | None) -> tuple[Settings, Calibration | None]:
        """Return what `calibrated` does, for a context."""
        settings = settings_with_defaults(context)
        found = self.calibration
        if found is None and settings.calibration is not None:
            found = load_calibration(settings.calibration)
        if found is None:
            return settings, None
        why = self._uncalibrated(settings, found)
        if why is not None:
            _say_once(f"the calibration does not count: {why}")
            return settings, None
        return settings_with_defaults(context, found.settings), found

    def _uncalibrated(self, settings: Settings, calibration: Calibration) -> str | None:
        """Return why a calibration says nothing about the scores of a run, or None."""
        fitted = calibration.fitted_on["strategy"]
        if settings.strategy != fitted:
            return f"it was fitted with the strategy {fitted!r}, and this run takes {settings.strategy!r}"
        if self.retriever is not None:
            return "a retriever of your own takes the place of the strategy that it was fitted with"
        own = self.reasoner
        model = takes_model(settings, self.llm) if own is None else own.name != "local"
        return "it is for the local reasoner" if model else None

    def reasoner_for(self, settings: Settings) -> Reasoner:
        """Return who reasons in this run. Blocks: it may import a model's client.

        Raises:
            ModelSetupError: a model was asked for and there is no key.
        """
        return self.reasoner or self._reasoners(settings)

    def meaning_of(self, library: Library, settings: Settings) -> Meaning | None:
        """Return how this run knows what is near in meaning; None where vectors are switched off.

        Raises:
            EmbedderError: an endpoint is named and there is no key.
        """
        strategy = choose_strategy(settings)
        embedder = choose_embedder(settings, self.embeddings) if strategy.semantic else None
        if embedder is None:
            return None
        cache = open_cache(settings.cache_dir)
        scales = cache.folder.parent / "scales" if cache else None
        strict = settings.on_failure == "raise"
        return Meaning(library.vectors(embedder, strategy.text), library.catalog.roots, strict=strict, scales=scales)

    def feedback_of(self, settings: Settings) -> FeedbackStore:
        """Return where injections and feedback are counted; nothing is read or made yet."""
        return open_feedback(self.feedback, settings.feedback_file)

    def library_of(self, state: SelectorState) -> Library:
        """Return the library that `scan` loaded in this run."""
        catalog = state["catalog"]
        return self.libraries.recall(catalog["roots"], catalog["digest"], cache_dir=self.settings().cache_dir)


def stream_progress() -> Progress:
    """Return a reporter that writes to the run's custom stream, for whoever listens."""
    write = get_stream_writer()

    def report(step: str, done: int) -> None:
        write({"step": step, "done": done})

    return report


@cache
def _say_once(message: str) -> None:
    _log.info(message)


def _merge(first: SelectorContext | None, second: SelectorContext | None) -> SelectorContext | None:
    if first is None or second is None:
        return first or second
    values: dict[str, Any] = {}
    for one in fields(SelectorContext):
        own = getattr(first, one.name)
        values[one.name] = getattr(second, one.name) if own is None else own
    return SelectorContext(**values)
