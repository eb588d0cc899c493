"""Several postings as one: what the property tests of the snapshot do not reach."""

import numpy as np
import pytest

from skill_selector.retrievers import merged
from skill_selector.retrievers.merged import MergedPostings, Part, merge
from skill_selector.retrievers.postings import MOST_COUNTED, Postings

LONG = ["pdf"] * (MOST_COUNTED + 5)


def parts() -> list[Part]:
    first = Postings.build([LONG, ["csv"], ["pdf", "k8s"]], 3)
    second = Postings.build([["pdf", "csv"]], 1)
    return [Part(first, np.array([2, -1, 0], dtype=np.int32)), Part(second, np.array([1], dtype=np.int32))]


def scratch() -> Postings:
    return Postings.build([["pdf", "k8s"], ["pdf", "csv"], LONG], 3)


def test_lengths_survive_although_counts_stop() -> None:
    for one in (merge(parts(), 3), MergedPostings(parts(), 3)):
        assert one.lengths.tolist() == [2, 2, MOST_COUNTED + 5]
        assert one.count(2, "pdf") == MOST_COUNTED
        assert one.scores({"pdf": 1, "csv": 2}).tolist() == scratch().scores({"pdf": 1, "csv": 2}).tolist()


def test_a_merged_vocabulary_holds_only_tokens_that_occur() -> None:
    gone = [Part(parts()[0].postings, np.array([0, -1, -1], dtype=np.int32))]
    assert dict(merge(gone, 1).vocabulary) == {"pdf": 0}


def test_nothing_merged_is_nothing() -> None:
    for one in (merge([], 0), MergedPostings([], 0)):
        assert one.size == 0
        assert one.scores({"pdf": 1}).tolist() == []
        assert one.idf("pdf") > 0


def test_what_is_held_ready_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merged, "MOST_HELD", 4)
    postings = MergedPostings(parts(), 3)
    for _ in range(3):
        for token in ("pdf", "csv", "k8s", "none"):
            assert postings.document_frequency(token) == scratch().document_frequency(token)
            assert sum(len(found.documents) + 1 for found in postings._held.values()) <= 4
