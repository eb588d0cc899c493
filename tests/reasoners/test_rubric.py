"""From signals to points."""

import math
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.graph.records import RUBRIC, Dimension
from skill_selector.reasoners.rubric import (
    EVEN,
    EXCLUDED_MOST,
    FALLBACK_MOST,
    LEXICAL_MODEL,
    PLAIN_MODEL,
    SEMANTIC_MODEL,
    Model,
    divide,
    evidence,
    points,
)
from skill_selector.reasoners.signals import Signals

NAMES = [one.name for one in fields(Signals)]
AGAINST = ("conflict", "exclusion", "claims", "inferred", "other_language")
PERFECT = Signals(**{name: 0.0 if name in AGAINST else 1.0 for name in NAMES})
NOTHING = Signals(**dict.fromkeys(NAMES, 0.0))
MODELS = pytest.mark.parametrize(
    "model", [LEXICAL_MODEL, SEMANTIC_MODEL, PLAIN_MODEL], ids=["lexical", "semantic", "plain"]
)
ANY_SIGNALS = st.fixed_dictionaries({name: st.floats(0, 1) for name in NAMES})


def total(signals: Signals, standing: float | None = None, model: Model = PLAIN_MODEL, **more: bool) -> float:
    options: dict[str, Any] = {"matched": True, "fallback": False, "semantic": model is SEMANTIC_MODEL} | more
    return math.fsum(points(signals, standing=standing, **options).values())


def level(model: Model = PLAIN_MODEL) -> Signals:
    """Signals at the level of every term."""
    levels = {name: even for terms in model.values() for name, (_, even) in terms.items() if name in NAMES}
    return Signals(**dict.fromkeys(NAMES, 0.0) | levels)


def even_standing(model: Model) -> float | None:
    return model["intent"]["standing"][1] if "standing" in model["intent"] else None


@MODELS
def test_even_evidence_gives_sixty_to_each_part_its_share(model: Model) -> None:
    standing, semantic = even_standing(model), model is SEMANTIC_MODEL
    found = points(level(model), matched=True, fallback=False, standing=standing, semantic=semantic)

    assert found == pytest.approx({part: EVEN * most for part, most in RUBRIC.items()})


@MODELS
def test_perfect_evidence_comes_near_a_hundred_and_none_near_zero(model: Model) -> None:
    even = even_standing(model)

    assert total(PERFECT, None if even is None else 2 * even, model) > 95
    assert total(NOTHING, None if even is None else 0.0, model) < 5


def test_nothing_in_common_gives_nothing() -> None:
    assert total(level(), matched=False) == 0


@pytest.mark.parametrize("name", ["glossed_text", "lead_precision", "technology", "named"])
def test_more_evidence_gives_more_points(name: str) -> None:
    assert total(replace(level(), **{name: 1.0})) > total(level())


@pytest.mark.parametrize("model", [LEXICAL_MODEL, SEMANTIC_MODEL], ids=["lexical", "semantic"])
def test_a_skill_that_stands_out_further_gets_more_points(model: Model) -> None:
    scores = [total(level(model), standing, model) for standing in (0.0, 5.0, 10.0, 20.0)]

    assert scores == sorted(scores)
    assert scores[0] < scores[-1] - 20


@pytest.mark.parametrize("name", ["conflict", "claims", "inferred"])
def test_what_speaks_against_a_skill_takes_points(name: str) -> None:
    assert total(replace(level(), **{name: 1.0})) < total(level()) - 5


def test_a_skill_that_rules_the_task_out_stays_below_sixty() -> None:
    assert total(replace(PERFECT, exclusion=1.0), 40.0) == pytest.approx(EXCLUDED_MOST)
    assert EXCLUDED_MOST < 60


def test_a_find_by_substring_stays_below_sixty() -> None:
    assert total(PERFECT, 40.0, fallback=True) == pytest.approx(FALLBACK_MOST)
    assert FALLBACK_MOST < 60


def test_the_score_is_the_probability_of_the_log_odds_shifted_to_sixty() -> None:
    signals = replace(level(LEXICAL_MODEL), glossed_text=0.5)
    log_odds = sum(evidence(signals.as_dict(), 20.0, LEXICAL_MODEL).values())

    # Worked by hand: 0.34 x (20 - 8.2) + (1.4 + 0.7) x (0.5 - 0.3) = 4.432.
    assert log_odds == pytest.approx(4.432)
    assert total(signals, 20.0, LEXICAL_MODEL) == pytest.approx(100 / (1 + math.exp(-(math.log(1.5) + 4.432))))


def test_the_part_with_the_evidence_gets_the_larger_share() -> None:
    strong = points(replace(level(), lead_precision=1.0), matched=True, fallback=False)
    shares = {part: strong[part] / most for part, most in RUBRIC.items()}

    assert max(shares, key=lambda part: shares[part]) == "tech_stack"


@given(ANY_SIGNALS, st.floats(-5, 60), st.booleans(), st.booleans(), st.booleans())
def test_parts_stay_in_their_range(
    values: dict[str, float], standing: float, matched: bool, fallback: bool, semantic: bool
) -> None:
    found = points(Signals(**values), matched=matched, fallback=fallback, standing=standing, semantic=semantic)

    for part, value in found.items():
        assert 0 <= value <= RUBRIC[part]


@given(st.floats(0, 100), st.fixed_dictionaries({part: st.floats(-30, 30) for part in RUBRIC}))
def test_parts_add_up_to_the_score(score: float, parts: dict[Dimension, float]) -> None:
    assert sum(divide(score, parts).values()) == pytest.approx(score, abs=1e-6)
