"""What a model sees of skills: texts in the conversation, a catalogue of candidates, tools to open them."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from langchain.agents.middleware.types import ContextT, ModelRequest
from langchain_core.messages import AnyMessage, SystemMessage

from skill_selector.agent.chooser import Chooser
from skill_selector.agent.conversation import note_of_removed, skill_message, with_skills
from skill_selector.agent.state import ActiveSkill, TurnSelection
from skill_selector.graph.errors import SettingError, SkillAccessError
from skill_selector.injection.forms import LEAST_BUDGET, Injector

_INJECT = ("skill", "catalog", "none")
_PLACEMENTS = ("after_user", "system")


class Presentation:
    """Puts the skills of a turn into a request to the model. Blocks: it may read files."""

    def __init__(
        self,
        chooser: Chooser,
        *,
        inject: Literal["skill", "catalog", "none"],
        placement: Literal["after_user", "system"],
        system_prompt: str,
        max_tokens: int,
    ) -> None:
        for name, value, known in (("inject", inject, _INJECT), ("placement", placement, _PLACEMENTS)):
            if value not in known:
                raise SettingError(f"{name}={value!r}: must be one of {', '.join(known)}")
        if max_tokens < LEAST_BUDGET:
            raise SettingError(f"max_tokens={max_tokens}: must be {LEAST_BUDGET} or more")
        self._chooser = chooser
        self._inject = inject
        self._placement = placement
        self._system_prompt = system_prompt
        self._max_tokens = max_tokens
        self._texts = lru_cache(maxsize=64)(self._text)
        self._catalogues = lru_cache(maxsize=16)(self._catalogue)

    def show(self, request: ModelRequest[ContextT]) -> ModelRequest[ContextT]:
        """Return the request with the skills in it, and another middleware's list of skills narrowed to them."""
        state: Mapping[str, Any] = request.state
        selection: TurnSelection | None = state.get("skill_selection")
        if not selection:
            return request
        changes: dict[str, Any] = {}
        if state.get("skills_metadata") is not None:
            changes["state"] = {**state, "skills_metadata": _narrowed(state["skills_metadata"], selection, state)}
        if self._inject != "none":
            changes["system_message"] = _with_text(request.system_message, self._system_prompt)
            messages = list(request.messages)
            changes["messages"] = self._with_catalogue(self._with_texts(messages, state, selection), selection)
            if self._placement == "system":
                changes |= _moved(changes["messages"], changes["system_message"], messages)
        return request.override(**changes)

    def _with_texts(
        self, messages: list[AnyMessage], state: Mapping[str, Any], selection: TurnSelection
    ) -> list[AnyMessage]:
        skills: list[ActiveSkill] = [*(state.get("skill_history") or ()), *(state.get("active_skills") or ())]
        if self._inject == "catalog":
            skills = [one for one in skills if one["how"] == "loaded"]
        unique = list({(one["id"], one["turn"]): one for one in skills}.values())
        where = (tuple(selection["roots"]), selection["digest"])
        return with_skills(
            messages, unique, lambda one: self._texts(*where, one["id"]), self._max_tokens, selection["turn"]
        )

    def _with_catalogue(self, messages: list[AnyMessage], selection: TurnSelection) -> list[AnyMessage]:
        wanted = "ambiguous" if self._inject == "skill" else "no_match"
        listed = (selection["outcome"] == wanted) == (self._inject == "skill")
        if not listed:
            return messages
        ids = tuple(one["id"] for one in selection["candidates"])
        text = self._catalogues(tuple(selection["roots"]), selection["digest"], ids)
        at = next((at for at, one in enumerate(messages) if one.id == selection["turn"]), None)
        if not text or at is None:
            return messages
        return [*messages[: at + 1], skill_message(text), *messages[at + 1 :]]

    def _text(self, roots: tuple[str, ...], digest: str, skill_id: str) -> str:
        try:
            return self._chooser.loader(roots, digest, (skill_id,)).load(skill_id).text
        except SkillAccessError:
            return note_of_removed(skill_id)

    def _catalogue(self, roots: tuple[str, ...], digest: str, ids: tuple[str, ...]) -> str:
        catalog = self._chooser.catalog(roots, digest)
        return Injector(location="id", max_tokens=self._max_tokens).inject(catalog, only=ids).text


def _with_text(message: SystemMessage | None, text: str) -> SystemMessage | None:
    if not text:
        return message
    if message is None:
        return SystemMessage(text)
    blocks: list[Any] = [*message.content_blocks, {"type": "text", "text": f"\n\n{text}"}]
    return SystemMessage(content=blocks)


def _moved(messages: list[AnyMessage], system: SystemMessage | None, original: list[AnyMessage]) -> dict[str, Any]:
    """Take what was put in out of the conversation again, and add it to the system prompt."""
    known = {id(one) for one in original}
    texts = [str(one.content) for one in messages if id(one) not in known]
    return {"messages": original, "system_message": _with_text(system, "\n\n".join(texts))}


def _narrowed(metadata: Any, selection: TurnSelection, state: Mapping[str, Any]) -> list[Any]:
    """Keep the skills of the turn: by the name, which is unique there."""
    wanted = {one["name"] for one in state.get("active_skills") or ()}
    if selection["outcome"] == "ambiguous":
        wanted |= {one["name"] for one in selection["candidates"]}
    return [one for one in metadata if isinstance(one, Mapping) and one.get("name") in wanted]
