from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import SettingError
from skill_selector.retrievers import routes as route_module
from skill_selector.retrievers import strategy as strategy_module
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.routes import Route, register_route
from skill_selector.retrievers.search import SearchRequest, build_retriever, search
from skill_selector.retrievers.strategy import RouteSpec, Strategy, get_strategy, register_strategy

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]


def ids(request: SearchRequest, **more: Any) -> list[str]:
    return [one["id"] for one in search(request, **more)]


def test_the_fused_score_is_the_weighted_sum_of_the_source(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("s1", "merge invoices"), make_skill("s2", "draw charts")]
    request = make_request(skills, "merge my invoices", keywords=["invoice"], intent="merge")
    bm25 = request.index.scores
    action, domain = 0.4 * bm25("source", {"merg": 3})[0] / 3, 0.4 * bm25("source", {"invoic": 1})[0] / 3
    raw = 0.2 * bm25("source", {"merg": 1, "invoic": 1})[0] / 3

    (found,) = search(request)
    assert found == {
        "id": "s1",
        "score": pytest.approx(action + domain + raw),
        "routes": pytest.approx({"action": action, "domain": domain, "raw": raw}),
        "fallback": False,
        "copies": [],
        "ranks": {"action": 1, "domain": 1, "raw": 1},
    }


@pytest.mark.parametrize(
    ("task", "skill_text"),
    [
        ("a C++ build", "C++ 项目构建"),
        ("port it to .NET", "为 .NET 服务写测试"),
        ("my node.js service", "Deploys Node.js apps"),
        ("what calls getUserName", "Renames getUserName and the like"),
        ("rename user name getters", "calls getUserName()"),
        ("把ＰＤＦ转成图片", "PDF to images"),
        ("備份資料庫", "数据库备份"),
        ("备份数据库", "資料庫備份"),
        ("Blue Sky 登录", "Blue Sky认证"),
        ("看看server的日志", "server日志分析"),
        ("帮我把两个PDF合并一下", "合并 PDF 文件"),
    ],
)
def test_mixed_text_finds_its_skill(
    make_skill: MakeSkill, make_request: MakeRequest, task: str, skill_text: str
) -> None:
    others = [make_skill(f"other{at}", text) for at, text in enumerate(["Bake bread at home", "给盆栽浇水的提醒"])]
    (first, *_) = search(make_request([*others, make_skill("target", skill_text)], task))

    assert first["id"] == "target"
    assert not first["fallback"]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_small_folders_find_their_match_first_with_a_score_above_zero(
    make_skill: MakeSkill, make_request: MakeRequest, size: int
) -> None:
    skills = [make_skill(f"s{at}", text) for at, text in enumerate(["draw charts", "merge pdf", "合并文件"][-size:])]
    target = "merge pdf" if size > 1 else "合并文件"
    found = search(make_request(skills, target))

    assert next(one for one in skills if one.description == target).id == found[0]["id"]
    assert found[0]["score"] > 0


def test_a_name_among_the_keywords_wins_over_an_equal_skill(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("a", "", name="report pdf"), make_skill("b", "", name="pdf-report")]
    found = search(make_request(skills, "pdf report", keywords=["PDF Report"]))
    plain = search(make_request(skills, "pdf report"))

    assert [one["id"] for one in found] == ["b", "a"]
    assert found[0]["score"] > found[1]["score"]
    assert {one["id"] for one in plain} == {"a", "b"}


def test_top_k_cuts_and_may_exceed_the_pool(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill(f"s{at}", f"pdf tool {at}") for at in range(4)]

    assert len(ids(make_request(skills, "pdf", top_k=2))) == 2
    assert len(ids(make_request(skills, "pdf", top_k=50))) == 4
    assert len(ids(make_request(skills, "pdf", top_k=1), limit=3)) == 3


def test_copies_take_one_place(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill(f"{at}/pdf", "merge pdf", name="pdf") for at in range(4)] + [make_skill("csv", "csv to pdf")]
    found = search(make_request(skills, "merge pdf", top_k=2))

    assert [(one["id"], one["copies"]) for one in found] == [("0/pdf", ["1/pdf", "2/pdf", "3/pdf"]), ("csv", [])]


def test_manual_skills_are_never_candidates(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    manual = make_skill("release", "发布新版本", manual_only=True)
    notes = make_skill("notes", "会议纪要")

    assert ids(make_request([manual, notes], "发布新版本")) == ["notes"]
    assert search(make_request([manual], "发布新版本")) == []
    assert search(make_request([], "anything")) == []


def test_only_the_given_part_of_an_index_is_searched(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("s1", "merge pdf"), make_skill("s2", "merge pdf files")]

    assert ids(make_request(skills[1:], "merge pdf", index=SkillIndex.build(skills))) == ["s2"]


def test_where_no_token_overlaps_substrings_decide_and_say_so(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("s1", "draws charts"), make_skill("s2", "handles spreadsheets"), make_skill("s3", "bread")]
    found = search(make_request(skills, "sheet"))

    assert [one["id"] for one in found] == ["s2", "s1", "s3"]
    assert all(one["fallback"] and one["routes"] == {} for one in found)
    assert found[0]["score"] > found[1]["score"] == 0


@pytest.mark.parametrize("task", ["", "🎉", "的", "qqq", "the of a"])
def test_a_pool_with_skills_never_yields_an_empty_list(
    make_skill: MakeSkill, make_request: MakeRequest, task: str
) -> None:
    found = search(make_request([make_skill("s1", "draws charts"), make_skill("s2", "！！！")], task))

    assert [one["id"] for one in found] == ["s1", "s2"]
    assert all(one["fallback"] for one in found)


def test_a_route_of_weight_zero_is_not_even_built(
    make_skill: MakeSkill, make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(route_module.ROUTES, "action", None)
    (found,) = search(make_request([make_skill("a", "pdf")], "pdf", weight_action=0.0))

    assert set(found["routes"]) == {"domain", "raw"}


def test_weights_that_are_all_zero_are_refused_by_their_settings_names(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    request = make_request([make_skill("a")], "pdf", weight_action=0.0, weight_domain=0.0, weight_raw=0.0)

    with pytest.raises(SettingError, match=r"all weights are 0 .*weight_action, weight_domain, weight_raw"):
        search(request)


async def test_a_strategy_is_a_retriever_too(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    retriever = build_retriever(make_request([make_skill("s1", "merge pdf"), make_skill("s2", "csv")], "pdf"))
    (found,) = await retriever.ainvoke("pdf")

    assert found.metadata["id"] == "s1"


class Worth(Route):
    """How well each skill has done so far: a route that no token is needed for."""

    known: dict[str, float]

    def measure(self) -> NDArray[np.float32]:
        return np.array([0.3 + 0.7 * self.known.get(one, 0.5) for one in self.index.ids], dtype=np.float32)


def test_a_new_way_to_choose_is_a_route_and_a_strategy_and_no_more(
    make_skill: MakeSkill, make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(route_module, "ROUTES", dict(route_module.ROUTES))
    monkeypatch.setattr(strategy_module, "_registry", dict(strategy_module._registry))

    def worth_route(_request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
        return Worth(known=dict(spec.options["known"]), **common)

    register_route("worth", worth_route)
    register_strategy(
        Strategy(
            "proven",
            routes=(
                RouteSpec("similarity", builder="raw", fields={"name": 1.0, "description": 1.0}),
                RouteSpec("worth", options={"known": {"s1": 0.0, "s2": 1.0}}),
            ),
            combine="product",
            judge="score",
            threshold=0.5,
            take=3,
        )
    )
    skills = [make_skill("s1", "merge pdf"), make_skill("s2", "merge pdf pages in order"), make_skill("s3", "csv")]
    plain = ids(make_request(skills, "merge pdf"))
    found = search(make_request(skills, "merge pdf", strategy=get_strategy("proven")))

    assert plain == ["s1", "s2"]
    assert [one["id"] for one in found] == ["s2", "s1"]
    assert found[0]["routes"]["worth"] == pytest.approx(1.0)
    assert found[1]["routes"]["worth"] == pytest.approx(0.3)
    assert found[1]["score"] == pytest.approx(found[1]["routes"]["similarity"] * 0.3)
