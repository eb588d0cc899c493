"""The plots: well-formed SVG without anything from outside, coloured by the page."""

import importlib.util
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from skill_selector.evaluation import plots
from skill_selector.evaluation.curves import Bin, Refusal
from skill_selector.evaluation.figures import Figure
from skill_selector.graph.errors import EvaluationError

BINS = [Bin(15.0, Figure(0.1, 0.0, 0.3, 12)), Bin(85.0, Figure(1.0, 1.0, 1.0, 3))]
POINTS = [Refusal(float(at), 1 - at / 100, 0.1, None) for at in range(101)]


def draw() -> dict[str, str]:
    return {
        "reliability": plots.draw_reliability(BINS, BINS),
        "refusal": plots.draw_refusal(POINTS, 60.0),
        "recall": plots.draw_recall({"all languages": [0.5] * 50, "zh-en": [0.25] * 50}),
    }


@pytest.fixture(scope="module")
def svgs() -> dict[str, str]:
    return draw()


def words(svg: str) -> set[str]:
    root = ET.fromstring(svg)  # noqa: S314 - our own
    return {"".join(one.itertext()).strip() for one in root.iter("{http://www.w3.org/2000/svg}text")}


def test_each_plot_is_svg_with_its_words_as_text(svgs: dict[str, str]) -> None:
    assert {"score", "share that is right", "the best skill of a task", "12", "3"} <= words(svgs["reliability"])
    assert {"threshold", "right_hit", "wrong_hit", "now 60"} <= words(svgs["refusal"])
    assert {"k", "recall@k", "all languages", "zh-en"} <= words(svgs["recall"])


def test_a_line_without_tasks_is_left_out(svgs: dict[str, str]) -> None:
    assert "abstained" not in words(svgs["refusal"])


def test_where_nothing_was_ranked_the_plots_are_empty() -> None:
    assert "recall@k" in words(plots.draw_recall({}))
    assert "score" in words(plots.draw_reliability([], []))


def test_colours_are_those_of_the_page(svgs: dict[str, str]) -> None:
    for name, svg in svgs.items():
        assert not re.findall(r"#[0-9a-fA-F]{6}\b", svg), name
        assert "currentColor" in svg
    assert "var(--series-2)" in svgs["recall"]


def test_nothing_is_fetched_and_no_date_makes_two_drawings_differ(svgs: dict[str, str]) -> None:
    assert draw() == svgs
    for svg in svgs.values():
        outside = set(re.findall(r"https?://[^\"'\s<>]+", svg))
        assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
        assert "<script" not in svg


def test_plots_on_one_page_share_no_ids(svgs: dict[str, str]) -> None:
    ids = {name: set(re.findall(r'\bid="([^"]+)"', svg)) for name, svg in svgs.items()}
    assert sum(map(len, ids.values())) == len(set().union(*ids.values()))
    for name, svg in svgs.items():
        used = re.findall(r'(?:url\(|href=")#([^")]+)', svg)
        assert used
        assert set(used) <= ids[name]


def test_without_matplotlib_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(plots, "find_spec", lambda name: None if name == "matplotlib" else find(name))
    with pytest.raises(EvaluationError, match=r"pip install 'skill-selector\[report\]'"):
        plots.check_plotting()


def test_matplotlib_is_imported_for_drawing_only() -> None:
    check = "from skill_selector.evaluation import plots, report; plots.check_plotting()"
    code = f"import sys; {check}; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"
