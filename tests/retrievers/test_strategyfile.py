from pathlib import Path
from typing import Any

import pytest

from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.graph.settings import Settings
from skill_selector.retrievers.strategy import DETECT, choose_strategy, settings_with_defaults
from skill_selector.retrievers.strategyfile import load_strategies, strategy_of

FILE = """
Mine:
  routes:
    triggers: 0.5
    similarity: {weight: 0.5, rescale: true}
    raw: {weight: weight_raw, fields: {name: 1, body: 0.5}}
  combine: mean
  steps: [collapse_copies]
  judge: score
  threshold: 40
  gap: 5
  top: 2
strict:
  like: detect
  threshold: 70
  top_k: 9
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "strategies.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_a_few_lines_make_a_strategy(file: Path) -> None:
    mine = load_strategies(str(file))["mine"]
    assert [(one.name, one.weight) for one in mine.routes] == [
        ("triggers", 0.5),
        ("similarity", 0.5),
        ("raw", "weight_raw"),
    ]
    assert dict(mine.routes[1].options) == {"rescale": True}
    assert mine.routes[2].fields == {"name": 1.0, "body": 0.5}
    assert (mine.combine, mine.judge, mine.threshold, mine.gap, mine.take) == ("mean", "score", 40, 5, 2)
    assert mine.semantic


def test_one_may_start_from_a_known_one(file: Path) -> None:
    strict = load_strategies(str(file))["strict"]
    assert strict.routes == DETECT.routes
    assert (strict.name, strict.threshold, strict.take, strict.above) == ("strict", 70, 3, True)
    assert strict.defaults == {**DETECT.defaults, "top_k": 9}


def test_a_run_names_it_beside_the_known_ones(file: Path) -> None:
    own = str(file)
    assert choose_strategy(Settings(strategy="MINE", strategies_file=own)).name == "Mine"
    assert choose_strategy(Settings(strategy="detect", strategies_file=own)) is DETECT
    with pytest.raises(SettingError, match=r"no strategy 'x'; known are detect, embedding, mine"):
        choose_strategy(Settings(strategy="x", strategies_file=own))


def test_an_edit_of_the_file_counts_at_once(file: Path) -> None:
    load_strategies(str(file))
    file.write_text("other: {like: source}\n", encoding="utf-8")
    assert list(load_strategies(str(file))) == ["other"]


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ([], "must be a map with routes"),
        ({}, "at least one route"),
        ({"routes": {"raw": 1}, "treshold": 3, "top": "many"}, r"no key 'treshold'.*top is 'many'"),
        ({"routes": {"raw": 1}, "top": True}, "top is True"),
        ({"routes": {"raw": [1]}}, "route 'raw'"),
        ({"routes": {"raw": {"weight": 1, "fields": {"name": "x"}}}}, "names with numbers"),
        ({"routes": {"raw": {"fields": {"title": 1}}}}, "no field 'title'"),
        ({"like": "reatc"}, "none of detect"),
        ({"routes": {"semantic": 1, "similarity": 1}}, "embed different texts"),
        ({"routes": {"similarity": {"text": "poem"}, "raw": 1}, "combine": "max"}, "combine is 'max'"),
    ],
)
def test_what_cannot_be_used_is_named(given: Any, fault: str) -> None:
    with pytest.raises(SettingError, match=fault):
        strategy_of("mine", given)


def test_a_default_out_of_its_range_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("wide: {like: detect, top_k: 1000}", encoding="utf-8")
    monkeypatch.setenv("SELECTOR_STRATEGIES_FILE", str(file))
    with pytest.raises(SettingError, match="top_k is 1000"):
        settings_with_defaults(SelectorContext(strategy="wide"))


@pytest.mark.parametrize("text", ["", "- a\n", "a: [\n", "\xff"])
def test_a_file_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "strategies.yaml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingError, match=r"strategies\.yaml"):
        load_strategies(str(path))
    with pytest.raises(SettingError, match="nowhere"):
        load_strategies(str(tmp_path / "nowhere"))
