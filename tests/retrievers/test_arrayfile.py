"""Which files are merged: what the index's segments and the vectors share."""

import math

from hypothesis import given
from hypothesis import strategies as st

from skill_selector.retrievers.arrayfile import worth_merging


@given(st.lists(st.integers(1, 500), min_size=1, max_size=40))
def test_merging_leaves_few_files_and_writes_no_entry_again_too_often(batches: list[int]) -> None:
    files: list[int] = []
    written = 0
    for size in batches:
        files.append(size)
        chosen = worth_merging([(one, one) for one in files])
        if chosen:
            merged = sum(files[at] for at in chosen)
            files = [one for at, one in enumerate(files) if at not in chosen] + [merged]
            written += merged
    total = sum(batches)
    assert len(files) <= 1 + math.log2(total)
    assert written <= total * (1 + math.log2(total))


def test_one_that_is_too_large_for_the_smaller_ones_does_not_hide_what_lies_behind() -> None:
    # 3 is larger than 1, so that merging from the smallest on would end there; 4 is no larger than 1 + 3
    assert worth_merging([(1, 1), (3, 3), (4, 4)]) == [0, 1, 2]
    assert worth_merging([(1, 1), (3, 3), (9, 9)]) == []


def test_a_file_of_which_less_than_half_counts_is_written_anew() -> None:
    assert worth_merging([(49, 100)]) == [0]
    assert worth_merging([(50, 100)]) == []
    assert worth_merging([]) == []
