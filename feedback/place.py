"""Where counts are kept: the user's data folder, a file, or a store of the caller's own."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skill_selector.feedback.sqlite import SqliteFeedback
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.errors import SettingError

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

FILE = "feedback.sqlite"


def open_feedback(own: "FeedbackStore | BaseStore | None" = None, file: str | None = None) -> FeedbackStore:
    """Return where counts are kept.

    Args:
        own: a store of the caller's, which beats the file; a LangGraph store will do.
        file: the setting `feedback_file`; the user's data folder by default.

    Raises:
        SettingError: `own` is no store.
    """
    if own is None:
        return _at(file)
    if isinstance(own, FeedbackStore):
        return own
    return _wrapped(own)


@lru_cache(maxsize=8)
def _at(file: str | None) -> SqliteFeedback:
    return SqliteFeedback(file if file is not None else data_file(FILE))


def data_file(name: str) -> Path:
    """Return a file's place in the user's data folder; nothing is made."""
    from platformdirs import user_data_path  # noqa: PLC0415 - not needed where the file is named

    return Path(user_data_path("skill-selector", appauthor=False)) / name


def _wrapped(own: Any) -> FeedbackStore:
    from langgraph.store.base import BaseStore  # noqa: PLC0415 - most callers use the file

    from skill_selector.feedback.basestore import LangGraphFeedback  # noqa: PLC0415 - the same

    if isinstance(own, BaseStore):
        return LangGraphFeedback(own)
    raise SettingError(f"feedback={own!r} is no store: pass a FeedbackStore or a LangGraph BaseStore")
