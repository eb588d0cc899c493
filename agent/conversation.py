"""Texts of skills put into a conversation: each once, behind the message that it was chosen for."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from skill_selector.agent.state import ActiveSkill
from skill_selector.prompts.fencing import attribute
from skill_selector.prompts.shortening import estimate_tokens

SOURCE = "skill_selector"
"""Value of `lc_source` in messages that are not a human's own words."""
MARK = "<skill_content"


def is_of_human(message: object) -> bool:
    """Tell whether a message holds a person's own words, not a summary or a skill that a middleware put in."""
    return isinstance(message, HumanMessage) and "lc_source" not in message.additional_kwargs


def last_human(messages: Sequence[object]) -> HumanMessage | None:
    """Return the last message with a person's own words."""
    return next((one for one in reversed(messages) if isinstance(one, HumanMessage) and is_of_human(one)), None)


def with_skills(
    messages: Sequence[AnyMessage],
    skills: Sequence[ActiveSkill],
    text_of: Callable[[ActiveSkill], str],
    budget: int,
    turn: str | None = None,
) -> list[AnyMessage]:
    """Return the conversation with the texts of skills in it.

    A text stands behind the human message that its skill was chosen for, so that the beginning of the conversation
    stays what it was. Where that message has gone, as after a summary, it stands behind the first human message that
    is left. What the model loaded is left alone as long as the tool's answer is there.

    Args:
        messages: the conversation; it is not changed.
        skills: those in use and those of earlier turns, oldest first.
        text_of: gives the text of one; an empty one puts nothing in.
        budget: tokens (estimated) for all texts; the latest skills come first.
        turn: id of the present human message.
    """
    places = {one.id: at for at, one in enumerate(messages) if isinstance(one, HumanMessage) and one.id}
    answers = {one.tool_call_id for one in messages if isinstance(one, ToolMessage) and MARK in str(one.content)}
    first = min(places.values(), default=None)
    inserted: defaultdict[int, list[str]] = defaultdict(list)
    for skill in _chosen(skills, answers, places, turn):
        if skill["tool_call"] in answers or first is None:
            continue
        text = text_of(skill)
        cost = estimate_tokens(text)
        if not text or cost > budget:
            continue
        budget -= cost
        # the latest are taken first, and stand last
        inserted[places.get(skill["turn"], first)].insert(0, text)
    made: list[AnyMessage] = []
    for at, message in enumerate(messages):
        made.append(message)
        if at in inserted:
            made.append(skill_message("\n\n".join(inserted[at])))
    return made


def skill_message(text: str) -> HumanMessage:
    """Return the message that carries texts of skills."""
    return HumanMessage(text, additional_kwargs={"lc_source": SOURCE})


def holds_skill(messages: Sequence[object], tool_call: str | None) -> bool:
    """Tell whether the answer to a call is there, with a skill's text in it."""
    return any(
        isinstance(one, ToolMessage) and one.tool_call_id == tool_call and MARK in str(one.content) for one in messages
    )


def _chosen(
    skills: Sequence[ActiveSkill], answers: set[str], places: Mapping[str, int], turn: str | None
) -> list[ActiveSkill]:
    """One entry a skill, the latest skill first: that of the earliest place that is still there."""
    entries: dict[str, ActiveSkill] = {}
    for one in skills:
        kept = entries.get(one["id"])
        if kept is None or not (kept["tool_call"] in answers or kept["turn"] in places):
            entries.pop(one["id"], None)
            entries[one["id"]] = one
    recent = {one["id"]: at for at, one in enumerate(skills)}
    current = {one["id"] for one in skills if one["turn"] == turn}
    return sorted(entries.values(), key=lambda one: (one["id"] in current, recent[one["id"]]), reverse=True)


def note_of_removed(skill_id: str) -> str:
    """Return what stands in place of a skill that has gone."""
    return f"<skill_removed {attribute('id', skill_id)}/>"


def selection_entry(ranked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the state keeps of a ranked skill."""
    skill = ranked["skill"]
    return {"id": skill["id"], "name": skill["name"], "score": ranked["score"], "reason": ranked["reason"]}
