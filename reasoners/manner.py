"""Whether a model thinks, and whether its answer is streamed: endpoints that know one way only say so in an error."""

import re
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

_STREAM = re.compile(r"non-?stream|stream\s*=\s*false|(?:only|must)\b.{0,40}\bstream", re.IGNORECASE)
_THINKING = re.compile(r"thinking|reasoning_effort", re.IGNORECASE)
_WORDS = {True: "thinking on", False: "thinking off", None: "thinking unset"}


@dataclass(frozen=True)
class Manner:
    """One way to ask."""

    thinking: bool | None
    """What `enable_thinking` says; None where it is not sent."""
    stream: bool

    def __str__(self) -> str:
        return _WORDS[self.thinking] + (", streamed" if self.stream else "")


MANNERS = {str(one): one for one in (Manner(thinking, stream) for thinking in _WORDS for stream in (False, True))}
"""Every manner by the name that `degraded` keeps."""


@runtime_checkable
class Adaptable(Protocol):
    """A model that can be asked in another manner."""

    @property
    def manner(self) -> Manner:
        """How it is asked."""
        ...

    def in_manner(self, manner: Manner) -> Self:
        """Return the model as it is asked in another manner."""
        ...


def other_manner(model: Any, said: str) -> Manner | None:
    """Return the manner that an error of the endpoint asks for; None where it is about something else."""
    if not isinstance(model, Adaptable):
        return None
    now = model.manner
    if _STREAM.search(said) and not now.stream:
        # "must be set to false for non-streaming calls": left to itself, the model thinks
        return Manner(False, False) if now.thinking is None and _THINKING.search(said) else Manner(now.thinking, True)
    if not _THINKING.search(said):
        return None
    if now.thinking is False:
        return Manner(True, True) if re.search(r"\btrue\b", said, re.IGNORECASE) else Manner(None, False)
    return Manner(False, False)
