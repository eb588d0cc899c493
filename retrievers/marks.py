"""Which files and folders mark a project as one that a skill is at home in."""

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from skill_selector.catalog.keys import bare
from skill_selector.catalog.skill import Skill
from skill_selector.catalog.words import as_list
from skill_selector.retrievers.text import normalize

KEYS = ("context", "projectcontext", "contextfiles", "globs", "glob", "项目上下文")
"""Frontmatter keys that name marks, at the top or below `metadata`, in any spelling."""
MODES = frozenset({"fork", "auto", "manual", "inline", "shared", "none", "true", "false", "always", "default"})
"""What hosts mean by `context: …` besides marks: how a skill is run."""
MOST_MARKS = 50
LONGEST_MARK = 200
"""Characters; marks are a stranger's."""

_WORDS = re.compile(r"[\s,;/|&]+|-(?=\D)|_")


def marks_of(skill: Skill) -> tuple[str, ...]:
    """Return a skill's own marks, else those of its category; none where there are neither.

    A mark is a pattern below the project's folder, with forward slashes: `*` and `?` stay within one name, `**` stands
    for any folders, a slash at the end means a folder.
    """
    for key, value in skill.metadata.items():
        if bare(key) in KEYS:
            own = tuple(one for one in map(_usable, as_list(value)) if one)
            if own:
                return own[:MOST_MARKS]
    return _of_category(skill.category) if skill.category else ()


def _usable(given: str) -> str | None:
    """Return a mark as it is matched; None where it leads out of the project, is no pattern or a host's mode."""
    mark = given.strip().replace("\\", "/").removeprefix("./")
    parts = mark.split("/")
    outside = mark.startswith(("/", "~")) or ".." in parts or ":" in parts[0]
    prose = any(map(str.isspace, mark)) and not re.search(r"[*/.]", mark)
    return None if not mark or len(mark) > LONGEST_MARK or outside or prose or mark.lower() in MODES else mark


@lru_cache(maxsize=1024)
def _of_category(category: str) -> tuple[str, ...]:
    known = _by_category()
    words = [normalize(category), *_WORDS.split(normalize(category))]
    return tuple(dict.fromkeys(mark for word in words for mark in known.get(word.strip(), ())))


@lru_cache(maxsize=1)
def _by_category() -> Mapping[str, tuple[str, ...]]:
    text = (files("skill_selector.retrievers") / "data" / "context-marks.txt").read_text(encoding="utf-8")
    found: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            words, _, marks = line.partition(": ")
            listed = tuple(one.strip() for one in marks.split(","))
            found.update((word.strip(), listed) for word in words.split(","))
    return found
