"""The index's arithmetic, against rank_bm25 with the one formula replaced that it gets wrong on small folders."""

from collections.abc import Sequence
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from skill_selector.retrievers.postings import MOST_COUNTED, Postings

Documents = list[list[str]]

# Words that are tokens as they stand, so that the oracle sees what the index sees.
TOKENS = ["k8s", "pdf", "csv", "c++", "数据"]
documents = st.lists(st.lists(st.sampled_from(TOKENS), max_size=12), max_size=8)
queries = st.dictionaries(st.sampled_from([*TOKENS, "r"]), st.integers(1, 5), max_size=6)


def build(texts: Documents) -> Postings:
    return Postings.build(texts, len(texts))


def oracle(texts: Documents, query: dict[str, int]) -> Sequence[float]:
    okapi = BM25Okapi(texts, k1=1.5, b=0.75)
    for token in okapi.idf:
        found = sum(token in text for text in texts)
        okapi.idf[token] = log(1 + (len(texts) - found + 0.5) / (found + 0.5))
    scores: Sequence[float] = okapi.get_scores([token for token, times in query.items() for _ in range(times)])
    return scores


@given(documents.filter(any), queries)
def test_scores_equal_those_of_rank_bm25_with_an_idf_above_zero(texts: Documents, query: dict[str, int]) -> None:
    assert build(texts).scores(query) == pytest.approx(oracle(texts, query), rel=1e-5, abs=1e-6)


@given(documents, queries)
def test_a_document_scores_above_zero_exactly_when_it_overlaps_the_query(
    texts: Documents, query: dict[str, int]
) -> None:
    postings = build(texts)
    overlap = postings.overlap(query)

    assert overlap.tolist() == [bool(set(text) & set(query)) for text in texts]
    assert (postings.scores(query) > 0).tolist() == overlap.tolist()


@given(documents)
def test_counts_and_frequencies_are_those_of_the_texts(texts: Documents) -> None:
    postings = build(texts)

    for token in TOKENS:
        assert postings.document_frequency(token) == sum(token in text for text in texts)
        assert [postings.count(at, token) for at in range(len(texts))] == [text.count(token) for text in texts]
    assert postings.lengths.tolist() == [len(text) for text in texts]


@pytest.mark.parametrize(
    ("texts", "plain"),
    [
        ([["pdf", "merge"]], [-0.275]),
        ([["pdf", "merge"], ["csv", "chart"]], [0.0, 0.0]),
        ([["pdf", "merge"], ["pdf", "merge"], ["pdf", "merge"]], [-0.487, -0.487, -0.487]),
    ],
)
def test_a_match_scores_above_zero_where_plain_rank_bm25_does_not(texts: Documents, plain: list[float]) -> None:
    assert BM25Okapi(texts).get_scores(["pdf"]) == pytest.approx(plain, abs=1e-3)

    scores = build(texts).scores({"pdf": 1})

    assert (scores > 0).tolist() == ["pdf" in text for text in texts]


def test_worked_scores_of_one_two_and_three_documents() -> None:
    # All documents are of average length, so that one occurrence weighs 1 * 2.5 / (1 + 1.5) = 1 times the IDF.
    assert build([["pdf", "k8s"]]).scores({"pdf": 1}) == pytest.approx([log(1 + 0.5 / 1.5)])
    assert build([["pdf"], ["csv"]]).scores({"pdf": 1}) == pytest.approx([log(2), 0])
    assert build([["pdf"], ["csv"], ["c++"]]).scores({"pdf": 1}) == pytest.approx([log(1 + 2.5 / 1.5), 0, 0])


def test_a_token_counts_by_its_weight() -> None:
    postings = build([["pdf", "csv"], ["csv"]])

    assert postings.scores({"pdf": 3}) == pytest.approx(3 * postings.scores({"pdf": 1}))


@pytest.mark.parametrize("texts", [[], [[]], [[], [], []]])
def test_nothing_to_index_is_no_error(texts: Documents) -> None:
    postings = build(texts)

    assert postings.scores({"pdf": 1}).tolist() == [0.0] * len(texts)
    assert postings.overlap(["pdf"]).tolist() == [False] * len(texts)
    assert postings.idf("pdf") > 0


def test_an_empty_document_among_others_scores_nothing() -> None:
    assert build([["pdf"], [], ["pdf", "csv"]]).scores({"pdf": 1})[1] == 0


def test_a_rarer_token_weighs_more_and_an_unknown_one_most() -> None:
    postings = build([["pdf", "csv"], ["pdf"], ["pdf", "k8s"]])

    assert postings.idf("pdf") < postings.idf("csv") < postings.idf("r")


def test_a_compound_counts_as_itself_and_as_its_parts() -> None:
    postings = build([["node.js", "node"], ["js"]])

    assert [postings.count(0, token) for token in ("node.js", "node", "js")] == [1, 2, 1]
    assert postings.document_frequency("js") == 2
    assert postings.lengths.tolist() == [4, 1]


def test_more_occurrences_than_the_counts_hold_are_no_overflow() -> None:
    postings = build([["pdf"] * (MOST_COUNTED + 5), ["pdf"]])

    assert postings.count(0, "pdf") == MOST_COUNTED
    assert postings.lengths[0] == MOST_COUNTED + 5


def test_progress_ends_with_all_documents() -> None:
    seen: list[tuple[int, int]] = []
    Postings.build([["pdf"]] * 300, 300, lambda done, size: seen.append((done, size)))

    assert seen == [(256, 300), (300, 300)]


def test_arrays_are_plain_and_typed_so_that_they_can_be_mapped_from_a_file() -> None:
    postings = build([["pdf", "csv"], ["csv"]])
    arrays = (postings.offsets, postings.documents, postings.counts, postings.impacts, postings.lengths)

    assert [one.dtype for one in arrays] == [np.int64, np.int32, np.uint16, np.float32, np.int32]
    assert all(type(one) is np.ndarray and one.ndim == 1 for one in arrays)
