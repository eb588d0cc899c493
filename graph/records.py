"""The plain JSON records that the state, the result and `--json` are made of."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

Outcome = Literal["hit", "ambiguous", "no_match"]
DecidedBy = Literal["score", "human"]
Dimension = Literal["intent", "tech_stack", "constraints", "keywords"]
Reason = Literal[
    "clear_winner",  # hit: threshold and gap reached
    "gap_too_small",  # ambiguous
    "below_threshold",  # no_match, as are the rest
    "no_overlap",
    "vetoed",
    "empty_catalog",
    "chosen",  # by the human: hit
    "declined",  # by the human: no_match
    "called",  # the task names its skill, as "/name" or in words: hit
    "ambiguous_call",  # several skills have the name: ambiguous
    "refused_call",  # its author lets nobody call it: no_match
]

RUBRIC: dict[Dimension, float] = {"intent": 40.0, "tech_stack": 30.0, "constraints": 20.0, "keywords": 10.0}
"""The most points that each part of Reason #2's rubric can give; the parts add up to the score (source 000)."""


class TaskAnalysis(TypedDict):
    """What Reason #1 understood."""

    intent: str
    """One clause that starts with a verb."""
    keywords: list[str]
    constraints: list[str]
    tech_stack: list[str]
    when_to_use: str


class SkillRef(TypedDict):
    """A skill as results show it."""

    id: str
    name: str
    description: str
    path: str
    """The skill's folder, absolute."""
    category: str | None
    version: str | None


class Candidate(TypedDict):
    """A skill that Act retrieved."""

    id: str
    score: float
    """The strategy's fused score, 0 or more; comparable within one retrieval."""
    routes: dict[str, float]
    """Each route's share of the score."""
    fallback: bool
    """No route matched: found by substring only, so it cannot be a hit by itself."""
    copies: list[str]
    """Ids of other skills that are copies of this one."""
    ranks: NotRequired[dict[str, int]]
    """The skill's rank among all skills on each route that found it, from 1; missing where that is not known."""
    standing: NotRequired[float]
    """How far the score lies above the mean of all skills, in spreads, less what chance gives to the best of so many;
    missing where that cannot be compared."""
    notes: NotRequired[dict[str, str]]
    """By route, what made its score, in words; missing where the numbers say it."""


class RankedSkill(TypedDict):
    """A candidate that Reason #2 scored."""

    skill: SkillRef
    score: float
    """0 to 100, the sum of `dimensions`."""
    dimensions: dict[Dimension, float]
    """Points by part of the rubric; all 0 after a veto."""
    reason: str
    veto: str | None
    """Why the skill was ruled out whatever its points, or null."""
    routes: dict[str, float]
    """Each route's share of the retrieval score."""
    ranks: NotRequired[dict[str, int]]
    """As in `Candidate`."""
    retrieval_score: float
    copies: list[str]
    flags: NotRequired[list[str]]
    """How its text works on whoever chooses, as kinds of diagnostics, such as `instructs_reader`; no veto."""


class Usage(TypedDict):
    """What a step cost."""

    calls: int
    prompt_tokens: int
    completion_tokens: int


class Degradation(TypedDict):
    """Something that fell back."""

    step: str
    round: int
    """0 for `scan`, else the number of the analysis that the step belongs to."""
    what: str
    """What did not work, such as `model` or `fallback_model`."""
    why: str
    instead: str
    """What took its place."""


class TraceEntry(TypedDict):
    """One step, readable without a checkpointer."""

    step: str
    round: int
    """0 for `scan`, else the number of the analysis that the step belongs to."""
    input: dict[str, Any]
    """What went in, by reference: ids, digests, counts."""
    output: dict[str, Any]
    started: str
    """UTC, ISO 8601."""
    seconds: float
    cost: Usage


class CatalogSummary(TypedDict):
    """The scanned catalogue, by reference."""

    roots: list[str]
    count: int
    digest: str
    diagnostics_by_kind: dict[str, int]
    diagnostics: list[dict[str, str]]
    """The first 20."""


class Round(TypedDict):
    """One analysis with what came of it; the best round becomes the result."""

    number: int
    analysis: TaskAnalysis
    ranked: list[RankedSkill]
    outcome: Outcome
    reason: Reason
    top_score: float
    score_gap: float
