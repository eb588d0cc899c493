import asyncio
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.callbacks import BaseCallbackHandler, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from numpy.typing import NDArray

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import RetrieverError
from skill_selector.retrievers.fusion import ScoreFusionRetriever
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.routes import Route

SKILLS = [Skill(id=f"s{at}", name=f"s{at}", description="", path="", file="", root="", digest="") for at in range(6)]
INDEX = SkillIndex(SKILLS)


class Foreign(BaseRetriever):
    """Somebody's retriever: documents as they are, in their order."""

    documents: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return self.documents


class Fixed(Route):
    """Scores as given."""

    given: list[float]

    def measure(self) -> NDArray[np.float32]:
        return np.array(self.given, dtype=np.float32)


def fixed(name: str, *given: float, limit: int = 200) -> Fixed:
    return Fixed(name=name, index=INDEX, given=[*given, *[0.0] * (len(SKILLS) - len(given))], limit=limit)


def foreign(name: str, *pairs: tuple[str, Any]) -> Foreign:
    documents = [
        Document(page_content=key, metadata={"id": key} if score is None else {"id": key, "score": score})
        for key, score in pairs
    ]
    return Foreign(name=name, documents=documents)


def fuse(retrievers: list[Any], weights: list[float], **more: Any) -> list[Document]:
    return ScoreFusionRetriever(retrievers=retrievers, weights=weights, **more).invoke("task")


def scores(documents: list[Document]) -> dict[str, float]:
    return {one.metadata["id"]: one.metadata["score"] for one in documents}


def test_a_sum_adds_weighted_scores_and_shows_each_share() -> None:
    found = fuse([fixed("action", 2, 0, 1), fixed("raw", 0, 4, 3)], [0.5, 0.25])

    assert scores(found) == pytest.approx({"s2": 1.25, "s0": 1.0, "s1": 1.0})
    assert [one.metadata["id"] for one in found] == ["s2", "s0", "s1"]
    assert found[0].metadata["routes"] == pytest.approx({"action": 0.5, "raw": 0.75})
    assert found[0].metadata.keys() == {"id", "score", "routes"}


def test_a_product_multiplies_and_leaves_out_what_one_route_does_not_find() -> None:
    found = fuse([fixed("similarity", 0.5, 0.9, 0.4), fixed("worth", 0.8, 0, 1)], [1, 1], combine="product")

    assert scores(found) == pytest.approx({"s0": 0.4, "s2": 0.4})
    assert found[0].metadata["routes"] == pytest.approx({"similarity": 0.5, "worth": 0.8})


def test_a_weight_is_an_exponent_in_a_product() -> None:
    found = fuse([fixed("a", 0.5, 0.5), fixed("b", 0.9, 0)], [2, 0], combine="product")

    assert scores(found) == pytest.approx({"s0": 0.25, "s1": 0.25})


def test_a_route_of_weight_zero_finds_nothing() -> None:
    assert scores(fuse([fixed("a", 1, 0), fixed("b", 5, 5)], [1, 0])) == {"s0": 1.0}


@pytest.mark.parametrize("weights", [[0.0, 0.0], [-1.0, 2.0], [float("nan"), 1.0], [float("inf"), 1.0], [1.0]])
def test_weights_that_cannot_work_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weight"):
        fuse([fixed("a", 1), fixed("b", 1)], weights)


def test_a_score_beyond_one_routes_limit_is_filled_in() -> None:
    found = fuse([fixed("a", 3, 2, 1, limit=1), fixed("b", 1, 2, 3, limit=1)], [1, 1])

    assert found[0].metadata["routes"] == {"a": 3.0, "b": 1.0}
    assert scores(found)["s2"] == 4.0


def test_the_best_of_all_is_found_although_it_lies_beyond_every_limit() -> None:
    # s2 is second on each route, and first on the whole.
    found = fuse([fixed("a", 5, 0, 4, limit=1), fixed("b", 0, 5, 4, limit=1)], [1, 1])

    assert found[0].metadata["id"] == "s2"
    assert found[0].metadata["routes"] == {"a": 4.0, "b": 4.0}


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=6, max_size=6), min_size=1, max_size=3),
    st.integers(1, 3),
    st.sampled_from(["sum", "product"]),
)
def test_the_first_places_are_those_of_the_exact_scores_in_catalogue_order(
    given_scores: list[list[float]], limit: int, combine: str
) -> None:
    retrievers = [fixed(f"r{at}", *row, limit=limit) for at, row in enumerate(given_scores)]
    found = fuse(retrievers, [1.0] * len(retrievers), combine=combine)
    table = np.array(given_scores)
    exact = table.sum(axis=0) if combine == "sum" else table.prod(axis=0)
    order = [f"s{at}" for at in np.argsort(-exact, kind="stable") if exact[at] > 0]

    assert [one.metadata["id"] for one in found][:limit] == order[:limit]
    assert all(one.metadata["score"] == pytest.approx(exact[int(one.metadata["id"][1:])]) for one in found)


def test_a_child_without_scores_counts_by_its_ranks() -> None:
    found = fuse([foreign("bm25", ("s4", None), ("s1", None))], [2.0], c=10)

    assert scores(found) == pytest.approx({"s4": 2 / 11, "s1": 2 / 12})


def test_scores_and_ranks_may_be_mixed() -> None:
    found = fuse([fixed("a", 0, 1), foreign("bm25", ("s5", None), ("s1", None))], [1, 1])

    assert scores(found) == pytest.approx({"s1": 1 + 1 / 62, "s5": 1 / 61})
    assert found[0].metadata["routes"] == pytest.approx({"a": 1.0, "bm25": 1 / 62})


def test_a_foreign_score_is_taken_as_it_is() -> None:
    assert scores(fuse([foreign("x", ("s1", np.float32(0.5)), ("s0", 2))], [1])) == {"s0": 2.0, "s1": 0.5}


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "high", True])
def test_a_score_that_is_no_number_is_named(bad: object) -> None:
    with pytest.raises(RetrieverError, match=r"x: the score of 's1' is .*not a finite number"):
        fuse([foreign("x", ("s1", bad))], [1])


def test_a_document_without_an_id_is_named() -> None:
    with pytest.raises(RetrieverError, match=r"x: a document has no metadata\['id'\]"):
        fuse([Foreign(name="x", documents=[Document(page_content="text")])], [1])


def test_documents_are_told_apart_by_their_text_where_there_is_no_id_key() -> None:
    documents = [Document(page_content="one"), Document(page_content="two")]

    assert set(scores(fuse([Foreign(documents=documents)], [1], id_key=None))) == {"one", "two"}


def test_routes_of_one_name_are_told_apart() -> None:
    found = fuse([fixed("a", 1), fixed("a", 2), Foreign(documents=[])], [1, 1, 1])

    assert found[0].metadata["routes"] == {"a": 1.0, "a_2": 2.0, "Foreign": 0.0}


def test_the_childrens_documents_stay_as_they_were() -> None:
    child = foreign("x", ("s1", 0.5), ("s0", 2))
    child.documents[0].metadata["route"] = "own"
    before = deepcopy(child.documents)
    found = fuse([child], [1])
    found[0].metadata["routes"]["x"] = 99

    assert child.documents == before
    assert all(one is not other for one in found for other in child.documents)


async def test_the_asynchronous_half_gives_the_same() -> None:
    retriever = ScoreFusionRetriever(
        retrievers=[fixed("a", 3, 2, 1, limit=2), foreign("b", ("s5", None))], weights=[1, 1]
    )

    assert await retriever.ainvoke("task") == retriever.invoke("task")


def test_nothing_found_is_an_empty_list() -> None:
    assert fuse([fixed("a"), fixed("b")], [1, 1]) == []


def test_fused_documents_are_whole_documents() -> None:
    (found,) = fuse([fixed("a", 1)], [1])

    assert Document(**found.model_dump()) == found
    assert found.type == "Document"


class Listener(BaseCallbackHandler):
    """Notes which retrievers start."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def on_retriever_start(self, *given: Any, name: str = "", **more: Any) -> None:
        self.started.append(name)


numbers = st.lists(st.floats(0, 10, width=32), min_size=len(SKILLS), max_size=len(SKILLS))


@given(
    st.lists(st.tuples(numbers, st.integers(1, 7), st.floats(0, 3)), min_size=1, max_size=4),
    st.sampled_from(["sum", "product"]),
)
def test_nobody_listening_changes_nothing(children: list[tuple[list[float], int, float]], combine: Any) -> None:
    children[0] = (*children[0][:2], 1.0)
    routes: list[Any] = [fixed(f"r{at % 2}", *given, limit=limit) for at, (given, limit, _) in enumerate(children)]
    weights = [weight for _, _, weight in children]
    fusion = ScoreFusionRetriever(retrievers=routes, weights=weights, combine=combine)
    listener = Listener()
    heard = fusion.invoke("task", {"callbacks": [listener]})

    assert len(listener.started) == 1 + len(children)
    assert fusion.invoke("task") == heard
    assert asyncio.run(fusion.ainvoke("task")) == heard
