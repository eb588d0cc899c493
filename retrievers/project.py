"""The context route: which of a skill's marks are there in the project at hand (source 001)."""

import os
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property, lru_cache
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_selector.catalog.walker import PRUNED
from skill_selector.graph.errors import SettingError
from skill_selector.graph.records import Degradation
from skill_selector.retrievers.marks import marks_of
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.routes import Route
from skill_selector.retrievers.strategy import RouteSpec

MARK_SCORE = 0.5
"""What each mark that is there adds (source 001); the only mark of a skill counts twice."""
SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class ProjectLimits:
    """The bounds of a look into a project. Names are listed, nearest the top first; no file is opened."""

    entries: int = 20_000
    depth: int = 4
    """Levels of folders below the project's own."""
    seconds: float = 0.5
    """For listing and matching together."""


LIMITS = ProjectLimits()


class Project:
    """The names below a folder. Links are listed, not followed."""

    def __init__(self, folder: str, limits: ProjectLimits = LIMITS) -> None:
        """List a folder.

        Raises:
            SettingError: there is no such folder, or it cannot be read.
        """
        self._deadline = monotonic() + limits.seconds
        self.cut: str | None = None
        """Which bound kept it from being looked at whole."""
        self._by_depth: dict[int, list[str]] = {}
        self._names: set[str] = set()
        """Every path; a folder with a slash behind it, and without."""
        self._answers: dict[str, bool] = {}
        root = os.path.abspath(os.path.expanduser(folder))
        if not os.path.isdir(root):
            raise SettingError(
                f"the project's folder {folder!r} is none; correct --project or SELECTOR_PROJECT_DIRECTORY"
            )
        self._list(root, limits)

    def has(self, mark: str) -> bool:
        """Say whether something that a mark means is there."""
        if mark not in self._answers:
            self._answers[mark] = self._look(mark)
        return self._answers[mark]

    def _list(self, root: str, limits: ProjectLimits) -> None:
        queue: deque[tuple[str, str, int]] = deque([(root, "", 1)])
        count = 0
        while queue:
            folder, prefix, depth = queue.popleft()
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        count += 1
                        if count > limits.entries or monotonic() > self._deadline:
                            self.cut = f"only {count - 1:,} names of it were looked at"
                            return
                        inside = entry.is_dir(follow_symlinks=False)
                        path = prefix + entry.name
                        self._names.update((path, f"{path}/") if entry.is_dir() else (path,))
                        self._by_depth.setdefault(depth, []).append(path)
                        if inside and depth < limits.depth and entry.name not in PRUNED and entry.name != ".git":
                            queue.append((entry.path, f"{path}/", depth + 1))
            except OSError as error:
                if folder == root:
                    raise SettingError(
                        f"the project's folder {root} cannot be read ({error.strerror or error})"
                    ) from error

    def _look(self, mark: str) -> bool:
        if not re.search(r"[*?\[]", mark):
            return mark in self._names
        parts = mark.rstrip("/").split("/")
        depths = list(self._by_depth) if "**" in parts else [len(parts)]
        for depth in depths:
            for path in self._by_depth.get(depth, ()):
                if mark.endswith("/") and f"{path}/" not in self._names:
                    continue
                if matches(path.split("/"), parts):
                    return True
            if monotonic() > self._deadline + LIMITS.seconds:
                self.cut = "not all patterns were looked for in time"
                return False
        return False


def matches(path: Sequence[str], pattern: Sequence[str]) -> bool:
    """Say whether a path's names match a pattern's, `**` standing for none or more of them.

    Name by name, so that a stranger's pattern cannot make it slow: the time is at most their product.
    """
    reached = {0}
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(path) + 1)) if reached else reached
        else:
            expression = _compiled(part)
            reached = {at + 1 for at in reached if at < len(path) and expression.match(path[at])}
    return len(path) in reached


@lru_cache(maxsize=4096)
def _compiled(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))


class ContextRoute(Route):
    """Score = 0.5 for each mark that is there, at most 1 (source 001). A skill without marks has nothing to say."""

    marks: tuple[tuple[str, ...], ...]
    """Of each skill [skills]; all empty where no project is named."""
    found: tuple[tuple[str, ...], ...]
    """Those of them that are there."""

    @cached_property
    def applies(self) -> NDArray[np.bool_] | None:
        """The skills that have marks."""
        return np.array([bool(one) for one in self.marks], dtype=bool)

    def measure(self) -> NDArray[np.float32]:
        """Return each skill's score [skills]."""
        return np.array([context_score(*pair) for pair in zip(self.marks, self.found, strict=True)], dtype=np.float32)

    def note(self, at: int) -> str | None:
        """Return which marks are there."""
        if not self.marks[at]:
            return "it names no marks, or no project is named"
        shown = ", ".join(self.found[at][:SHOWN]) + (", …" if len(self.found[at]) > SHOWN else "")
        return f"{len(self.found[at])} of {len(self.marks[at])} marks are there" + (f": {shown}" if shown else "")


def context_score(marks: Sequence[str], found: Sequence[str]) -> float:
    """Return the score of a skill with these marks, of which some were found."""
    return min(1.0, len(found) * MARK_SCORE * (2 if len(marks) == 1 else 1))


def context_route(request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
    """Build the route over the request's project.

    Raises:
        SettingError: the project's folder is none.
    """
    del spec  # it has no fields and no options
    skills = request.index.skills
    if request.project is None:
        empty: tuple[tuple[str, ...], ...] = ((),) * len(skills)
        return ContextRoute(marks=empty, found=empty, **common)
    project = Project(request.project)
    marks = tuple(map(marks_of, skills))
    found = tuple(tuple(mark for mark in one if project.has(mark)) for one in marks)
    if project.cut:
        fault: Degradation = {
            "step": "retrieve",
            "round": 1,
            "what": "project",
            "why": project.cut,
            "instead": "what was found so far",
        }
        request.faults.append(fault)
    return ContextRoute(marks=marks, found=found, **common)
