"""The wiring of the selector graph: scan → analyze → retrieve → rank → (analyze | confirm | end).

A task that calls its skill by name ends after `scan`, or with the question where several skills have that name.
"""

from collections.abc import Mapping
from typing import Any, Literal

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableLambda
from langgraph.cache.base import BaseCache
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import CachePolicy, Checkpointer

from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.graph.state import SelectorInput, SelectorOutput, SelectorState
from skill_selector.nodes.analysiscache import AnalysisCache, analysis_key
from skill_selector.nodes.analyze import Analyze
from skill_selector.nodes.confirm import Confirm
from skill_selector.nodes.parts import Parts
from skill_selector.nodes.rank import Rank
from skill_selector.nodes.retrieve import Retrieve
from skill_selector.nodes.scan import Scan
from skill_selector.reasoners.base import Reasoner
from skill_selector.reasoners.calibration import GivenCalibration, take_calibration
from skill_selector.retrievers.custom import CustomRetriever

_REASONER_METHODS = ("analyze", "aanalyze", "rank", "arank")

SelectorGraph = CompiledStateGraph[SelectorState, SelectorContext, SelectorInput, SelectorOutput]


def build_selector(
    *,
    llm: BaseChatModel | None = None,
    reasoner: Reasoner | None = None,
    retriever: CustomRetriever | None = None,
    embeddings: Embeddings | None = None,
    calibration: GivenCalibration = None,
    feedback: FeedbackStore | BaseStore | None = None,
    project_directory: str | None = None,
    context: SelectorContext | Mapping[str, Any] | None = None,
    checkpointer: Checkpointer = None,
    cache: BaseCache[Any] | None = None,
    cache_ttl: int | None = None,
) -> SelectorGraph:
    """Return the compiled selector graph.

    Args:
        llm: a chat model for both Reason steps, instead of the one that the settings name.
        reasoner: a reasoner of your own, instead of the model's and the local one.
        retriever: a retriever of your own, instead of the strategy's routes: a LangChain retriever whose documents
            carry `metadata["id"]`, a factory `(skills) -> retriever`, or a matcher
            `(analysis, skills, options) -> [(skill, score)]`.
        embeddings: LangChain embeddings of your own, instead of those that the settings name. Their vectors are kept by
            class and model; give them a text attribute `identity` where that does not tell them apart.
        calibration: what `calibrate` returned, or the file that it wrote, read once; instead of the one that the
            settings name. It counts where the local reasoner decides.
        feedback: where injections and feedback are counted: a `FeedbackStore` or any LangGraph store, instead of the
            settings' file. Selecting only reads it.
        project_directory: whose files show which skills are at home there (strategy `detect`), instead of the
            setting's.
        context: settings for every run that does not set its own; the only way to set them where a parent graph
            passes a context of its own. A mapping of options will do.
        checkpointer: where the steps are kept. Leave it out inside a parent graph and under `langgraph dev`, which
            lend their own.
        cache: where LangGraph keeps analyses, such as `InMemoryCache()` or `SqliteCache(path=…)`: the same task, with
            the same model and its settings over the same skills, is not analysed by the model again. An analysis that
            fell back to another model or reasoner is never kept.
        cache_ttl: seconds after which a kept analysis is forgotten; by default never.

    Raises:
        SettingError: the model, the reasoner, the calibration, the context or the cache cannot be used.
    """
    _check_reasoner(reasoner)
    _check_cache(cache, cache_ttl)
    own = _context(context)
    parts = Parts(
        llm=llm,
        reasoner=reasoner,
        retriever=retriever,
        embeddings=embeddings,
        context=own,
        calibration=take_calibration(calibration),
        cached=cache is not None,
        feedback=feedback,
        project_directory=project_directory,
    )
    return wire(parts, checkpointer, cache, cache_ttl)


def wire(
    parts: Parts,
    checkpointer: Checkpointer = None,
    cache: BaseCache[Any] | None = None,
    cache_ttl: int | None = None,
) -> SelectorGraph:
    """Return the compiled graph over these parts."""
    policy = None if cache is None else CachePolicy(key_func=analysis_key, ttl=cache_ttl)
    analyze, rank = Analyze(parts), Rank(parts)
    builder: StateGraph[SelectorState, SelectorContext, SelectorInput, SelectorOutput] = StateGraph(
        SelectorState, context_schema=SelectorContext, input_schema=SelectorInput, output_schema=SelectorOutput
    )
    builder.add_node("scan", Scan(parts).run)
    builder.add_node("analyze", RunnableLambda(analyze.run, afunc=analyze.arun, name="analyze"), cache_policy=policy)
    builder.add_node("retrieve", Retrieve(parts).run)
    builder.add_node("rank", RunnableLambda(rank.run, afunc=rank.arun, name="rank"))
    builder.add_node("confirm", Confirm(parts).run)
    builder.add_edge(START, "scan")
    builder.add_conditional_edges("scan", _next_step, {"analyze": "analyze", "confirm": "confirm", "end": END})
    builder.add_edge("analyze", "retrieve")
    builder.add_edge("retrieve", "rank")
    builder.add_conditional_edges("rank", _next_step, {"analyze": "analyze", "confirm": "confirm", "end": END})
    builder.add_edge("confirm", END)
    kept = None if cache is None else AnalysisCache(cache)
    return builder.compile(checkpointer=checkpointer, cache=kept, name="skill_selector")


def _check_reasoner(reasoner: object) -> None:
    if reasoner is None:
        return
    if isinstance(reasoner, str):
        raise SettingError(f"reasoner={reasoner!r}: a name goes into the context: SelectorContext(reasoner=…)")
    missing = [name for name in _REASONER_METHODS if not callable(getattr(reasoner, name, None))]
    if missing:
        raise SettingError(f"reasoner={reasoner!r} is no reasoner, it has no {', '.join(missing)}; see reasoners/base")


def _check_cache(cache: object, ttl: object) -> None:
    if cache is not None and not isinstance(cache, BaseCache):
        raise SettingError(f"cache={cache!r} is no cache of LangGraph's; pass one, such as InMemoryCache()")
    if ttl is None:
        return
    if cache is None:
        raise SettingError(f"cache_ttl={ttl!r} without a cache; pass `cache` too, or leave it out")
    if isinstance(ttl, bool) or not isinstance(ttl, int) or ttl < 1:
        raise SettingError(f"cache_ttl={ttl!r} must be a whole number of seconds, 1 or more, or None")


def _context(given: object) -> SelectorContext | None:
    if given is None or isinstance(given, SelectorContext):
        return given
    if isinstance(given, Mapping):
        return SelectorContext.from_options(given)
    raise SettingError(f"context={given!r} is no SelectorContext; pass one, or a mapping of options")


def _next_step(state: SelectorState) -> Literal["analyze", "confirm", "end"]:
    return state["next_step"]


graph: SelectorGraph = build_selector()
"""The graph that `langgraph.json` names: every part as the settings say, no checkpointer of its own."""
