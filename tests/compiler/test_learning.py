"""What outcomes say of chunks."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.compiler.fusion import fuse, weighed
from skill_selector.compiler.learning import CHUNK, LearntWeights, chunk_subject, weight_of
from skill_selector.feedback.counts import Counts
from skill_selector.feedback.sqlite import SqliteFeedback
from skill_selector.feedback.store import FeedbackStore
from skill_selector.knowledge.search import Hit


@pytest.fixture
def store(tmp_path: Path) -> FeedbackStore:
    return SqliteFeedback(tmp_path / "own.sqlite")


@pytest.mark.parametrize(
    ("good", "bad", "weight"),
    [
        (0, 0, 1.0),
        (1, 0, 1.1),  # 1 + 0.5 × 1 / (1 + 4)
        (0, 1, 0.9),
        (4, 4, 1.0),  # what was bad four times is back once it was good four times
        (4, 0, 1.25),  # 1 + 0.5 × 4 / 8
        (3, 1, 1.125),  # 1 + 0.5 × 2 / 8
        (0, 16, 0.6),  # 1 - 0.5 × 16 / 20
    ],
)
def test_the_rule_by_hand(good: int, bad: int, weight: float) -> None:
    assert weight_of(Counts(injected=50, good=good, bad=bad)) == pytest.approx(weight)


def test_the_rule_is_the_effectiveness_under_the_same_prior() -> None:
    counts = Counts(injected=5, good=4, bad=1)
    assert weight_of(counts, 4, 0.5) == pytest.approx(1 + 0.5 * (2 * counts.effectiveness(4) - 1))


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0, 100), st.floats(0, 0.9))
def test_a_weight_is_bounded_and_one_more_good_judgement_never_lowers_it(
    good: int, bad: int, prior: float, shift: float
) -> None:
    weight = weight_of(Counts(good=good, bad=bad), prior, shift)
    assert 1 - shift <= weight <= 1 + shift
    assert weight_of(Counts(good=good + 1, bad=bad), prior, shift) >= weight
    assert weight_of(Counts(good=good, bad=bad), prior, 0) == 1


def test_without_a_prior_one_judgement_is_believed_whole() -> None:
    assert weight_of(Counts(good=1), prior=0) == 1.5


def test_what_helps_one_skill_says_nothing_for_another(store: FeedbackStore) -> None:
    store.count([chunk_subject("a.b", "docs.md#1")], good=4)
    weights = LearntWeights(store)
    assert weights("a.b", ["docs.md#1", "docs.md#2"]) == {"docs.md#1": 1.25}
    assert weights("a.c", ["docs.md#1"]) == {}


def test_the_digest_follows_the_counts_and_the_rule(store: FeedbackStore) -> None:
    weights = LearntWeights(store)
    assert weights.digest == ""
    store.count([chunk_subject("a.b", "x")], good=1)
    first = weights.digest
    store.count([chunk_subject("a.b", "x")], injected=1)
    assert weights.digest == first
    store.count([chunk_subject("a.b", "x")], bad=1)
    assert len({"", first, weights.digest, LearntWeights(store, prior=1).digest}) == 4
    assert store.counts(CHUNK)["a.b x"] == Counts(injected=1, good=1, bad=1)


def test_a_shift_of_nothing_reads_nothing(tmp_path: Path) -> None:
    broken = tmp_path / "no database"
    broken.write_bytes(b"no database" * 100)
    weights = LearntWeights(SqliteFeedback(broken), shift=0)
    assert weights("a.b", ["x"]) == {}
    assert weights.digest == ""


def test_fused_scores_keep_what_they_were_before_weighing() -> None:
    [one, other] = weighed(fuse({"tags": [Hit("a", 1.0), Hit("b", 0.8)]}, {"tags": 1}), {"b": 0.5})
    assert (other["id"], other["score"], other.get("unweighed"), other.get("weight")) == ("b", 0.4, 0.8, 0.5)
    assert "weight" not in one
