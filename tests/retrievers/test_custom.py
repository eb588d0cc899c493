import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import RetrieverError
from skill_selector.graph.records import TaskAnalysis
from skill_selector.retrievers.custom import custom_form, search_custom
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.search import SearchRequest, build_retriever

MakeRequest = Callable[..., SearchRequest]
Pairs = list[tuple[Skill | str, float]]


class Own(BaseRetriever):
    """A caller's retriever: the documents that it was made with, and a note of what it was asked."""

    documents: list[Document]
    asked: list[str]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        self.asked.append(query)
        return self.documents


def own(*found: Mapping[str, Any]) -> Own:
    return Own(documents=[Document(page_content="text", metadata=dict(one)) for one in found], asked=[])


def matcher(analysis: TaskAnalysis, skills: Sequence[Skill], options: Mapping[str, Any]) -> Pairs:
    return [(skills[0], 1.0), (skills[1].id, 2.0)]


@pytest.fixture
def request_(make_skill: Callable[..., Skill], make_request: MakeRequest) -> SearchRequest:
    skills = [make_skill("s1", "merge pdf"), make_skill("s2", "draw charts"), make_skill("s3", "bake bread")]
    return make_request([*skills, make_skill("manual", manual_only=True)], "merge a pdf", keywords=["merge", "pdf"])


def test_a_retriever_is_asked_with_task_and_keywords_and_its_order_stands(request_: SearchRequest) -> None:
    retriever = own({"id": "s2"}, {"id": "s1"})
    found = search_custom(retriever, request_)

    assert retriever.asked == ["merge a pdf\nmerge\npdf"]
    assert [one["id"] for one in found] == ["s2", "s1"]
    assert found[0] == {"id": "s2", "score": 1.0, "routes": {"custom": 1.0}, "fallback": False, "copies": []}
    assert found[1]["score"] == 0.5


def test_scores_and_routes_of_a_retriever_are_taken_over(request_: SearchRequest) -> None:
    found = search_custom(
        own({"id": "s2", "score": 0.9, "routes": {"vector": 0.9}}, {"id": "s3", "score": -1}), request_
    )

    assert [(one["id"], one["score"], one["routes"]) for one in found] == [
        ("s2", 0.9, {"vector": 0.9}),
        ("s3", 0.0, {"custom": 0.0}),
    ]


def test_a_matcher_gets_what_source_000_gave_it_and_is_sorted_by_score(request_: SearchRequest) -> None:
    seen: list[Any] = []

    def spying(analysis: TaskAnalysis, skills: Sequence[Skill], options: Mapping[str, Any]) -> Pairs:
        seen.extend([analysis["keywords"], [one.id for one in skills], dict(options)])
        return matcher(analysis, skills, options)

    found = search_custom(spying, request_)

    assert seen == [
        ["merge", "pdf"],
        ["s1", "s2", "s3"],
        {"top_k": 5, "task": "merge a pdf", "weights": {"action": 0.4, "domain": 0.4, "raw": 0.2}},
    ]
    assert [(one["id"], one["score"]) for one in found] == [("s2", 2.0), ("s1", 1.0)]


async def amatcher(analysis: TaskAnalysis, skills: Sequence[Skill], options: Mapping[str, Any]) -> Pairs:
    await asyncio.sleep(0)
    return matcher(analysis, skills, options)


def test_an_asynchronous_matcher_is_run_to_its_end(request_: SearchRequest) -> None:
    assert search_custom(amatcher, request_) == search_custom(matcher, request_)


async def test_an_asynchronous_matcher_works_inside_a_running_loop(request_: SearchRequest) -> None:
    assert search_custom(amatcher, request_) == search_custom(matcher, request_)


def test_a_factory_gets_the_skills_once_for_each_catalogue(
    request_: SearchRequest, make_skill: Callable[..., Skill], make_request: MakeRequest
) -> None:
    made: list[list[str]] = []

    def factory(skills: Sequence[Skill]) -> BaseRetriever:
        made.append([one.id for one in skills])
        return own({"id": skills[-1].id})

    assert [one["id"] for one in search_custom(factory, request_)] == ["s3"]
    search_custom(factory, request_)
    search_custom(factory, make_request([make_skill("new")], "x"))
    assert made == [["s1", "s2", "s3"], ["new"]]


def test_our_own_fused_retriever_may_be_passed_back_in(request_: SearchRequest) -> None:
    (found,) = search_custom(build_retriever(request_), request_)

    assert found["id"] == "s1"
    assert set(found["routes"]) == {"action", "domain", "raw"}


class Matchers:
    """Callables of other kinds."""

    def method(self, analysis: TaskAnalysis, skills: Sequence[Skill], options: Mapping[str, Any]) -> Pairs:
        return matcher(analysis, skills, options)

    def __call__(self, skills: Sequence[Skill]) -> BaseRetriever:
        return own({"id": skills[0].id})


def optional(analysis: TaskAnalysis, skills: Sequence[Skill], options: Mapping[str, Any] | None = None) -> Pairs:
    return [("s1", 1.0)]


def tuned(skills: Sequence[Skill], k: int = 4, *, depth: int = 2) -> BaseRetriever:
    return own()


@pytest.mark.parametrize(
    ("retriever", "form"),
    [
        (own(), "retriever"),
        (matcher, "matcher"),
        (amatcher, "matcher"),
        (optional, "matcher"),
        (Matchers().method, "matcher"),
        (Matchers(), "factory"),
        (tuned, "factory"),
        (lambda skills: own(), "factory"),
        (partial(lambda k, skills: own(), 3), "factory"),
    ],
)
def test_the_three_forms_are_told_apart(retriever: object, form: str) -> None:
    assert custom_form(retriever) == form


@pytest.mark.parametrize(
    "retriever", [None, "bm25", 3, lambda: None, lambda a, b: None, lambda a, b, c, d: None, print]
)
def test_anything_else_is_answered_with_the_three_forms(retriever: object) -> None:
    with pytest.raises(RetrieverError, match=r"pass a BaseRetriever.*or a factory.*or a matcher"):
        custom_form(retriever)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ([("ss1", 1.0)], "found 'ss1', which is no skill's id; the nearest are s1"),
        ([("merge", 1.0)], "found 'merge', which is no skill's id; ids look like 's1'"),
        ([("s1", float("nan"))], "score of 's1' is nan; it must be a finite number"),
        ([("s1", "0.5")], "score of 's1' is '0.5'"),
        ([("s1", None)], "score of 's1' is None"),
        ([(7, 1.0)], "7 as a skill; it must be a Skill or the id"),
        (["s1"], r"'s1' where a \(skill, score\) pair"),
        ([("s1", 1.0, "why")], r"where a \(skill, score\) pair"),
        (None, "returned NoneType, not a list"),
        ({"s1": 1.0}, "returned dict, not a list"),
    ],
)
def test_what_a_matcher_did_wrong_is_named(request_: SearchRequest, answer: Any, fault: str) -> None:
    def wrong(_analysis: TaskAnalysis, _skills: Sequence[Skill], _options: Mapping[str, Any]) -> Any:
        return answer

    with pytest.raises(RetrieverError, match=fault):
        search_custom(wrong, request_)


@pytest.mark.parametrize(
    ("metadata", "fault"),
    [
        ({}, r"document 1 .* metadata\['id'\] must hold"),
        ({"id": 3}, r"metadata\['id'\] must hold"),
        ({"source": "s1"}, r"has the metadata keys \['source'\]"),
        ({"id": "s9"}, "'s9', which is no skill's id"),
        ({"id": "s1", "score": float("inf")}, "score of 's1' is inf"),
        ({"id": "s1", "routes": {"a": "x"}}, "'s1': its share of route 'a' is 'x'; it must be a finite number"),
        ({"id": "s1", "routes": {"a": float("nan")}}, "share of route 'a' is nan"),
    ],
)
def test_what_a_retriever_did_wrong_is_named(request_: SearchRequest, metadata: dict[str, Any], fault: str) -> None:
    with pytest.raises(RetrieverError, match=fault):
        search_custom(own(metadata), request_)


class Careless(BaseRetriever):
    """Returns whatever it was given."""

    answer: Any

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> Any:
        return self.answer

    def invoke(self, input: str, config: Any = None, **kwargs: Any) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (None, "Careless returned NoneType, not a list of Documents"),
        (5, "Careless returned int"),
        (["s1"], "result 1 is a str, not a Document"),
    ],
)
def test_a_retriever_that_returns_no_documents_is_named(request_: SearchRequest, answer: Any, fault: str) -> None:
    with pytest.raises(RetrieverError, match=fault):
        search_custom(Careless(answer=answer), request_)


def test_a_factory_that_makes_no_retriever_is_named(request_: SearchRequest) -> None:
    with pytest.raises(RetrieverError, match="returned list, not a BaseRetriever"):
        search_custom(lambda skills: [], request_)  # type: ignore[arg-type]


def test_an_empty_answer_stays_empty(request_: SearchRequest) -> None:
    assert search_custom(own(), request_) == []


def test_repeated_and_manual_skills_are_left_out_and_top_k_cuts(
    make_skill: Callable[..., Skill], make_request: MakeRequest
) -> None:
    skills = [make_skill("s1"), make_skill("s2"), make_skill("manual", manual_only=True), make_skill("outside")]
    request = make_request(skills[:3], "x", index=SkillIndex.build(skills), top_k=2)
    retriever = own(*[{"id": one} for one in ("manual", "s2", "outside", "s2", "s1")])

    assert [(one["id"], one["score"]) for one in search_custom(retriever, request)] == [("s2", 1 / 2), ("s1", 1 / 5)]


def test_copies_collapse_here_too(make_skill: Callable[..., Skill], make_request: MakeRequest) -> None:
    request = make_request([make_skill("x/a", name="a"), make_skill("y/a", name="a")], "x")
    (found,) = search_custom(own({"id": "y/a"}, {"id": "x/a"}), request)

    assert (found["id"], found["copies"]) == ("y/a", ["x/a"])


def test_a_pool_without_skills_asks_nobody(make_request: MakeRequest) -> None:
    retriever = own({"id": "s1"})

    assert search_custom(retriever, make_request([], "x")) == []
    assert retriever.asked == []


def test_an_exception_of_the_callers_code_comes_through(request_: SearchRequest) -> None:
    def broken(_analysis: TaskAnalysis, _skills: Sequence[Skill], _options: Mapping[str, Any]) -> Pairs:
        raise KeyError("their own bug")

    with pytest.raises(KeyError, match="their own bug"):
        search_custom(broken, request_)


def as_documents(skills: Sequence[Skill]) -> list[Document]:
    return [Document(page_content=f"{one.name} {one.description}", metadata={"id": one.id}) for one in skills]


def test_langchains_bm25_retriever_works_as_a_factory(request_: SearchRequest) -> None:
    community = pytest.importorskip("langchain_community.retrievers")
    found = search_custom(lambda skills: community.BM25Retriever.from_documents(as_documents(skills), k=2), request_)

    assert found[0]["id"] == "s1"
    assert len(found) == 2


def test_langchains_ensemble_works_as_a_factory(request_: SearchRequest) -> None:
    community = pytest.importorskip("langchain_community.retrievers")
    from langchain_classic.retrievers import EnsembleRetriever

    def factory(skills: Sequence[Skill]) -> BaseRetriever:
        bm25 = community.BM25Retriever.from_documents(as_documents(skills), k=3)
        return EnsembleRetriever(retrievers=[bm25, own({"id": "s1"})], weights=[0.5, 0.5], id_key="id")

    assert search_custom(factory, request_)[0]["id"] == "s1"
