"""From signals to points: the rubric of Reason #2, with its vetoes and limits.

Each part is a logistic curve of the evidence that belongs to it, and gives 60 % of its points where that evidence makes
"fits" and "does not fit" equally likely; so the sum is 60 there too. The constants come from a logistic regression over
labelled tasks, rounded; they are the only thing that a new fit changes.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from skill_selector.graph.records import RUBRIC, Dimension
from skill_selector.reasoners.signals import Signals


@dataclass(frozen=True, slots=True)
class Curve:
    """How a part of the rubric follows its evidence: signal by signal, a weight and the level that counts as even."""

    terms: Mapping[str, tuple[float, float]]
    """Signal name to (weight in log-odds a unit, level)."""

    def share(self, values: Mapping[str, float]) -> float:
        """Return the share of the part's points, 0 to 1."""
        evidence = sum(weight * (values[name] - level) for name, (weight, level) in self.terms.items())
        return 1 / (1 + math.exp(-(EVEN_ODDS + evidence)))


EVEN = 0.6
"""The share of its points that a part gives where the evidence is even."""
EVEN_ODDS = math.log(EVEN / (1 - EVEN))

CURVES: dict[Dimension, Curve] = {
    "intent": Curve(
        {
            "text_evidence": (13.0, 0.49),
            "lead_cover": (3.0, 0.1),
            "named": (2.5, 0.0),
            "actions": (0.5, 0.5),
            "inferred": (-3.0, 0.0),
            "claims": (-2.0, 0.0),
        }
    ),
    "tech_stack": Curve(
        {"lead_precision": (11.0, 0.08), "technology": (1.3, 0.5), "conflict": (-5.0, 0.0), "claims": (-2.0, 0.0)}
    ),
    "constraints": Curve({"text_cover": (20.0, 0.24), "constraints": (1.0, 0.5)}),
    "keywords": Curve({"keyword_cover": (8.0, 0.12)}),
}
"""Intent asks how much telling substance of the request the skill's text speaks of; tech stack, whether the skill is
about this subject and stack; constraints, how much of the request it covers, details included; keywords, what its name
and description hold of them."""

EXCLUSION_COVER = 0.6
"""From this `exclusion` on, the skill's own words rule the task out."""
EXCLUDED_MOST, FALLBACK_MOST = 40.0, 50.0
"""The highest total of a skill that rules the task out, and of one found by substring only."""


def points(signals: Signals, *, matched: bool, fallback: bool) -> dict[Dimension, float]:
    """Return the points of each part, 0 to its maximum in `RUBRIC`.

    Args:
        signals: what was measured.
        matched: the skill's text holds anything of the task.
        fallback: it was found by substring only.
    """
    if not matched:
        return dict.fromkeys(RUBRIC, 0.0)
    values = signals.as_dict()
    found = {part: RUBRIC[part] * curve.share(values) for part, curve in CURVES.items()}
    most = sum(RUBRIC.values())
    if signals.exclusion >= EXCLUSION_COVER:
        most = min(most, EXCLUDED_MOST)
    if fallback:
        most = min(most, FALLBACK_MOST)
    total = sum(found.values())
    return {part: value * most / total for part, value in found.items()} if total > most else found
