"""From signals to points."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.graph.records import RUBRIC
from skill_selector.reasoners.rubric import CURVES, EVEN, EXCLUDED_MOST, FALLBACK_MOST, points
from skill_selector.reasoners.signals import Signals

NAMES = [one.name for one in fields(Signals)]
PERFECT = Signals(
    **{
        name: 0.0 if name in ("conflict", "exclusion", "claims", "inferred", "other_language") else 1.0
        for name in NAMES
    }
)


def total(signals: Signals, *, matched: bool = True, fallback: bool = False) -> float:
    return sum(points(signals, matched=matched, fallback=fallback).values())


def level() -> Signals:
    """Signals at the level of every curve."""
    found = dict.fromkeys(NAMES, 0.0)
    for curve in CURVES.values():
        found.update({name: even for name, (_, even) in curve.terms.items()})
    return Signals(**found)


def test_even_evidence_gives_sixty() -> None:
    assert points(level(), matched=True, fallback=False) == pytest.approx(
        {part: EVEN * most for part, most in RUBRIC.items()}
    )
    assert total(level()) == pytest.approx(60)


def test_perfect_evidence_comes_near_a_hundred_and_none_near_zero() -> None:
    assert total(PERFECT) > 95
    assert total(Signals(**dict.fromkeys(NAMES, 0.0))) < 25


def test_nothing_in_common_gives_nothing() -> None:
    assert total(level(), matched=False) == 0


@pytest.mark.parametrize(
    "name", ["text_evidence", "lead_cover", "lead_precision", "technology", "text_cover", "keyword_cover", "named"]
)
def test_more_evidence_gives_more_points(name: str) -> None:
    assert total(replace(level(), **{name: 1.0})) > total(level())


@pytest.mark.parametrize("name", ["conflict", "claims", "inferred"])
def test_what_speaks_against_a_skill_takes_points(name: str) -> None:
    assert total(replace(level(), **{name: 1.0})) < total(level()) - 5


def test_a_skill_that_rules_the_task_out_stays_below_sixty() -> None:
    assert total(replace(PERFECT, exclusion=1.0)) == pytest.approx(EXCLUDED_MOST)
    assert EXCLUDED_MOST < 60


def test_a_find_by_substring_stays_below_sixty() -> None:
    assert total(PERFECT, fallback=True) == pytest.approx(FALLBACK_MOST)
    assert FALLBACK_MOST < 60


@given(st.fixed_dictionaries({name: st.floats(0, 1) for name in NAMES}), st.booleans(), st.booleans())
def test_parts_stay_in_their_range(values: dict[str, float], matched: bool, fallback: bool) -> None:
    for part, value in points(Signals(**values), matched=matched, fallback=fallback).items():
        assert 0 <= value <= RUBRIC[part]
