"""A skill's trigger phrases in a task, on word limits."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.strategy import RouteSpec
from skill_selector.retrievers.triggers import TriggerRoute, task_units, trigger_route, trigger_units, triggers_of

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]


def route_of(request: SearchRequest) -> TriggerRoute:
    route = trigger_route(request, RouteSpec("triggers"), {"name": "triggers", "index": request.index})
    assert isinstance(route, TriggerRoute)
    return route


def test_the_score_is_the_share_of_the_triggers_that_stand_in_the_task(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    """The source's example: `deploy, production` of the deployment skill, none of `test, qa`."""
    skills = [
        make_skill("deployment-skill", triggers=("deploy", "production")),
        make_skill("testing-skill", triggers=("test", "qa")),
        make_skill("three", triggers=("deploy", "rollback", "canary")),
        make_skill("none"),
    ]
    route = route_of(make_request(skills, "Deploy the app to production"))
    assert route.scores.tolist() == pytest.approx([1, 0, 1 / 3, 0])
    assert route.applies is not None
    assert route.applies.tolist() == [True, True, True, False]
    assert route.note(2) == "1 of 3 found: deploy"
    assert route.note(3) == "it states none"


@pytest.mark.parametrize(
    ("trigger", "task", "found"),
    [
        ("ui", "build the project quickly", False),
        ("ui", "make the UI nicer", True),
        ("deploy", "deploying it now", True),
        ("deploy", "redeploy it", False),
        ("set up ci", "please set up CI/CD for us", True),
        ("set up ci", "set it up, ci is there", False),
        ("c", "write it in c++", False),
        ("c++", "write it in C++ please", True),
        (".net", "a network drive", False),
        ("node.js", "a Node.js service", True),
        ("pull-request", "open a pull request", True),
        ("部署", "把应用部署到生产环境", True),
        ("生产环境", "把应用部署到生产环境", True),
        ("会议", "预订一间会议室", False),
        ("会议", "整理会议录音", True),
        ("會議", "整理会议录音", True),
        ("生成SQL", "帮我生成 sql 语句", True),
        ("Excel", "把excel表格做成图", True),
    ],
)
def test_triggers_are_found_as_whole_words_in_both_languages(
    make_skill: MakeSkill, make_request: MakeRequest, trigger: str, task: str, found: bool
) -> None:
    route = route_of(make_request([make_skill("one", triggers=(trigger,))], task))
    assert route.scores.tolist() == [float(found)]


def test_a_trigger_without_a_word_and_one_that_is_said_twice_do_not_count(make_skill: MakeSkill) -> None:
    assert triggers_of(make_skill("one", triggers=("!!!", "Deploy", "deploy", "deploys"))) == ("Deploy",)
    assert len(triggers_of(make_skill("many", triggers=tuple(f"word{at}" for at in range(5000))))) == 200


@given(st.text(max_size=60))
def test_any_text_is_cut_without_an_error_and_alike(text: str) -> None:
    assert tuple(one.text for one in task_units(text)) == trigger_units(text)
    assert not task_units(text) or task_units(text)[0].start
