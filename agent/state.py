"""What the middleware keeps in an agent's state: ids and reasons, never a catalogue and never a text of a skill."""

from typing import Annotated, Any, Literal, NotRequired

from langchain.agents.middleware.types import AgentState, OmitFromInput, PrivateStateAttr, ResponseT
from typing_extensions import TypedDict

HISTORY = 16
"""Skills of earlier turns that are remembered, to keep their texts in the conversation."""


class ActiveSkill(TypedDict):
    """A skill that is in use, and why."""

    id: str
    name: str
    path: str
    """Its folder, absolute."""
    turn: str
    """Id of the human message that it was chosen for."""
    how: Literal["selected", "loaded"]
    """By the selector, or by the agent's model with `load_skill`."""
    why: str
    """The reason of the ranking; how it came to be loaded."""
    score: float | None
    tool_call: str | None
    """Id of the call whose answer holds the skill's text, where the model loaded it."""


class TurnSelection(TypedDict):
    """What the selector decided for the last human message."""

    turn: str
    outcome: str
    reason: str | None
    decided_by: str | None
    top_score: float
    score_gap: float
    candidates: list[dict[str, Any]]
    """Id, name, score and reason of each ranked skill, best first: what the model may load in this turn."""
    degraded: list[Any]
    roots: list[str]
    digest: str
    """Of the catalogue that was searched."""


def active_of(old: list[ActiveSkill] | None, new: list[ActiveSkill]) -> list[ActiveSkill]:
    """Merge an update: of the same turn it adds, of another one, or empty, it replaces."""
    if not old or not new or old[0]["turn"] != new[0]["turn"]:
        return new
    return list({one["id"]: one for one in (*new, *old)}.values())


def history_of(old: list[ActiveSkill] | None, new: list[ActiveSkill]) -> list[ActiveSkill]:
    """Add to the skills that were in use; the latest use of each counts where its text is elsewhere by now."""
    merged = {(one["id"], one["turn"]): one for one in (*(old or []), *new)}
    return list(merged.values())[-HISTORY:]


def latest(_: Any, new: Any) -> Any:
    """Take the later write; agents side by side under one parent may write in the same step."""
    return new


class SkillsState(AgentState[ResponseT]):
    """The state of an agent with skills."""

    active_skills: NotRequired[Annotated[list[ActiveSkill], OmitFromInput, active_of]]
    """Those of the present turn."""
    skill_selection: NotRequired[Annotated[TurnSelection, OmitFromInput, latest]]
    skill_diagnostics: NotRequired[Annotated[list[str], OmitFromInput, latest]]
    """What is wrong with the tool lists of the active skills."""
    skill_history: NotRequired[Annotated[list[ActiveSkill], PrivateStateAttr, history_of]]
