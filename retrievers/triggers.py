"""The trigger route: the share of a skill's own trigger phrases that stand in the task (source 001)."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.chinese import whole_words
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.routes import Route
from skill_selector.retrievers.strategy import RouteSpec
from skill_selector.retrievers.text import normalize, stem

MOST_TRIGGERS = 200
"""Of one skill; what follows is no list of triggers any more."""
SHOWN = 5

# A word with what makes it another one (c++, c#, .net), or one Chinese character.
_UNIT = re.compile(r"[\u3400-\u9fff\U00020000-\U000323af]|(?:(?<![^\W_])\.)?[^\W_\u3400-\u9fff]+(?:\+\+|\#)?")
_CHINESE = re.compile(r"[\u3400-\u9fff\U00020000-\U000323af]+")


class Unit(NamedTuple):
    """A word of a task, or one character of a Chinese one."""

    text: str
    start: bool
    """Whether a word starts here."""


class TriggerRoute(Route):
    """Score = triggers found / triggers, 0 to 1. A skill without triggers has nothing to say.

    A trigger is found as whole words, inflections aside: `deploy` in `deploying`, `ui` not in `build`; a Chinese one
    where it starts and ends with words of the task: 会议 not in 会议室.
    """

    task: str

    @cached_property
    def found(self) -> list[tuple[str, ...]]:
        """The triggers of each skill that stand in the task [skills]."""
        units = task_units(self.task)
        places: dict[str, list[int]] = {}
        for at, unit in enumerate(units):
            if unit.start:
                places.setdefault(unit.text, []).append(at)
        return [
            tuple(one for one in triggers_of(skill) if stands_in(one, units, places)) for skill in self.index.skills
        ]

    @cached_property
    def stated(self) -> NDArray[np.int32]:
        """How many triggers each skill has [skills]."""
        return np.array([len(triggers_of(skill)) for skill in self.index.skills], dtype=np.int32)

    @cached_property
    def applies(self) -> NDArray[np.bool_] | None:
        """The skills that have triggers."""
        return self.stated > 0

    def measure(self) -> NDArray[np.float32]:
        """Return each skill's share [skills]."""
        counts = np.array([len(one) for one in self.found], dtype=np.float32)
        return np.divide(counts, np.maximum(self.stated, 1), dtype=np.float32)

    def note(self, at: int) -> str | None:
        """Return which triggers were found."""
        if not self.stated[at]:
            return "it states none"
        shown = ", ".join(self.found[at][:SHOWN]) + (", …" if len(self.found[at]) > SHOWN else "")
        return f"{len(self.found[at])} of {self.stated[at]} found" + (f": {shown}" if shown else "")


def trigger_route(request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
    """Build the route over the task."""
    del spec  # it has no fields and no options
    return TriggerRoute(task=request.task, **common)


def triggers_of(skill: Skill) -> tuple[str, ...]:
    """Return a skill's triggers that hold a word, each once."""
    found: dict[tuple[str, ...], str] = {}
    for one in skill.triggers[:MOST_TRIGGERS]:
        if units := trigger_units(one):
            found.setdefault(units, one)
    return tuple(found.values())


def stands_in(trigger: str, units: Sequence[Unit], places: Mapping[str, Sequence[int]]) -> bool:
    """Say whether a trigger stands in a task.

    Args:
        trigger: the phrase.
        units: the task's.
        places: by text, where the units are that start a word.
    """
    wanted = trigger_units(trigger)
    for at in places.get(wanted[0], ()):
        end = at + len(wanted)
        same = end <= len(units) and all(units[at + step].text == text for step, text in enumerate(wanted))
        if same and (end == len(units) or units[end].start):
            return True
    return False


@lru_cache(maxsize=1 << 15)
def trigger_units(trigger: str) -> tuple[str, ...]:
    """Return the words of a trigger, Chinese ones character by character; none where it holds no word."""
    return tuple(stem(one) for one in _UNIT.findall(normalize(trigger)))


def task_units(task: str) -> list[Unit]:
    """Return the words of a task, Chinese ones character by character with the words' starts marked."""
    text = normalize(task)
    starts: set[int] = set()
    for run in _CHINESE.finditer(text):
        at = run.start()
        for word in whole_words(run.group()):
            starts.add(at)
            at += len(word)
    return [
        Unit(stem(one.group()), not _CHINESE.match(one.group()) or one.start() in starts)
        for one in _UNIT.finditer(text)
    ]
