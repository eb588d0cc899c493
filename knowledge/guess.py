"""One parameter that a script or a text seems to take, and where that was seen."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A parameter."""

    name: str
    schema: dict[str, Any]
    required: bool
    origin: str
    """Where it was seen, such as `scripts/run.py:12`."""
