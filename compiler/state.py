"""What travels through the context compiler: plain JSON values only, as in the selector."""

import operator
from typing import Annotated, Any, Literal

from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict

from skill_selector.graph.records import CatalogSummary, Degradation, Outcome, RankedSkill, SkillRef, TraceEntry


class CompilerInput(TypedDict, total=False):
    """What a caller passes in; after the selector in one graph the lower half comes from it."""

    # What belongs to one run lives for one step, so that a thread's next run does not meet it.
    task: Annotated[str, EphemeralValue]
    """What somebody wants done, in words. Left out, the last human message, else the parameters, say it."""
    messages: Annotated[list[Any], EphemeralValue]
    skill_id: Annotated[str, EphemeralValue]
    """Id of a definition, or of a skill of the catalogue that has one. Left out, the selected skill counts."""
    parameters: Annotated[dict[str, Any], EphemeralValue]
    """For the skill, by name; they must fit its input schema."""
    knowledge_directory: str
    skill_directory: str | list[str]
    """The folder of skills, or several, lowest precedence first. After the selector its catalogue's roots will do."""

    outcome: Annotated[Outcome | None, EphemeralValue]
    best: Annotated[SkillRef | None, EphemeralValue]
    ranked: Annotated[list[RankedSkill], EphemeralValue]
    """The candidates; parts of those that were not chosen may be rescued."""
    catalog: Annotated[CatalogSummary, EphemeralValue]


class CompilerOutput(TypedDict, total=False):
    """What a run ends with."""

    compiled_context: dict[str, Any]
    """`CompiledContext.to_dict()`, without its trace."""
    compiler_trace: Annotated[list[TraceEntry], operator.add]


class CompilerState(CompilerInput, CompilerOutput, total=False):
    """Everything between the first node and the last."""

    compile_request: dict[str, Any]
    """What `resolve` made of the input; see `request.CompileRequest`."""
    compile_strategy: dict[str, Any]
    """Name, weights and first types, as `route` chose them."""
    route_hits: dict[str, list[list[Any]]]
    """By route that answered: chunk id and score, 0 to 1, best first."""
    fused_chunks: list[dict[str, Any]]
    """`id`, `score` and `routes`, best first."""
    near_chunks: dict[str, float]
    """By chunk id: nearness in meaning, 0 to 1, which the local scorer takes into account."""
    refined_chunks: dict[str, Any]
    """See `refine.Refinement`."""
    compile_degraded: list[Degradation]
    compile_next: Literal["route", "end"]
