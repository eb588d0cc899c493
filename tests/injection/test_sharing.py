"""Fair shares."""

from hypothesis import given
from hypothesis import strategies as st

from skill_selector.injection.sharing import fair_share


def test_what_short_texts_leave_goes_to_the_longer_ones() -> None:
    assert fair_share([10, 100, 100], 110) == 50
    assert fair_share([10, 20, 30], 60) == 30
    assert fair_share([], 10) == 0


@given(st.lists(st.integers(0, 1000), max_size=20), st.integers(0, 5000))
def test_the_share_fits_and_one_more_would_not(lengths: list[int], room: int) -> None:
    share = fair_share(lengths, room)
    assert sum(min(length, share) for length in lengths) <= room
    if share < max(lengths, default=0):
        assert sum(min(length, share + 1) for length in lengths) > room
