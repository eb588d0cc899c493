import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.retrievers.standing import CHANCE, PRIOR, PRIOR_SEMANTIC, Standing, smoothed_moments


@given(st.lists(st.floats(0, 10, width=32), max_size=50), st.floats(0, 1), st.floats(0.1, 1))
def test_moments_are_those_of_the_scores_and_the_prior_together(
    scores: list[float], mean: float, spread: float
) -> None:
    half = 50
    everything = np.array([*scores, *[mean - spread] * half, *[mean + spread] * half])

    found = smoothed_moments(np.array(scores, dtype=np.float32), 2 * half, mean, spread)

    assert found == pytest.approx((everything.mean(), everything.std()), rel=1e-3, abs=1e-4)


def test_without_skills_the_prior_stands() -> None:
    assert smoothed_moments(np.empty(0, dtype=np.float32), *PRIOR) == pytest.approx(PRIOR[1:])


def test_a_score_stands_by_spreads_above_the_mean_less_the_chance_of_many() -> None:
    # Two scores of 1 and 3, no prior: mean 2, spread 1; ln 2 = 0.693.
    standing = Standing.among(np.array([1.0, 3.0], dtype=np.float32), (0, 0.0, 0.0))

    assert standing.of(4.0) == pytest.approx(2.0 - 0.6 * 0.6931, abs=1e-3)
    assert CHANCE == 0.6


def test_one_fitting_skill_among_few_stands_as_high_as_among_many() -> None:
    chance = np.random.default_rng(0)

    def standing(size: int, fit: float) -> float:
        scores = np.append(np.abs(chance.normal(0.8, 0.55, size - 1)), fit).astype(np.float32)
        return Standing.among(scores, PRIOR_SEMANTIC).of(fit)

    found = [standing(size, 8.0) for size in (10, 100, 1000, 10_000)]
    assert max(found) - min(found) < 3
    assert min(found) > 3.3
    assert standing(10_000, 3.0) < standing(10, 3.0)


def test_an_empty_catalogue_has_a_standing_too() -> None:
    assert Standing.among(np.empty(0, dtype=np.float32), PRIOR).of(0.2) == pytest.approx(0.0)
