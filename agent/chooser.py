"""The selector at work for one turn of an agent."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from langchain_core.messages import HumanMessage

from skill_selector.agent.conversation import selection_entry
from skill_selector.agent.state import ActiveSkill, TurnSelection
from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.roots import list_paths
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import FeedbackError
from skill_selector.graph.selector import wire
from skill_selector.graph.settings import resolve_settings
from skill_selector.injection.loader import SkillLoader
from skill_selector.nodes.parts import Parts
from skill_selector.retrievers.effectiveness import record_injection

_logger = logging.getLogger(__name__)

MOST_OFFERED = 5
"""Candidates that a model may load where no skill was chosen."""


class Chooser:
    """Chooses for a human message, and hands out the skills that were chosen."""

    def __init__(
        self,
        directories: Any,
        parts: Parts,
        context: SelectorContext,
        *,
        max_skills: int,
        max_tokens: int,
        activates: bool,
        counts: FeedbackStore | None,
    ) -> None:
        self._directories = list_paths(directories)
        self._parts = parts
        self._context = context
        self._max_skills = max_skills
        self._max_tokens = max_tokens
        self._activates = activates
        self._counts = counts
        self._offers = ("ambiguous",) if activates else ("ambiguous", "hit")
        self._selector = wire(parts)
        self.loader = lru_cache(maxsize=64)(self._loader)
        """Of a selection's roots and digest, and the ids that may be loaded. Blocks."""

    def choose(self, message: HumanMessage) -> dict[str, Any]:
        """Return the update of the agent's state. Blocks.

        Raises:
            SkillSelectorError: a folder, a setting or the model cannot be used.
        """
        update = self._update(message, self._selector.invoke(self._input(message), context=self._context))
        self.count(update["active_skills"], update["skill_selection"])
        return update

    async def achoose(self, message: HumanMessage) -> dict[str, Any]:
        """Return the update of the agent's state, without blocking the event loop."""
        update = self._update(message, await self._selector.ainvoke(self._input(message), context=self._context))
        await asyncio.to_thread(self.count, update["active_skills"], update["skill_selection"])
        return update

    def count(self, skills: Sequence[ActiveSkill], selection: TurnSelection) -> None:
        """Count that the skills' texts go into a prompt; the turn is the run that feedback may name. Blocks."""
        if self._counts is None or not skills:
            return
        by_id = self.catalog(tuple(selection["roots"]), selection["digest"]).by_id
        found = [by_id[one["id"]] for one in skills if one["id"] in by_id]
        try:
            record_injection(found, self._counts, run_id=selection["turn"])
        except FeedbackError as error:
            _logger.warning("an injection was not counted: %s", error)

    def catalog(self, roots: tuple[str, ...], digest: str) -> Catalog:
        """Return the catalogue of a selection; after a restart, what its folders hold now. Blocks."""
        cache_dir = resolve_settings(self._context).cache_dir
        return self._parts.libraries.recall(list(roots), digest, cache_dir=cache_dir).catalog

    def openable(self, state: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the ids that a model may open: those in use or in the conversation, and those on offer."""
        selection = state.get("skill_selection")
        offers = bool(selection and selection["outcome"] in self._offers)
        known = [
            *(state.get("active_skills") or ()),
            *(selection["candidates"] if selection and offers else ()),
            *(state.get("skill_history") or ()),
        ]
        return tuple(dict.fromkeys(one["id"] for one in known))

    def _loader(self, roots: tuple[str, ...], digest: str, ids: tuple[str, ...]) -> SkillLoader:
        return SkillLoader(self.catalog(roots, digest), only=ids, max_tokens=self._max_tokens, reads_on=True)

    def _input(self, message: HumanMessage) -> Any:
        return {"messages": [message], "skill_directory": self._directories}

    def _update(self, message: HumanMessage, state: Mapping[str, Any]) -> dict[str, Any]:
        ranked = {one["skill"]["id"]: one for one in state["ranked"]}
        turn = str(message.id)
        active: list[ActiveSkill] = [
            {
                "id": one["id"],
                "name": one["name"],
                "path": one["path"],
                "turn": turn,
                "how": "selected",
                "why": _why(state, ranked.get(one["id"])),
                "score": ranked[one["id"]]["score"] if one["id"] in ranked else None,
                "tool_call": None,
            }
            for one in state["selected"][: self._max_skills if self._activates else 0]
        ]
        return {"active_skills": active, "skill_history": active, "skill_selection": _report(turn, state)}


def _why(state: Mapping[str, Any], ranked: Mapping[str, Any] | None) -> str:
    if state["decided_by"] == "human":
        return "chosen by the user"
    return str(ranked["reason"]) if ranked else str(state["reason"])


def _report(turn: str, state: Mapping[str, Any]) -> TurnSelection:
    ranked: Sequence[Any] = state["ranked"]
    return {
        "turn": turn,
        "outcome": state["outcome"],
        "reason": state["reason"],
        "decided_by": state["decided_by"],
        "top_score": state["top_score"],
        "score_gap": state["score_gap"],
        "candidates": [selection_entry(one) for one in ranked if not one["veto"]][:MOST_OFFERED],
        "degraded": list(state["degraded"]),
        "roots": list(state["catalog"]["roots"]),
        "digest": state["catalog"]["digest"],
    }
