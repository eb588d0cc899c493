"""The wiring of the context compiler: resolve → route → retrieve (in parallel) → fuse → refine → assemble."""

from collections.abc import Mapping
from typing import Any, Literal

from langchain_core.embeddings import Embeddings
from langchain_core.runnables import RunnableLambda
from langgraph.cache.base import BaseCache
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import CachePolicy, Checkpointer

from skill_selector.compiler.assemble import AssembleContext
from skill_selector.compiler.fuse import FuseHits
from skill_selector.compiler.fusion import ChunkWeights
from skill_selector.compiler.parts import CompilerParts
from skill_selector.compiler.refine import RefineChunks
from skill_selector.compiler.request import request_digest
from skill_selector.compiler.resolve import Resolve
from skill_selector.compiler.retrieve import RetrieveChunks
from skill_selector.compiler.route import ChooseRoutes
from skill_selector.compiler.routes import Route, route_table
from skill_selector.compiler.scorer import AnyScorer, Scorer
from skill_selector.compiler.state import CompilerInput, CompilerOutput, CompilerState
from skill_selector.compiler.strategy import strategy_table
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.nodes.parts import Parts

CompilerGraph = CompiledStateGraph[CompilerState, SelectorContext, CompilerInput, CompilerOutput]


def build_context_compiler(
    *,
    strategies: Mapping[str, Any] | None = None,
    routes: Mapping[str, Route] | None = None,
    scorer: AnyScorer | None = None,
    chunk_weights: ChunkWeights | None = None,
    feedback: FeedbackStore | BaseStore | None = None,
    embeddings: Embeddings | None = None,
    context: SelectorContext | Mapping[str, Any] | None = None,
    cache: "BaseCache[Any] | None" = None,
    checkpointer: Checkpointer = None,
) -> CompilerGraph:
    """Return the compiled graph. It stands alone, or behind the selector in a parent graph that shares its keys.

    Args:
        strategies: by name, mappings of `routes` (name to weight), `first` (types of chunks) and `categories`, beside
            or in place of ours.
        routes: routes of your own, by name: functions `(search, request) -> hits`.
        scorer: reranks the chunks: a function `(query, texts) -> scores`, a cross-encoder with `predict`, or a chat
            model. The local scorer by default, and where yours fails.
        chunk_weights: what was learnt from outcomes: a function `(skill id, chunk ids) -> factors`, in place of what
            the recorded outcomes say.
        feedback: where outcomes are recorded: a `FeedbackStore` or any LangGraph store, instead of the settings' file.
        embeddings: LangChain embeddings of your own, instead of those that the settings name.
        context: settings for every run that does not set its own.
        cache: a LangGraph cache, in memory or on disk, for the step that reranks: what a chat model costs is then paid
            once for the same skill, parameters, knowledge and hits. The other steps cost less than keeping them, and a
            route that failed shall be tried again.
        checkpointer: where the steps are kept. Leave it out inside a parent graph and under `langgraph dev`.

    Raises:
        SettingError: a strategy, a route, the scorer or the context cannot be used.
    """
    if isinstance(context, Mapping):
        context = SelectorContext.from_options(context)
    if not isinstance(context, SelectorContext | None):
        raise SettingError(f"context={context!r} is no SelectorContext; pass one, or a mapping of options")
    table = route_table(routes)
    if chunk_weights is not None and not callable(chunk_weights):
        raise SettingError(
            f"chunk_weights={chunk_weights!r} cannot be called; pass a function (skill id, ids) -> factors"
        )
    parts = CompilerParts(
        shared=Parts(embeddings=embeddings, context=context, feedback=feedback),
        strategies=strategy_table(strategies, table),
        routes=table,
        scorer=None if scorer is None else Scorer(scorer),
        chunk_weights=chunk_weights,
    )
    return _wire(parts, cache, checkpointer)


def _wire(parts: CompilerParts, cache: "BaseCache[Any] | None", checkpointer: Checkpointer) -> CompilerGraph:
    retrieve, refine = RetrieveChunks(parts), RefineChunks(parts)
    builder: StateGraph[CompilerState, SelectorContext, CompilerInput, CompilerOutput] = StateGraph(
        CompilerState, context_schema=SelectorContext, input_schema=CompilerInput, output_schema=CompilerOutput
    )
    builder.add_node("resolve", Resolve(parts).run)
    builder.add_node("route", ChooseRoutes(parts).run)
    builder.add_node("retrieve", RunnableLambda(retrieve.run, afunc=retrieve.arun, name="retrieve"))
    builder.add_node("fuse", FuseHits(parts).run)
    builder.add_node(
        "refine",
        RunnableLambda(refine.run, afunc=refine.arun, name="refine"),
        cache_policy=CachePolicy(key_func=_refine_key),
    )
    builder.add_node("assemble", AssembleContext(parts).run)
    builder.add_edge(START, "resolve")
    builder.add_conditional_edges("resolve", _next_step, {"route": "route", "end": END})
    builder.add_edge("route", "retrieve")
    builder.add_edge("retrieve", "fuse")
    builder.add_edge("fuse", "refine")
    builder.add_edge("refine", "assemble")
    builder.add_edge("assemble", END)
    return builder.compile(checkpointer=checkpointer, cache=cache, name="context_compiler")


def _refine_key(state: CompilerState) -> str:
    """Return what decides the refinement: the request, and what the routes found this time."""
    # drawing the graph asks for the key of an empty state
    request = state.get("compile_request") or {}
    return request_digest(request.get("key"), state.get("fused_chunks"), state.get("compile_degraded"))


def _next_step(state: CompilerState) -> Literal["route", "end"]:
    return state["compile_next"]


context_compiler: CompilerGraph = build_context_compiler()
"""The graph that `langgraph.json` names: every part as the settings say, no checkpointer of its own."""
