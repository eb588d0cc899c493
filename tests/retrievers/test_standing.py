import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.retrievers.standing import PRIOR, smoothed_moments


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
