"""What an injection put into the prompt, and what it left out."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from skill_selector.prompts.shortening import estimate_tokens

Form = Literal["full", "compact", "skill"]
"""Name, description and location of each skill; the same without descriptions; or whole skills."""
Why = Literal["no_room", "manual_only", "unreadable", "unknown"]

SHOWN = 20
"""How many of the skills that were left out or cut the JSON names; it counts them all."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A skill that is not in the text."""

    id: str
    why: Why


@dataclass(frozen=True, slots=True)
class Cut:
    """A text of a skill that is there in part."""

    id: str
    what: Literal["description", "body"]
    shown: int
    """Characters that are there."""
    of: int
    """Characters that there are."""


@dataclass(frozen=True, kw_only=True)
class Injection:
    """The text for a prompt; empty where there is nothing to put in."""

    form: Form
    text: str
    skills: tuple[str, ...] = ()
    """Ids of the skills in the text, in its order."""
    left_out: tuple[LeftOut, ...] = ()
    cut: tuple[Cut, ...] = ()
    characters: int = field(init=False)
    tokens: int = field(init=False)
    """Estimated; see `estimate_tokens`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "characters", len(self.text))
        object.__setattr__(self, "tokens", estimate_tokens(self.text))

    def to_dict(self) -> dict[str, Any]:
        """Return the injection as a JSON object."""
        return {
            "form": self.form,
            "text": self.text,
            "skills": list(self.skills),
            "characters": self.characters,
            "tokens": self.tokens,
            "left_out": {
                "count": len(self.left_out),
                "by_reason": dict(Counter(one.why for one in self.left_out)),
                "first": [{"id": one.id, "why": one.why} for one in self.left_out[:SHOWN]],
            },
            "cut": {
                "count": len(self.cut),
                "first": [
                    {"id": one.id, "what": one.what, "shown": one.shown, "of": one.of} for one in self.cut[:SHOWN]
                ],
            },
        }

    @property
    def summary(self) -> str:
        """The figures in one line."""
        parts = [f"{self.form}: {_count(len(self.skills), 'skill')}, {self.characters:,} characters"]
        parts.append(f"about {self.tokens:,} tokens")
        for why, count in Counter(one.why for one in self.left_out).items():
            parts.append(f"{count:,} left out ({why.replace('_', ' ')})")
        for what, count in Counter(one.what for one in self.cut).items():
            parts.append(f"{_count(count, what)} cut" if count == 1 else f"{count:,} {_plural(what)} cut")
        return ", ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else _plural(noun)}"


def _plural(noun: str) -> str:
    return "bodies" if noun == "body" else f"{noun}s"
