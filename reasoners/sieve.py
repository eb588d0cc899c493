"""Ranking when a content filter refuses the whole: find the candidates whose text it refuses, and do without them.

Each candidate is judged by itself, so the points of a part of the candidates count like those of all.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from skill_selector.graph.records import RUBRIC, Candidate, Degradation, Usage
from skill_selector.reasoners.base import NO_USAGE, Judgement, RankRequest, total_usage
from skill_selector.reasoners.exchange import Answer, Steps
from skill_selector.reasoners.failure import FilteredError, UnansweredError

Judgements = tuple[Judgement, ...]
Score = Callable[[RankRequest], Steps[Judgements]]

MOST_PARTS = 12
"""Parts that are asked for at most: enough for one refused candidate among 50, or for two among 5."""
_WHAT = "candidate "
_VETO = "left out: the content filter of the model's endpoint refuses its text"


def without_refused(request: RankRequest) -> tuple[RankRequest, Judgements]:
    """Return the request without the candidates that a filter refused earlier in the task, and their judgements."""
    known = {one["what"].removeprefix(_WHAT) for one in request.degraded if one["what"].startswith(_WHAT)}
    rest = tuple(one for one in request.candidates if one["id"] not in known)
    gone = tuple(_left_out(one["id"]) for one in request.candidates if one["id"] in known)
    return replace(request, candidates=rest), gone


@dataclass
class Sieve:
    """One search for what the filter refuses, after it refused all candidates together with `error`."""

    score: Score
    request: RankRequest
    error: FilteredError
    judged: list[Judgement] = field(default_factory=list)
    refused: dict[str, FilteredError] = field(default_factory=dict)
    degraded: list[Degradation] = field(default_factory=list)
    usage: Usage = field(default_factory=NO_USAGE.copy)

    def steps(self) -> Steps[Judgements]:
        """Ask for halves, and halves of refused halves, until each candidate is judged or refused by itself.

        Raises:
            FilteredError: every candidate is refused, or there are too many of them to find out.
            UnansweredError: a part was not answered for another reason.
        """
        started = time.monotonic()
        self._count(self.error)
        parts = deque(_halves(self.request.candidates))
        for _ in range(MOST_PARTS):
            if not parts:
                break
            part = parts.popleft()
            try:
                answer = yield from self.score(self._part(part, time.monotonic() - started))
            except FilteredError as error:
                self._count(error)
                if len(part) > 1:
                    parts.extend(_halves(part))
                else:
                    self.refused[part[0]["id"]] = error
            except UnansweredError as error:
                self._count(error)
                raise self._unanswered(error) from error
            else:
                self.judged += answer.value
                self.usage = total_usage(self.usage, answer.usage)
                self.degraded += answer.degraded
        if parts or not self.judged:
            raise self._unanswered(self.error) from self.error
        return self._answer()

    def _part(self, part: Sequence[Candidate], seconds: float) -> RankRequest:
        return replace(
            self.request,
            candidates=tuple(part),
            degraded=(*self.request.degraded, *self.degraded),
            model_seconds=self.request.model_seconds + seconds,
        )

    def _answer(self) -> Answer[Judgements]:
        notes: list[Degradation] = [
            {
                "step": "rank",
                "round": self.request.attempt,
                "what": f"{_WHAT}{skill_id}",
                "why": str(error),
                "instead": "left out",
            }
            for skill_id, error in self.refused.items()
        ]
        value = (*self.judged, *map(_left_out, self.refused))
        return Answer(value, self.usage, (*self.degraded, *notes))

    def _count(self, error: UnansweredError) -> None:
        self.usage = total_usage(self.usage, error.usage)
        self.degraded += error.degraded

    def _unanswered(self, error: UnansweredError) -> UnansweredError:
        return type(error)(str(error), self.usage, tuple(self.degraded))


def _halves(part: Sequence[Candidate]) -> list[Sequence[Candidate]]:
    middle = (len(part) + 1) // 2
    return [half for half in (part[:middle], part[middle:]) if half]


def _left_out(skill_id: str) -> Judgement:
    return Judgement(skill_id=skill_id, points=dict.fromkeys(RUBRIC, 0.0), reason="", veto=_VETO)
