"""Fusion: the weighted mean of the routes, with worked numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.compiler.fusion import fuse, weighed
from skill_selector.compiler.strategy import strategy_table
from skill_selector.knowledge.search import Hit

SQL = strategy_table()["data_query"].routes


def test_source_002s_example_a_b_c_by_hand() -> None:
    hits = {
        "tags": [Hit("example", 0.9), Hit("pattern", 0.45)],
        "keywords": [Hit("pattern", 0.6), Hit("tutorial", 0.3)],
        "names": [Hit("schema", 1.0), Hit("example", 0.5)],
    }
    fused = {one["id"]: one["score"] for one in fuse(hits, SQL)}
    # each route by its best; A 0.4, B 0.4, C 0.2
    assert fused["pattern"] == pytest.approx(0.4 * 0.45 / 0.9 + 0.4 * 1)
    assert fused["example"] == pytest.approx(0.4 * 1 + 0.2 * 0.5)
    assert fused["schema"] == pytest.approx(0.2)
    assert fused["tutorial"] == pytest.approx(0.4 * 0.3 / 0.6)
    assert list(fused) == ["pattern", "example", "tutorial", "schema"]  # a tie: the earlier route first


def test_a_route_that_is_missing_leaves_the_proportions_of_the_others() -> None:
    hits = {"tags": [Hit("a", 1.0)], "names": [Hit("b", 1.0)]}
    fused = {one["id"]: one["score"] for one in fuse(hits, SQL)}
    assert fused == {"a": pytest.approx(0.4 / 0.6, abs=1e-5), "b": pytest.approx(0.2 / 0.6, abs=1e-5)}


def test_a_route_that_answered_with_nothing_counts_as_zero() -> None:
    assert fuse({"tags": [Hit("a", 0.7)], "keywords": []}, SQL)[0]["score"] == pytest.approx(0.5)
    assert fuse({}, SQL) == []


def test_each_route_shows_what_it_gave() -> None:
    [one] = fuse({"tags": [Hit("a", 0.8)], "names": [Hit("a", 0.2)]}, SQL)
    assert one["routes"] == {"tags": 1.0, "names": 1.0}


def test_what_was_learnt_raises_and_lowers() -> None:
    fused = fuse({"tags": [Hit("a", 1.0), Hit("b", 0.8), Hit("c", 0.5)]}, {"tags": 1})
    changed = {one["id"]: one["score"] for one in weighed(fused, {"a": 0.5, "b": 9, "c": -1})}
    assert changed == {"b": 1.0, "a": 0.5, "c": 0.0}
    assert list(changed) == ["b", "a", "c"]


@given(
    st.dictionaries(
        st.sampled_from(["tags", "keywords", "names"]),
        st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0.001, 1)), unique_by=lambda pair: pair[0]),
    )
)
def test_scores_lie_between_0_and_1_in_descending_order(found: dict[str, list[tuple[str, float]]]) -> None:
    scores = [one["score"] for one in fuse({name: [Hit(*one) for one in hits] for name, hits in found.items()}, SQL)]
    assert all(0 < score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
