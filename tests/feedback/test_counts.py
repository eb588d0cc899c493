import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.feedback.counts import Counts, Subject


def test_without_a_prior_it_is_positive_by_injected_and_one_half_when_unknown() -> None:
    assert Counts(injected=8, good=6).effectiveness() == 6 / 8
    assert Counts(injected=4, good=0, bad=1).effectiveness() == 0
    assert Counts().effectiveness() == 0.5


def test_a_prior_of_four_adds_two_good_and_two_other_uses() -> None:
    assert Counts(injected=1, bad=1).effectiveness(4) == pytest.approx((0 + 2) / (1 + 4))
    assert Counts(injected=1, good=1).effectiveness(4) == pytest.approx(3 / 5)
    assert Counts(injected=96, good=72).effectiveness(4) == pytest.approx(74 / 100)
    assert Counts().effectiveness(4) == 0.5


def test_feedback_on_uses_that_nobody_counted_makes_up_for_them() -> None:
    assert Counts(good=3, bad=1).effectiveness() == 3 / 4
    assert Counts(injected=2, good=3).effectiveness() == 1


counts = st.builds(Counts, injected=st.integers(0, 10**6), good=st.integers(0, 10**6), bad=st.integers(0, 10**6))


@given(counts, st.floats(0, 1000))
def test_effectiveness_is_a_share_and_good_feedback_never_lowers_it(one: Counts, prior: float) -> None:
    better = Counts(injected=one.injected, good=one.good + 1, bad=one.bad)
    assert 0 <= one.effectiveness(prior) <= 1
    assert better.effectiveness(prior) >= one.effectiveness(prior) - 1e-12 or one == Counts()


def test_a_subject_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="names"):
        Subject(kind="skill", names=())
    with pytest.raises(ValueError, match="names"):
        Subject(kind="skill", names=("",))
