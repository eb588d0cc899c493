"""The plots: well-formed SVG without anything from outside, coloured by the page."""

import builtins
import importlib.util
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from skill_selector.evaluation import plots
from skill_selector.evaluation.curves import Bin, Refusal
from skill_selector.evaluation.figures import Figure
from skill_selector.graph.errors import EvaluationError

BINS = [Bin(15.0, Figure(0.1, 0.0, 0.3, 12)), Bin(85.0, Figure(1.0, 1.0, 1.0, 3))]
POINTS = [Refusal(float(at), 1 - at / 100, 0.1, None) for at in range(101)]


def drawn() -> dict[str, str]:
    return {
        "reliability": plots.draw_reliability(BINS, BINS),
        "refusal": plots.draw_refusal(POINTS, 60.0),
        "recall": plots.draw_recall({"all languages": [0.5] * 50, "zh-en": [0.25] * 50}),
        "empty": plots.draw_recall({}) + plots.draw_reliability([], []),
    }


def words(svg: str) -> set[str]:
    return {"".join(one.itertext()).strip() for one in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}


def test_each_plot_is_svg_with_its_words_as_text() -> None:
    svgs = drawn()
    assert {"score", "share that is right", "the best skill of a task", "12", "3"} <= words(svgs["reliability"])
    assert {"threshold", "right_hit", "wrong_hit", "now 60"} <= words(svgs["refusal"])
    assert {"k", "recall@k", "all languages", "zh-en"} <= words(svgs["recall"])


def test_a_line_without_tasks_is_left_out() -> None:
    assert "abstained" not in words(drawn()["refusal"])


def test_colours_are_those_of_the_page() -> None:
    for name, svg in drawn().items():
        assert not re.findall(r"#[0-9a-fA-F]{6}\b", svg), name
        assert "currentColor" in svg
    assert "var(--series-2)" in drawn()["recall"]


def test_nothing_is_fetched_and_no_date_makes_two_drawings_differ() -> None:
    assert drawn() == drawn()
    for svg in drawn().values():
        outside = set(re.findall(r"https?://[^\"'\s<>]+", svg))
        assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
        assert "<script" not in svg


def test_plots_on_one_page_share_no_ids() -> None:
    svgs = drawn()
    ids = [set(re.findall(r'\bid="([^"]+)"', svgs[name])) for name in ("reliability", "refusal", "recall")]
    assert sum(map(len, ids)) == len(set.union(*ids))
    for name, known in zip(("reliability", "refusal", "recall"), ids, strict=True):
        used = re.findall(r'(?:url\(|href=")#([^")]+)', svgs[name])
        assert used
        assert set(used) <= known


def test_without_matplotlib_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(plots, "find_spec", lambda name: None if name == "matplotlib" else find(name))
    with pytest.raises(EvaluationError, match=r"pip install 'skill-selector\[report\]'"):
        plots.check_plotting()


def test_matplotlib_is_imported_for_drawing_only(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    original = builtins.__import__

    def note(name: str, *arguments: Any, **options: Any) -> Any:
        imported.append(name)
        return original(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", note)
    plots.check_plotting()
    assert not [name for name in imported if name.startswith("matplotlib.")]
    plots.draw_recall({})
    assert [name for name in imported if name.startswith("matplotlib")]
