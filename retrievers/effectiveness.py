"""What experience says of skills: who a skill is to the counts, the route over them, and counting an injection."""

from collections.abc import Iterable, Mapping
from hashlib import blake2b, sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from skill_selector.catalog.skill import Skill
from skill_selector.feedback.counts import NO_COUNTS, UNKNOWN, Counts, Subject
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.errors import FeedbackError, SettingError
from skill_selector.graph.records import Degradation
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.routes import Route
from skill_selector.retrievers.strategy import RouteSpec

KIND = "skill"

_EMPTY = sha256(b"").hexdigest()

LEAST = float(np.finfo(np.float32).tiny)
"""What a skill that never helped scores at least: it comes last, and is not lost."""


class EffectivenessRoute(Route):
    """Score = floor + (1 - floor) · effectiveness, 0 to 1 (source 003: 0.3 + 0.7 · effectiveness)."""

    counts: Mapping[str, Counts] = Field(repr=False)
    """By name of a skill's record."""
    prior: float
    floor: float = 0.0

    def measure(self) -> NDArray[np.float32]:
        """Return each skill's score [skills]."""
        unknown = NO_COUNTS.effectiveness(self.prior)
        values = np.full(len(self.index), unknown, dtype=np.float32)
        if self.counts:
            for at, skill in enumerate(self.index.skills):
                values[at] = self._counts_of(skill).effectiveness(self.prior)
        scores: NDArray[np.float32] = np.maximum(self.floor + (1 - self.floor) * values, LEAST).astype(np.float32)
        return scores

    def note(self, at: int) -> str | None:
        """Return the counts behind the score."""
        found = self._counts_of(self.index.skills[at])
        if found == NO_COUNTS:
            return "nothing counted yet"
        effectiveness = found.effectiveness(self.prior)
        prior = f", prior {self.prior:g}" if self.prior else ""
        return f"effectiveness {effectiveness:.2f}: {found.good} good of {found.injected} injected{prior}"

    def _counts_of(self, skill: Skill) -> Counts:
        names = skill_subject(skill).names
        return next((self.counts[name] for name in names if name in self.counts), NO_COUNTS)


def effectiveness_route(request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
    """Build the route over the request's counts. Option: `floor`, 0 to 1.

    Raises:
        SettingError: the floor is none.
    """
    floor = spec.options.get("floor", 0.0)
    if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 <= floor <= 1:
        raise SettingError(f"route {spec.name!r}: its floor is {floor!r}; it must be a number from 0 to 1")
    counts: Mapping[str, Counts] = {}
    try:
        if request.feedback is not None:
            counts = request.feedback.counts(KIND)
    except FeedbackError as error:
        if request.settings.on_failure == "raise":
            raise
        fault: Degradation = {
            "step": "retrieve",
            "round": 1,
            "what": "feedback",
            "why": str(error),
            "instead": f"effectiveness {UNKNOWN} for every skill",
        }
        request.faults.append(fault)
    return EffectivenessRoute(counts=counts, prior=request.settings.feedback_prior, floor=float(floor), **common)


def skill_subject(skill: Skill) -> Subject:
    """Return what a skill is to the counts, wherever its root lies.

    Its record is found by description and body (so it survives a new name, folder or root, and exact copies share it);
    else by its place below the root and body (a new description); else by place and description in the same root (a new
    body). What changes in more than one of these ways between two counts begins anew, and so do two skills of one name
    in two roots, unless they are copies.
    """
    body = skill.body_digest or sha256(skill.body.encode("utf-8", "surrogatepass")).hexdigest()
    place = skill.path.removeprefix(skill.root.rstrip("/") + "/") if skill.path != skill.root else skill.name
    names = (
        # nothing is no instruction that two skills could share
        _digest("content", skill.description, body, skill.name if body == _EMPTY else ""),
        _digest("place, body", place, body),
        _digest("root, place, description", skill.root, place, skill.description),
    )
    return Subject(kind=KIND, names=names, label=skill.name)


def record_injection(skills: Iterable[Skill], store: FeedbackStore, *, run_id: str | None = None) -> list[str]:
    """Count that the skills' text went into a prompt; selecting a skill does not count. Returns their records' ids.

    Args:
        skills: those that were injected, each counted once.
        store: see `feedback.place.open_feedback`.
        run_id: the run, so that feedback on it (`FeedbackHook`) finds them.

    Raises:
        FeedbackError: the counts cannot be kept.
    """
    return store.count([skill_subject(skill) for skill in skills], injected=1, run_id=run_id)


async def arecord_injection(skills: Iterable[Skill], store: FeedbackStore, *, run_id: str | None = None) -> list[str]:
    """As `record_injection`, off the event loop."""
    import asyncio  # noqa: PLC0415 - the sync half does without

    return await asyncio.to_thread(record_injection, list(skills), store, run_id=run_id)


def _digest(*parts: str) -> str:
    text = "\0".join(parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
