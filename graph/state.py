"""What travels through the selector graph.

Plain JSON values only: a checkpoint keeps them for ever, and other types do not survive it.
"""

import operator
from typing import Annotated, Any, Literal

from langgraph.channels import EphemeralValue
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from skill_selector.graph.records import (
    Candidate,
    CatalogSummary,
    DecidedBy,
    Degradation,
    Outcome,
    RankedSkill,
    Reason,
    Round,
    SkillRef,
    TaskAnalysis,
    TraceEntry,
)


class SelectorInput(TypedDict, total=False):
    """What a caller passes in."""

    # Both live for one step: what a run that failed was given must not stand in for the next run's task.
    task: Annotated[str, EphemeralValue]
    """The task in words. Left out, the last human message of `messages` is the task."""
    messages: Annotated[list[Any], EphemeralValue]
    """A conversation, as LangChain messages or as dicts with `role` (or `type`) and `content`."""
    skill_directory: str | list[str]
    """The folder of skills, or several, lowest precedence first."""


class SelectorOutput(TypedDict, total=False):
    """What a run ends with: the fields of `SkillSelection`, with its `trace` under `selector_trace`."""

    outcome: Outcome | None
    """None, like the reason and who decided, while the run is under way."""
    hit: bool
    reason: Reason | None
    decided_by: DecidedBy | None
    best: SkillRef | None
    skill_path: str | None
    selected: list[SkillRef]
    top_score: float
    score_gap: float
    ranked: list[RankedSkill]
    analysis: TaskAnalysis | None
    catalog: CatalogSummary
    degraded: list[Degradation]
    selector_trace: Annotated[list[TraceEntry], operator.add]


class SelectorState(SelectorInput, SelectorOutput, total=False):
    """Everything between the first node and the last."""

    resolved_task: str
    attempt: int
    """Analyses so far in this task."""
    candidates: list[Candidate]
    """What Act hands to Reason #2: at most `top_k`."""
    excluded: list[Candidate]
    """What was retrieved and the task rules out by name: nobody scores it, the result shows it."""
    retrieved: list[str]
    """Ids in the order of retrieval, best first, at most 50 or `top_k`: where the candidates were cut from."""
    rounds: list[Round]
    next_step: Literal["analyze", "confirm", "end"]
    model_key: str
    """Who analyses and how, as a digest; set where analyses are cached."""
    remaining_steps: RemainingSteps
