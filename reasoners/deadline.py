"""By when the model calls of a selection must be over, for whoever waits inside one of them."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_END: ContextVar[float] = ContextVar("skill_selector_model_deadline", default=math.inf)


@contextmanager
def until(end: float) -> Iterator[None]:
    """Let `seconds_left` count towards `end`, a reading of `time.monotonic`, inside the block."""
    token = _END.set(end)
    try:
        yield
    finally:
        _END.reset(token)


def seconds_left() -> float:
    """Return how many seconds model calls may still take; infinite where nobody set an end."""
    return _END.get() - time.monotonic()
