"""What the scores mean: hit, ambiguous or no match, and which round stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from skill_selector.graph.records import Candidate, DecidedBy, Outcome, RankedSkill, Reason, Round, TaskAnalysis
from skill_selector.graph.settings import Settings
from skill_selector.retrievers.strategy import Strategy

_LEAST_SCORE = 0.1
"""A score of 0 is never a hit, whatever threshold a user sets."""

_PREFERENCE: dict[Outcome, int] = {"hit": 0, "ambiguous": 1, "no_match": 2}


@dataclass(frozen=True, kw_only=True)
class Bar:
    """What a hit needs: the least score and the least lead over the second, each 0 to 100, and how many are taken."""

    threshold: float
    gap: float
    take: int = 1
    above: bool = False
    """A score must lie above the threshold; to reach it is not enough."""

    @classmethod
    def of(cls, settings: Settings, strategy: Strategy) -> Self:
        """Return the bar of a run; a strategy's own values beat the settings'."""
        return cls(
            threshold=settings.hit_threshold if strategy.threshold is None else strategy.threshold,
            gap=settings.min_gap if strategy.gap is None else strategy.gap,
            take=strategy.take,
            above=strategy.above,
        )

    def passes(self, score: float) -> bool:
        """Say whether a score is enough for a hit."""
        return score > self.threshold if self.above else score >= self.threshold

    def tied(self, ranked: Sequence[RankedSkill]) -> list[RankedSkill]:
        """Return the skills that reach the threshold and lie closer to the best than the gap, best first."""
        if not ranked:
            return []
        near = ranked[0]["score"] - self.gap
        return [one for one in ranked if self.passes(one["score"]) and (one is ranked[0] or one["score"] > near)]


def close_round(
    number: int,
    analysis: TaskAnalysis,
    candidates: Sequence[Candidate],
    ranked: list[RankedSkill],
    bar: Bar,
    *,
    excluded: Sequence[Candidate] = (),
) -> Round:
    """Return the record of a round: what was understood, retrieved and ranked, and what that means.

    hit: the best score reaches the threshold and leads the second by the gap; ambiguous: it reaches the threshold
    only; no_match: it does not (source 000). A single candidate's gap is its score. What the user excluded stands at
    the end of `ranked`, without points.
    """
    top = ranked[0]["score"] if ranked else 0.0
    gap = round(top - (ranked[1]["score"] if len(ranked) > 1 else 0.0), 1)
    outcome, reason = _outcome(candidates, ranked, gap, bar, excluded)
    return {
        "number": number,
        "analysis": analysis,
        "ranked": ranked,
        "outcome": outcome,
        "reason": reason,
        "top_score": top,
        "score_gap": gap,
    }


def _outcome(
    candidates: Sequence[Candidate],
    ranked: Sequence[RankedSkill],
    gap: float,
    bar: Bar,
    excluded: Sequence[Candidate],
) -> tuple[Outcome, Reason]:
    if ranked and ranked[0]["veto"] is None and bar.passes(ranked[0]["score"]) and ranked[0]["score"] >= _LEAST_SCORE:
        return ("hit", "clear_winner") if gap >= bar.gap else ("ambiguous", "gap_too_small")
    if excluded and (not candidates or excluded[0]["score"] > candidates[0]["score"]):
        return "no_match", "vetoed"
    if all(candidate["fallback"] for candidate in candidates):
        return "no_match", "no_overlap"
    if any(one["veto"] for one in ranked if one["skill"]["id"] == candidates[0]["id"]):
        return "no_match", "vetoed"
    return "no_match", "below_threshold"


def best_round(rounds: Sequence[Round]) -> Round:
    """Return the round that stands: a hit before none, then the larger gap, then the earlier."""
    return min(rounds, key=lambda one: (_PREFERENCE[one["outcome"]], -one["score_gap"], one["number"]))


def result_of(best: Round, bar: Bar) -> dict[str, Any]:
    """Return the result keys of the round that stands."""
    ranked = best["ranked"]
    hit = best["outcome"] == "hit"
    chosen = [one["skill"] for one in ranked[: bar.take] if bar.passes(one["score"])] if hit else []
    return {
        **_result(best["outcome"], best["reason"], "score"),
        "best": chosen[0] if chosen else None,
        "skill_path": chosen[0]["path"] if chosen else None,
        "selected": chosen,
        "top_score": best["top_score"],
        "score_gap": best["score_gap"],
        "ranked": ranked,
        "analysis": best["analysis"],
    }


def result_of_human(choice: RankedSkill | None) -> dict[str, Any]:
    """Return the result keys that a human's answer changes; None is 'none of these'."""
    if choice is None:
        return _result("no_match", "declined", "human")
    skill = choice["skill"]
    return {
        **_result("hit", "chosen", "human"),
        "best": skill,
        "skill_path": skill["path"],
        "selected": [skill],
    }


def result_of_call(reason: Reason, ranked: list[RankedSkill]) -> dict[str, Any]:
    """Return the result keys of a task that calls its skill by name: `called`, `ambiguous_call` or `refused_call`."""
    top = ranked[0]["score"]
    outcomes: dict[Reason, Outcome] = {"called": "hit", "ambiguous_call": "ambiguous"}
    chosen = ranked[0]["skill"] if reason == "called" else None
    return {
        **undecided(),
        **_result(outcomes.get(reason, "no_match"), reason, "human"),
        "best": chosen,
        "skill_path": chosen["path"] if chosen else None,
        "selected": [chosen] if chosen else [],
        "top_score": top,
        "score_gap": round(top - (ranked[1]["score"] if len(ranked) > 1 else 0.0), 1),
        "ranked": ranked,
    }


def undecided() -> dict[str, Any]:
    """Return the result keys of a run that is under way."""
    return {
        "outcome": None,
        "hit": False,
        "reason": None,
        "decided_by": None,
        "best": None,
        "skill_path": None,
        "selected": [],
        "top_score": 0.0,
        "score_gap": 0.0,
        "ranked": [],
    }


def nothing_to_choose() -> dict[str, Any]:
    """Return the result keys of a run over folders without a skill that may be chosen."""
    return {**undecided(), **_result("no_match", "empty_catalog", "score")}


def _result(outcome: Outcome, reason: Reason, decided_by: DecidedBy) -> dict[str, Any]:
    return {"outcome": outcome, "hit": outcome == "hit", "reason": reason, "decided_by": decided_by}
