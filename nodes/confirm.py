"""The question to a human, when several skills fit equally and the caller wants to be asked."""

import os
from typing import Any

from langgraph.types import interrupt

from skill_selector.graph.records import RankedSkill
from skill_selector.graph.state import SelectorState
from skill_selector.nodes.decision import Bar, result_of_human
from skill_selector.nodes.parts import Parts
from skill_selector.nodes.trace import Stopwatch
from skill_selector.retrievers.strategy import choose_strategy

NO_SKILL = "none"
"""The answer that means 'none of these'. A run cannot be resumed with null."""

_TIED = "Several skills fit this task about equally. Which one shall be used?"
_SAME_NAME = "Several skills have the name that this task calls. Which one shall be used?"


class Confirm:
    """Offers the tied candidates and takes the answer: a skill id, or none."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def run(self, state: SelectorState) -> dict[str, Any]:
        """Interrupt the run until there is an answer that can be used, then return the update."""
        watch = Stopwatch("confirm")
        settings = self._parts.settings()
        named = state["reason"] == "ambiguous_call"
        tied = state["ranked"]
        if not named:
            tied = Bar.of(settings, choose_strategy(settings)).tied(tied)
        # The answer may come days later: what has gone by then is no longer on offer.
        offered = [one for one in tied if os.path.isdir(one["skill"]["path"])]
        choice = _ask(state["resolved_task"], offered, _SAME_NAME if named else _TIED)
        update = result_of_human(choice)
        entry = watch.entry(
            state["attempt"],
            given={"offered": [one["skill"]["id"] for one in offered]},
            made={"outcome": update["outcome"], "best": choice["skill"]["id"] if choice else None},
        )
        return {**update, "next_step": "end", "selector_trace": [entry]}


def _ask(task: str, offered: list[RankedSkill], words: str) -> RankedSkill | None:
    by_id = {one["skill"]["id"]: one for one in offered}
    question: dict[str, Any] = {
        "question": words,
        "task": task,
        "candidates": [
            {
                "id": one["skill"]["id"],
                "name": one["skill"]["name"],
                "description": one["skill"]["description"],
                "score": one["score"],
                "reason": one["reason"],
            }
            for one in offered
        ],
        "answer": f"the id of one candidate, or {NO_SKILL!r}",
    }
    answer = interrupt(question)
    while not (isinstance(answer, str) and answer in by_id):
        if answer is None or answer == NO_SKILL:
            return None
        answer = interrupt({**question, "error": f"{answer!r} is neither the id of a candidate nor {NO_SKILL!r}"})
    return by_id[answer]
