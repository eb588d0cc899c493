"""Holding a chat model to JSON by the method that the settings name, through LangChain's own interface for it."""

import re
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable

from skill_selector.graph.settings import Settings, StructuredOutput
from skill_selector.reasoners.failure import heard, status_of
from skill_selector.reasoners.schemas import Schema

_REFUSING = (400, 404, 405, 415, 422, 501)
_NAMES = re.compile(
    r"response_?format|json[ _]?(?:schema|object|mode)|structured[ _]?outputs?|guided_|tool_?choice|\btools?\b"
    r"|function[ _]?call",
    re.IGNORECASE,
)


class StructureError(Exception):
    """The model's class has no such method."""


def held_to(model: BaseChatModel, method: StructuredOutput, schema: Schema) -> Runnable[Any, Any]:
    """Return what is to be called for an answer of this form; `message_of` takes its result apart.

    Raises:
        StructureError: the model offers nothing like it.
    """
    if method == "plain":
        return model
    try:
        return model.with_structured_output(schema, method=method, include_raw=True)
    except (NotImplementedError, ValueError, TypeError, ImportError) as error:
        raise StructureError(str(error)) from error


def message_of(result: Any) -> BaseMessage:
    """Return the model's own message, for our stricter reading, out of what a call of `held_to` returned."""
    message: BaseMessage = result["raw"] if isinstance(result, dict) else result
    return message


def is_refused(error: Exception, settings: Settings) -> bool:
    """Tell whether the endpoint, or the model's client, refuses the method rather than the question."""
    status = status_of(error)
    if status not in _REFUSING and not (status is None and isinstance(error, TypeError | ValueError)):
        return False
    return bool(_NAMES.search(heard(error, settings)))
