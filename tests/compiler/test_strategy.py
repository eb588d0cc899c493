"""The table of strategies: source 002's weights, spellings of categories, a caller's own."""

import pytest

from skill_selector.compiler.routes import ROUTES
from skill_selector.compiler.strategy import strategy_for, strategy_table
from skill_selector.graph.errors import SettingError


def test_the_weights_are_those_of_the_source() -> None:
    table = strategy_table()
    assert table["code_generation"].routes == {"tags": 0.5, "names": 0.3, "semantic": 0.2}
    assert table["fault_finding"].routes == {"error_codes": 0.6, "semantic": 0.4}
    assert table["fault_finding"].first == ("solution_article",)
    assert table["data_query"].routes == {"tags": 0.4, "keywords": 0.4, "names": 0.2}
    assert all(
        set(one.routes) <= set(ROUTES) and sum(one.routes.values()) == pytest.approx(1) for one in table.values()
    )


@pytest.mark.parametrize(
    ("category", "name"),
    [
        ("Code-Generation", "code_generation"),
        ("代码生成", "code_generation"),
        ("故障排查", "fault_finding"),
        ("SQL", "data_query"),
        ("cooking", "default"),
        ("", "default"),
    ],
)
def test_a_category_is_found_however_it_is_spelled(category: str, name: str) -> None:
    assert strategy_for(category, strategy_table()).name == name


def test_own_strategies_stand_beside_ours_or_in_their_place() -> None:
    own = {"cooking": {"routes": {"semantic": 1}, "categories": ["烹饪", "sql"]}, "fault_finding": {"first": []}}
    table = strategy_table(own, ROUTES)
    assert strategy_for("烹饪", table).routes == {"semantic": 1}
    assert strategy_for("sql", table).name == "cooking"
    assert table["fault_finding"].first == ()
    assert table["fault_finding"].routes == {"error_codes": 0.6, "semantic": 0.4}


def test_every_fault_of_own_strategies_is_named() -> None:
    own = {
        "x": {"routes": {"semantics": 1, "tags": -1}, "wait": 1},
        "y": {"routes": {"tags": 1}, "first": ["recipe"]},
        "z": {},
    }
    with pytest.raises(SettingError) as caught:
        strategy_table(own, ROUTES)
    said = str(caught.value)
    assert "did you mean semantic?" in said
    assert "the weight of tags is -1" in said
    assert "'wait'" in said
    assert "holds recipe" in said
    assert "strategies['z'] needs 'routes'" in said
