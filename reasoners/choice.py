"""Which reasoner a run gets."""

import logging
from functools import cache
from typing import TYPE_CHECKING

from skill_selector.graph.settings import Settings
from skill_selector.reasoners.base import Reasoner

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_log = logging.getLogger(__name__)


def choose_reasoner(settings: Settings, *, llm: "BaseChatModel | None" = None) -> Reasoner:
    """Return the reasoner that the settings ask for.

    `auto` takes the model where one was passed in or a key is set, else the local reasoner, and says so once in the
    log. With `on_failure` "fallback" the local reasoner stands in for a model that does not answer usably.

    Args:
        settings: those of the run.
        llm: a chat model of the caller's, used in place of the one that the settings describe.

    Raises:
        ModelSetupError: a model is asked for and there is no key.
        SettingError: the model's address cannot be used.
    """
    if takes_model(settings, llm):
        return _model_reasoner(settings, llm)
    if settings.reasoner == "auto":
        _say_once("no DASHSCOPE_API_KEY is set: selecting with the local reasoner")
    return _local_reasoner()


def takes_model(settings: Settings, llm: "BaseChatModel | None") -> bool:
    """Return whether the settings ask for the model."""
    has_model = llm is not None or settings.dashscope_api_key is not None
    return settings.reasoner == "llm" or (settings.reasoner == "auto" and has_model)


def _model_reasoner(settings: Settings, llm: "BaseChatModel | None") -> Reasoner:
    from skill_selector.reasoners.exchange import model_name  # noqa: PLC0415 - a run without a model does without
    from skill_selector.reasoners.fallback import FallbackReasoner  # noqa: PLC0415 - the same
    from skill_selector.reasoners.llm import LLMReasoner  # noqa: PLC0415 - the same
    from skill_selector.reasoners.model import make_fallback_model, make_model  # noqa: PLC0415 - the same

    model = make_model(settings) if llm is None else llm
    if settings.reasoner == "auto":
        _say_once(f"selecting with the chat model {model_name(model)}")
    reasoner = LLMReasoner(model, fallback_model=make_fallback_model(settings), own_model=llm is not None)
    return FallbackReasoner(reasoner, _local_reasoner()) if settings.on_failure == "fallback" else reasoner


def _local_reasoner() -> Reasoner:
    from skill_selector.reasoners.local import LocalReasoner  # noqa: PLC0415 - a run with a model alone does without

    return LocalReasoner()


@cache
def _say_once(message: str) -> None:
    _log.info(message)
