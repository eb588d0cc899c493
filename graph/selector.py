"""The wiring of the selector graph: scan → analyze → retrieve → rank → (analyze | confirm | end)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Checkpointer

from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.graph.state import SelectorInput, SelectorOutput, SelectorState
from skill_selector.nodes.analyze import Analyze
from skill_selector.nodes.confirm import Confirm
from skill_selector.nodes.parts import Parts
from skill_selector.nodes.rank import Rank
from skill_selector.nodes.retrieve import Retrieve
from skill_selector.nodes.scan import Scan
from skill_selector.reasoners.base import Reasoner
from skill_selector.retrievers.custom import CustomRetriever

_REASONER_METHODS = ("analyze", "aanalyze", "rank", "arank")

SelectorGraph = CompiledStateGraph[SelectorState, SelectorContext, SelectorInput, SelectorOutput]


def build_selector(
    *,
    llm: BaseChatModel | None = None,
    reasoner: Reasoner | None = None,
    retriever: CustomRetriever | None = None,
    embeddings: Embeddings | None = None,
    feedback: FeedbackStore | BaseStore | None = None,
    project_directory: str | None = None,
    context: SelectorContext | Mapping[str, Any] | None = None,
    checkpointer: Checkpointer = None,
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
        feedback: where injections and feedback are counted: a `FeedbackStore` or any LangGraph store, instead of the
            settings' file. Selecting only reads it.
        project_directory: whose files show which skills are at home there (strategy `detect`), instead of the
            setting's.
        context: settings for every run that does not set its own; the only way to set them where a parent graph
            passes a context of its own. A mapping of options will do.
        checkpointer: where the steps are kept. Leave it out inside a parent graph and under `langgraph dev`, which
            lend their own.

    Raises:
        SettingError: the model, the reasoner or the context cannot be used.
    """
    _check_reasoner(reasoner)
    own = _context(context)
    parts = Parts(llm=llm, reasoner=reasoner, retriever=retriever, embeddings=embeddings, context=own)
    parts = replace(parts, feedback=feedback, project_directory=project_directory)
    return wire(parts, checkpointer)


def wire(parts: Parts, checkpointer: Checkpointer = None) -> SelectorGraph:
    """Return the compiled graph over these parts."""
    analyze, rank = Analyze(parts), Rank(parts)
    builder: StateGraph[SelectorState, SelectorContext, SelectorInput, SelectorOutput] = StateGraph(
        SelectorState, context_schema=SelectorContext, input_schema=SelectorInput, output_schema=SelectorOutput
    )
    builder.add_node("scan", Scan(parts).run)
    builder.add_node("analyze", RunnableLambda(analyze.run, afunc=analyze.arun, name="analyze"))
    builder.add_node("retrieve", Retrieve(parts).run)
    builder.add_node("rank", RunnableLambda(rank.run, afunc=rank.arun, name="rank"))
    builder.add_node("confirm", Confirm(parts).run)
    builder.add_edge(START, "scan")
    builder.add_conditional_edges("scan", _next_step, {"analyze": "analyze", "end": END})
    builder.add_edge("analyze", "retrieve")
    builder.add_edge("retrieve", "rank")
    builder.add_conditional_edges("rank", _next_step, {"analyze": "analyze", "confirm": "confirm", "end": END})
    builder.add_edge("confirm", END)
    return builder.compile(checkpointer=checkpointer, name="skill_selector")


def _check_reasoner(reasoner: object) -> None:
    if reasoner is None:
        return
    if isinstance(reasoner, str):
        raise SettingError(f"reasoner={reasoner!r}: a name goes into the context: SelectorContext(reasoner=…)")
    missing = [name for name in _REASONER_METHODS if not callable(getattr(reasoner, name, None))]
    if missing:
        raise SettingError(f"reasoner={reasoner!r} is no reasoner, it has no {', '.join(missing)}; see reasoners/base")


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
