"""From signals to points: the rubric of Reason #2, with its limits.

The score is 100 · σ(ln 1.5 + ℓ), where ℓ are the log-odds that this skill fits: 60 where "fits" and "does not fit" are
equally likely. ℓ is a sum of terms, each of which belongs to a part of the rubric; the parts divide the score between
them, each leaning to its own evidence. The constants come from a logistic regression over labelled tasks
(`benchmarks/fit_rubric.py`, with its result beside it), rounded; they are the only thing that a new fit changes.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from skill_selector.graph.records import RUBRIC, Dimension
from skill_selector.reasoners.signals import Signals

Model = Mapping[Dimension, Mapping[str, tuple[float, float]]]
"""For each part its terms: signal name to (weight in log-odds a unit, the level that counts as even).

Besides the signals there are `standing`, and `constant`, which is always 1."""
ModelName = Literal["semantic", "lexical", "plain"]

EVEN = 0.6
"""The share of all points that even evidence gives."""
EVEN_ODDS = math.log(EVEN / (1 - EVEN))
LEAN = 0.5
"""How strongly the share of a part follows the part's own evidence."""
STEADY = 0.0
"""The level of signals that count by themselves."""

SEMANTIC_MODEL: Model = {
    "intent": {"standing": (0.82, 3.3), "inferred": (-1.7, STEADY), "named": (1.5, STEADY), "claims": (-2.0, STEADY)},
    "tech_stack": {
        "lead_precision": (2.3, 0.1),
        "technology": (0.4, 0.5),
        "conflict": (-4.0, STEADY),
        "claims": (-2.0, STEADY),
    },
    "constraints": {"glossed_text": (2.0, 0.23)},
    "keywords": {"glossed_text": (1.0, 0.23)},
}
"""Where a semantic route has a say in `standing`."""

LEXICAL_MODEL: Model = {
    "intent": {"standing": (0.34, 8.2), "inferred": (-2.1, STEADY), "named": (1.5, STEADY), "claims": (-2.0, STEADY)},
    "tech_stack": {
        "lead_precision": (4.1, 0.1),
        "technology": (0.6, 0.5),
        "conflict": (-4.0, STEADY),
        "claims": (-2.0, STEADY),
    },
    "constraints": {"glossed_text": (1.4, 0.3)},
    "keywords": {"glossed_text": (0.7, 0.3)},
}
"""Where it has none. Intent asks how far the skill stands out from the whole catalogue; tech stack, whether it is about
this subject and stack; constraints and keywords, how much of the request it speaks of, in either language."""

PLAIN_MODEL: Model = {
    "intent": {
        "text_evidence": (2.5, 0.5),
        "inferred": (-1.7, STEADY),
        "named": (1.5, STEADY),
        "claims": (-2.0, STEADY),
    },
    "tech_stack": {
        "lead_precision": (5.3, 0.13),
        "technology": (0.3, 0.5),
        "conflict": (-3.2, STEADY),
        "claims": (-2.0, STEADY),
    },
    "constraints": {"glossed_text": (4.5, 0.4)},
    "keywords": {"glossed_text": (2.3, 0.4)},
}
"""Where candidates have no standing: intent then asks how much telling substance the skill's text shares."""

MODELS: Mapping[ModelName, Model] = MappingProxyType(
    {"semantic": SEMANTIC_MODEL, "lexical": LEXICAL_MODEL, "plain": PLAIN_MODEL}
)
"""Those that are shipped, by name; a calibration puts its own in the place of one."""

EXCLUSION_COVER = 0.6
"""From this `exclusion` on, the skill's own words rule the task out."""
EXCLUDED_MOST, FALLBACK_MOST = 40.0, 50.0
"""The highest total of a skill that rules the task out, and of one found by substring only."""


def points(
    signals: Signals,
    *,
    matched: bool,
    fallback: bool,
    standing: float | None = None,
    semantic: bool = False,
    models: Mapping[ModelName, Model] = MODELS,
) -> dict[Dimension, float]:
    """Return the points of each part, 0 to its maximum in `RUBRIC`.

    Args:
        signals: what was measured.
        matched: the skill's text holds anything of the task.
        fallback: it was found by substring only.
        standing: that of the candidate, where its strategy's scores can be compared with those of the fit.
        semantic: vectors have a say in it.
        models: the weights by model.
    """
    most = most_points(signals, matched=matched, fallback=fallback)
    if not most:
        return dict.fromkeys(RUBRIC, 0.0)
    found = evidence(signals.as_dict(), standing, models[model_name(standing, semantic=semantic)])
    return divide(min(score_of(math.fsum(found.values())), most), found)


def most_points(signals: Signals, *, matched: bool, fallback: bool) -> float:
    """Return the highest total that a skill may get, whatever speaks for it."""
    if not matched:
        return 0.0
    return min(
        EXCLUDED_MOST if signals.exclusion >= EXCLUSION_COVER else 100.0,
        FALLBACK_MOST if fallback else 100.0,
    )


def model_name(standing: float | None, *, semantic: bool) -> ModelName:
    """Return which model scores a candidate."""
    return "plain" if standing is None else "semantic" if semantic else "lexical"


def evidence(signals: Mapping[str, float], standing: float | None, model: Model) -> dict[Dimension, float]:
    """Return the log-odds that each part adds; their sum is ℓ."""
    values = {**signals, "constant": 1.0} | ({} if standing is None else {"standing": standing})
    return {
        part: math.fsum(weight * (values[name] - level) for name, (weight, level) in terms.items())
        for part, terms in model.items()
    }


def score_of(log_odds: float) -> float:
    """Return the score of log-odds, 0 to 100; 60 where they are 0."""
    return 100 * sigmoid(EVEN_ODDS + log_odds)


def divide(total: float, parts: Mapping[Dimension, float]) -> dict[Dimension, float]:
    """Return the points of each part, which add up to the total.

    A part with more evidence than its share of the rubric gets a larger share of its points, another one a smaller.
    """
    whole = math.fsum(parts.values())
    lean = {part: LEAN * (own - RUBRIC[part] / 100 * whole) for part, own in parts.items()}

    def at(shift: float) -> dict[Dimension, float]:
        return {part: RUBRIC[part] * sigmoid(shift + lean[part]) for part in parts}

    low, high = -100.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if math.fsum(at(middle).values()) < total else (low, middle)
    return at((low + high) / 2)


def sigmoid(value: float) -> float:
    """Return 1 / (1 + e^-value)."""
    return 1 / (1 + math.exp(-max(-200.0, min(200.0, value))))
