"""The result of a selection, as Python, JSON and notebooks see it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from skill_selector.graph.records import (
    CatalogSummary,
    DecidedBy,
    Degradation,
    Outcome,
    RankedSkill,
    Reason,
    SkillRef,
    TaskAnalysis,
    TraceEntry,
)
from skill_selector.prompts.fencing import clean

REASONS: dict[Reason, str] = {
    "clear_winner": "it reaches the threshold and leads the second by enough",
    "gap_too_small": "several skills reach the threshold and lie too close together",
    "below_threshold": "no skill scores high enough for this task",
    "no_overlap": "no skill shares a word with this task",
    "vetoed": "the nearest skill is ruled out, by the task, by itself or by its platform",
    "empty_catalog": "there is no skill that could be chosen",
    "chosen": "a human chose it",
    "declined": "a human chose none of the candidates",
    "called": "the task calls it by its name",
    "ambiguous_call": "several skills have the name that the task calls",
    "refused_call": "its author lets nobody call it by name",
}
"""Each reason code in words."""

FLAGS = {
    "claims_everything": "claims to serve every task",
    "instructs_reader": "gives orders to whoever chooses",
    "closes_block": "holds marks that prompts are divided by",
    "hidden_text": "hides text in invisible characters",
}
"""Each flag of a skill in words."""


def flagged(one: RankedSkill) -> str:
    """Return the flags of a candidate in words, to stand behind its reason; empty where it has none."""
    flags = one.get("flags")
    return f" [its text {', '.join(FLAGS.get(flag, flag) for flag in flags)}]" if flags else ""


@dataclass(frozen=True, kw_only=True)
class SkillSelection:
    """Which skill fits the task, and why. Every value is plain JSON.

    `best`, `skill_path` and `selected` are empty unless `outcome` is "hit". `ranked` is best first, scores 0 to 100.
    """

    outcome: Outcome
    hit: bool
    reason: Reason
    decided_by: DecidedBy
    best: SkillRef | None
    skill_path: str | None
    selected: list[SkillRef]
    top_score: float
    score_gap: float
    ranked: list[RankedSkill]
    analysis: TaskAnalysis | None
    catalog: CatalogSummary
    degraded: list[Degradation]
    trace: list[TraceEntry]

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "SkillSelection":
        """Return the selection that a graph run ended with.

        Raises:
            KeyError: the run has not ended yet.
        """
        names = [one.name for one in fields(cls) if one.name != "trace"]
        return cls(**{name: state[name] for name in names}, trace=state["selector_trace"])

    def to_dict(self) -> dict[str, Any]:
        """Return the selection as a JSON object, with the keys of `select --json`."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def thresholds(self) -> dict[str, float] | None:
        """The least `score` of a hit and its least `gap` to the second; None where nothing was ranked."""
        ranks = [entry["input"] for entry in self.trace if entry["step"] == "rank"]
        return {"score": ranks[-1]["threshold"], "gap": ranks[-1]["gap"]} if ranks else None

    @property
    def chosen(self) -> list[str]:
        """The ids of what was chosen: all of a hit, those that tie where several fit equally, else none."""
        if self.outcome != "ambiguous" or self.thresholds is None:
            return [skill["id"] for skill in self.selected]
        from skill_selector.nodes.decision import Bar  # noqa: PLC0415 - loaded with the graph

        bar = Bar(threshold=self.thresholds["score"], gap=self.thresholds["gap"])
        return [one["skill"]["id"] for one in bar.tied(self.ranked)]

    @property
    def headline(self) -> str:
        """The outcome in one line."""
        if self.reason in {"empty_catalog", "called", "ambiguous_call", "refused_call"}:
            return self._without_scores()
        if self.best and self.decided_by == "human":
            score = next(one["score"] for one in self.ranked if one["skill"]["id"] == self.best["id"])
            return f"{self.best['name']}: score {score:g}, chosen by a human"
        if self.reason == "declined":
            return f"no skill chosen: a human declined (best score {self.top_score:g})"
        if self.best:
            return f"{self.best['name']}: score {self.top_score:g}, {self.score_gap:g} ahead of the next"
        if self.outcome == "ambiguous":
            names = " or ".join(one["skill"]["name"] for one in self.ranked[:2])
            return f"ambiguous: {names}, {self.score_gap:g} apart at {self.top_score:g}"
        return f"no skill fits (best score {self.top_score:g})"

    def _without_scores(self) -> str:
        where = ", ".join(self.catalog["roots"])
        names = [one["skill"]["name"] for one in self.ranked]
        if self.reason == "called":
            return f"{names[0]}: called by its name"
        if self.reason == "ambiguous_call":
            return f"ambiguous: {' or '.join(one['skill']['id'] for one in self.ranked)} may be meant"
        if self.reason == "refused_call":
            return f"no skill chosen: {names[0]} cannot be called"
        if not self.catalog["count"]:
            return f"no skills found in {where}"
        return f"no skill to choose in {where}: each of its {self.catalog['count']} waits to be called by its name"

    def __str__(self) -> str:
        lines = [self.headline, f"  why: {REASONS[self.reason]}"]
        if self.skill_path:
            lines.append(f"  path: {self.skill_path}")
        lines += [f"  {one['score']:5.1f}  {one['skill']['id']}  {one['reason']}{flagged(one)}" for one in self.ranked]
        lines += [f"  note: {one['what']} failed ({one['why']}); used {one['instead']}" for one in self.degraded]
        # names and reasons are a stranger's: they shall neither steer the terminal nor pass for a line of ours
        return "\n".join(" ".join(clean(line).splitlines()) for line in lines)

    def _repr_html_(self) -> str:
        from skill_selector.html import render_selection  # noqa: PLC0415 - only notebooks need it

        return render_selection(self)
