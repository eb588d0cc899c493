"""The routes on their own: nearness above what is usual, one question a run, what has nothing to ask."""

import threading
from typing import Any

import numpy as np
import pytest
from word_embeddings import WordEmbeddings

from skill_selector.compiler.fuse import MOST_NEAR, near_ones
from skill_selector.compiler.once import SearchOnce
from skill_selector.compiler.routes import by_meaning, by_tags, has_question, route_table
from skill_selector.graph.errors import EmbedderError, SettingError
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.retrievers.embedder import Embedder


def test_nearness_counts_from_what_is_usual_in_this_base(searching: KnowledgeSearch, make_request: Any) -> None:
    request = make_request(task="restart a pod with kubectl")
    cosines = searching.ask_meaning(request.query)
    known = cosines[cosines > 0]
    usual = float(known.mean() + known.std()) * len(known) / (len(known) + 20)
    hits = by_meaning(searching, request)
    assert searching.base.get(hits[0].chunk_id).title.endswith("Pods")
    assert hits[0].score == pytest.approx((float(cosines.max()) - usual) / (1 - usual))
    assert len(hits) == int(np.count_nonzero(cosines > usual)) < len(known)


def test_a_failing_embedder_is_an_error_and_not_an_empty_answer(searching: KnowledgeSearch, make_request: Any) -> None:
    failing = WordEmbeddings()
    failing.fail_after = 0
    search = KnowledgeSearch(searching.index, searching.tags, Embedder(failing))
    with pytest.raises(EmbedderError):
        by_meaning(search, make_request(task="x"))


def test_routes_of_one_run_ask_for_the_same_meaning_once(searching: KnowledgeSearch, make_request: Any) -> None:
    embeddings = WordEmbeddings()
    search = SearchOnce(searching, Embedder(embeddings))
    request = make_request(task="orders of a month")
    threads = [threading.Thread(target=by_meaning, args=(search, request)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert embeddings.queries == ["orders of a month"]


def test_tags_are_those_of_the_skill_ordered_by_the_task(searching: KnowledgeSearch, make_request: Any) -> None:
    from dataclasses import replace

    request = make_request(task="每个客户的下单总金额")
    request = replace(request, definition=replace(request.definition, id="data_query.generate_sql"))
    hits = by_tags(searching, request)
    assert searching.base.get(hits[0].chunk_id).text.find("每个客户的下单总金额") >= 0
    assert all(searching.base.get(hit.chunk_id).path.startswith("shop/") for hit in hits)


def test_a_route_without_a_question_is_not_asked(make_request: Any) -> None:
    request = make_request(task="x")
    assert not has_question("names", request)
    assert not has_question("error_codes", request)
    assert has_question("semantic", request)
    assert has_question("own", request)
    assert has_question("names", make_request(task="x", names=("a",)))


def test_what_cannot_be_called_is_no_route() -> None:
    with pytest.raises(SettingError, match=r"routes\['x'\]=7 cannot be called"):
        route_table({"x": 7})  # type: ignore[dict-item]


def test_the_nearest_that_no_route_found_are_looked_at() -> None:
    near = {f"c{at}": at / 100 for at in range(30)}
    fused: Any = [{"id": "c29", "score": 0.5, "routes": {}}]
    found = near_ones(near, fused)
    assert [one["id"] for one in found] == [f"c{at}" for at in range(28, 29 - MOST_NEAR, -1)]
    assert found[0] == {"id": "c28", "score": 0.0, "routes": {"plain": 0.28}}
