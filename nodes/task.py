"""The task of a run, found in what the caller passed in."""

from typing import Any

from skill_selector.catalog.roots import list_paths
from skill_selector.graph.errors import SkillDirectoryError, TaskError
from skill_selector.graph.state import SelectorState

_HOW = "pass `task` with some words, or `messages` with a human message"


def find_task(state: SelectorState) -> str:
    """Return the task: `task`, or the last human message.

    Raises:
        TaskError: neither is there, or it is empty.
    """
    task = state.get("task")
    if task is not None and not isinstance(task, str):
        raise TaskError(f"the task is a {type(task).__name__}, not text; {_HOW}")
    if task and task.strip():
        return _clean(task)
    messages = state.get("messages")
    if messages:
        return _last_human(messages)
    raise TaskError(f"the task is empty; {_HOW}")


def find_roots(state: SelectorState) -> list[str]:
    """Return the folders of skills, lowest precedence first.

    Raises:
        SkillDirectoryError: none is named, or some are no paths.
    """
    try:
        return list_paths(state.get("skill_directory"))
    except SkillDirectoryError as error:
        raise SkillDirectoryError(f"`skill_directory`: {error}") from None


def _last_human(messages: Any) -> str:
    from langchain_core.messages import HumanMessage, convert_to_messages  # noqa: PLC0415 - only for conversations

    try:
        converted = convert_to_messages(messages if isinstance(messages, list) else [messages])
    except (ValueError, NotImplementedError, KeyError, TypeError) as error:
        raise TaskError(f"`messages` cannot be read as a conversation ({error}); {_HOW}") from error
    text = next((str(one.text) for one in reversed(converted) if isinstance(one, HumanMessage)), "")
    if not text.strip():
        raise TaskError(f"`messages` has no human message with text; {_HOW}")
    return _clean(text)


def _clean(text: str) -> str:
    """Return the text without the halves of characters that bytes in another encoding leave behind."""
    return text.encode("utf-8", "replace").decode("utf-8").strip()
