from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import SettingError
from skill_selector.retrievers import routes as module
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.routes import LexicalRoute, Route, build_route, register_route
from skill_selector.retrievers.search import SearchRequest
from skill_selector.retrievers.strategy import RouteSpec

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]


def lexical(request: SearchRequest, name: str) -> LexicalRoute:
    route = build_route(request, RouteSpec(name))
    assert isinstance(route, LexicalRoute)
    return route


class Fixed(Route):
    """Scores as given."""

    given: list[float]

    def measure(self) -> NDArray[np.float32]:
        return np.array(self.given, dtype=np.float32)


def test_the_action_route_takes_action_words_of_keywords_and_intent_three_times_each(make_request: MakeRequest) -> None:
    request = make_request([], keywords=["merging PDF", "验收测试报告"], intent="merge invoices")
    route = lexical(request, "action")

    assert route.tokens == {"merg": 6, "验收": 3, "测试": 3}
    assert route.length == 4


def test_the_domain_route_takes_the_rest_of_the_keywords_and_when_to_use(make_request: MakeRequest) -> None:
    request = make_request([], keywords=["merge invoices", "fastble", "接口规格"], when_to_use="before a release")
    route = lexical(request, "domain")

    assert route.tokens == {"invoic": 1, "fastbl": 1, "接口": 1, "规格": 1, "releas": 1}


def test_a_domain_word_that_holds_an_action_word_stays_whole(make_request: MakeRequest) -> None:
    route = lexical(make_request([], keywords=["audit trail"]), "domain")

    assert route.tokens == {"audit": 1, "trail": 1}


def test_the_raw_route_takes_the_whole_task(make_request: MakeRequest) -> None:
    route = lexical(make_request([], "把 PDF 合并,PDF", keywords=["ignored"]), "raw")

    assert route.tokens == {"pdf": 2, "合并": 1}
    assert route.length == 3


@pytest.mark.parametrize(("task", "divisor"), [("pdf", 3), ("pdf csv k8s", 3), ("pdf csv k8s pdf r", 5)])
def test_scores_are_divided_by_the_tokens_of_the_query_but_at_least_three(
    make_skill: MakeSkill, make_request: MakeRequest, task: str, divisor: int
) -> None:
    skills = [make_skill("a", "pdf"), make_skill("b", "csv")]
    route = lexical(make_request(skills, task), "raw")

    assert route.scores == pytest.approx(route.index.scores("source", route.tokens) / divisor)


def test_the_action_weight_does_not_count_as_length(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("a", "merge")]
    request = make_request(skills, intent="merge")

    assert lexical(request, "action").scores == pytest.approx(request.index.scores("source", {"merg": 3}) / 3)


def test_documents_are_the_skills_that_overlap_best_first(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("s1", "csv"), make_skill("s2", "pdf"), make_skill("s3", "pdf pdf"), make_skill("s4", "合并")]
    found = lexical(make_request(skills, "pdf"), "raw").invoke("only for the trace")

    assert [one.metadata["id"] for one in found] == ["s3", "s2"]
    assert [one.page_content for one in found] == ["s3: pdf pdf", "s2: pdf"]
    assert found[0].metadata.keys() == {"id", "score", "route"}
    assert found[0].metadata["route"] == "raw"
    assert found[0].metadata["score"] > found[1].metadata["score"] > 0
    assert type(found[0].metadata["score"]) is float


def test_equal_scores_keep_the_catalogue_order_even_across_the_limit(make_skill: MakeSkill) -> None:
    index = SkillIndex([make_skill(f"s{number}") for number in range(6)])
    route = Fixed(name="fixed", index=index, given=[1, 2, 1, 1, 2, 1], limit=4)

    assert [one.metadata["id"] for one in route.invoke("")] == ["s1", "s4", "s0", "s2"]


def test_manual_skills_and_those_outside_the_pool_are_not_found(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    skills = [make_skill("a", "pdf"), make_skill("b", "pdf", manual_only=True), make_skill("c", "pdf")]
    request = make_request(skills[:2], "pdf", index=SkillIndex.build(skills))
    route = lexical(request, "raw")

    assert [one.metadata["id"] for one in route.invoke("")] == ["a"]
    assert route.score_of("b") == 0


def test_a_score_is_known_beyond_the_limit(make_skill: MakeSkill) -> None:
    index = SkillIndex([make_skill("a"), make_skill("b")])
    route = Fixed(name="fixed", index=index, given=[2, 1], limit=1)

    assert len(route.invoke("")) == 1
    assert route.score_of("b") == 1
    assert route.score_of("stranger") == 0


def test_fields_of_a_route_are_weighed(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    request = make_request([make_skill("pdf", "pdf"), make_skill("csv", "pdf")], "pdf")
    route = build_route(request, RouteSpec("raw", fields={"name": 2.0, "description": 0.5, "body": 0.0}))
    expected = 2 * request.index.scores("name", {"pdf": 1}) + 0.5 * request.index.scores("description", {"pdf": 1})

    assert route.scores == pytest.approx(expected / 3)
    assert "body" not in request.index.built


async def test_a_route_answers_asynchronously_too(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    route = lexical(make_request([make_skill("a", "pdf")], "pdf"), "raw")

    assert await route.ainvoke("") == route.invoke("")


def test_an_unknown_builder_is_answered_with_the_known_ones(make_request: MakeRequest) -> None:
    with pytest.raises(SettingError, match=r"no builder 'vector'; known are action, .*raw, .*task"):
        build_route(make_request([]), RouteSpec("semantic", builder="vector"))


def test_a_name_of_a_builder_is_taken_over_only_on_purpose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROUTES", dict(module.ROUTES))
    builder = module.ROUTES["raw"]

    with pytest.raises(SettingError, match="already"):
        register_route("raw", builder)
    register_route("raw", builder, replace=True)
    register_route("other", builder)
    assert module.ROUTES["other"] is builder
