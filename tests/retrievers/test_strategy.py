from typing import Any

import pytest

from skill_selector.graph.errors import SettingError
from skill_selector.graph.settings import Settings
from skill_selector.retrievers import strategy as module
from skill_selector.retrievers.strategy import (
    REACT,
    SOURCE,
    RouteSpec,
    Strategy,
    get_strategy,
    register_strategy,
    strategy_names,
)

ONE_ROUTE = (RouteSpec("raw"),)


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_registry", dict(module._registry))


def test_the_strategy_of_the_source_has_its_three_routes_with_weights_from_the_settings() -> None:
    settings = Settings(weight_action=0.1, weight_domain=0.2, weight_raw=0.7)

    assert get_strategy("source") is SOURCE
    assert {one.name: one.weight_in(settings) for one in SOURCE.routes} == {"action": 0.1, "domain": 0.2, "raw": 0.7}
    assert [one.weight_in(Settings()) for one in SOURCE.routes] == [0.4, 0.4, 0.2]
    assert SOURCE.fields == ("source",)
    assert (SOURCE.combine, SOURCE.judge, SOURCE.threshold, SOURCE.gap, SOURCE.take) == ("sum", "rubric", None, None, 1)


def test_the_default_weighs_the_same_three_routes_by_the_same_settings() -> None:
    weights = {one.name: one.weight for one in REACT.routes if isinstance(one.weight, str)}

    assert get_strategy("react") is REACT
    assert weights == {one.name: one.weight for one in SOURCE.routes}
    assert REACT.fields == ("source", "body", "name", "description")


def test_names_are_found_whatever_their_case() -> None:
    assert get_strategy(" React ") is REACT


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    register_strategy(Strategy("mine", ONE_ROUTE))

    with pytest.raises(
        SettingError, match="no strategy 'raect'; known are detect, embedding, mine, react, source, template"
    ):
        get_strategy("raect")


def test_a_registered_strategy_is_known_and_only_replaced_on_purpose() -> None:
    first, second = Strategy("Mine", ONE_ROUTE), Strategy("mine", ONE_ROUTE, take=3)
    register_strategy(first)

    assert get_strategy("mine") is first
    assert "mine" in strategy_names()
    with pytest.raises(SettingError, match="already"):
        register_strategy(second)
    register_strategy(second, replace=True)
    assert get_strategy("mine") is second


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"name": " "}, "needs a name"),
        ({"routes": ()}, "at least one route"),
        ({"routes": ONE_ROUTE * 2}, "different names"),
        ({"combine": "max"}, "sum, mean or product"),
        ({"judge": "coin"}, "rubric or score"),
        ({"take": 0}, "1 or more"),
    ],
)
def test_a_strategy_that_cannot_work_is_refused(values: dict[str, Any], fault: str) -> None:
    with pytest.raises(SettingError, match=fault):
        Strategy(**{"name": "x", "routes": ONE_ROUTE, **values})


def test_every_fault_of_a_strategy_is_named() -> None:
    with pytest.raises(SettingError, match=r"at least one route.*1 or more"):
        Strategy("x", (), take=0)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"weight": -1.0}, "0 or more"),
        ({"weight": float("nan")}, "0 or more"),
        ({"weight": "weight_acton"}, "no setting's name"),
        ({"fields": {"title": 1.0}}, "no field 'title'"),
    ],
)
def test_a_route_that_cannot_work_is_refused(values: dict[str, Any], fault: str) -> None:
    with pytest.raises(SettingError, match=fault):
        RouteSpec("raw", **values)


def test_a_strategy_names_the_fields_that_its_routes_use_once_each() -> None:
    routes = (RouteSpec("a", fields={"name": 1.0, "body": 0.5}), RouteSpec("b", fields={"body": 1.0}))

    assert Strategy("x", routes).fields == ("name", "body")
    assert hash(Strategy("x", routes)) == hash(Strategy("x", routes))
