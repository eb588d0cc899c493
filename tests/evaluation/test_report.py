"""The report: one page that opens anywhere and believes nothing that it shows."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from skill_selector.evaluation.figures import score
from skill_selector.evaluation.prediction import TaskRun
from skill_selector.evaluation.report import render_report, write_report
from skill_selector.evaluation.result import Evaluation
from skill_selector.evaluation.task import LabelledTask
from skill_selector.graph.errors import EvaluationError
from skill_selector.nodes.decision import Bar

MakeTask = Callable[..., LabelledTask]
MakeRun = Callable[..., TaskRun]

EVIL = "</td></table><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u202e\x1b"

VOID = {"meta", "br", "img", "link", "input", "hr", "path", "use", "rect"}


class Page(HTMLParser):
    """What a browser would see: tags, attributes, text; every element must be closed where it was opened."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "svg"} & set(self.open):
            self.text += data


@pytest.fixture
def evaluation(make_task: MakeTask, make_run: MakeRun) -> Evaluation:
    """A right hit, and a wrong one in which everything is hostile."""
    tasks = (make_task("a", gold=["x"]), make_task(f"b{EVIL}", gold=[f"g{EVIL}"], task=f"合并 {EVIL}"))
    runs = (make_run("a", ["x", "y"]), make_run(f"b{EVIL}", [f"s{EVIL}"]))
    hostile: Any = runs[1]["ranked"][0]
    hostile["skill"]["name"] = f"name{EVIL}"
    hostile["reason"] = f"reason{EVIL}"
    hostile["routes"] = {f"route{EVIL}": 0.5}
    runs[1]["intent"] = f"intent{EVIL}"
    return Evaluation(
        tasks=tasks,
        runs=runs,
        figures=score(tasks, [run["prediction"] for run in runs]),
        bar=Bar(threshold=60.0, gap=10.0),
        catalog={
            "roots": [f"/root{EVIL}"],
            "count": 2,
            "digest": "abc",
            "diagnostics_by_kind": {"no_name": 3},
            "diagnostics": [],
        },
        settings={"top_k": 5, "words_file": None, "strategy": f"own{EVIL}", "reasoner": "local"},
        warnings=(f"beware{EVIL}",),
    )


def test_the_page_shows_figures_plots_misses_and_settings(evaluation: Evaluation) -> None:
    page = Page(render_report(evaluation))
    assert page.open == []
    assert [tag for tag, _ in page.tags].count("svg") == 3
    for words in (
        "2 tasks",
        "right_hit",
        "0.500",
        "Reliability of the score",
        "it is a hit, but",
        "合并",
        "top_k",
        "60, 10",
    ):
        assert words in page.text
    assert "beware" in page.text


def test_nothing_that_came_from_outside_becomes_markup(evaluation: Evaluation) -> None:
    html = render_report(evaluation)
    page = Page(html)
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "link", "iframe", "object", "base", "a"}
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    for where in ("b", "g", "s", "name", "reason", "route", "intent", "/root", "own", "beware", "合并 "):
        assert f"{where}</td></table><script>alert(1)</script>" in page.text, where
    assert not {"\u202e", "\x1b"} & set(html)


def test_the_page_needs_no_network_and_forbids_scripts(evaluation: Evaluation) -> None:
    html = render_report(evaluation)
    page = Page(html)
    assert not [name for _, attributes in page.tags for name in attributes if name in {"src", "srcset", "action"}]
    links = [value for _, attributes in page.tags for name, value in attributes.items() if name.endswith("href")]
    assert all(value and value.startswith("#") for value in links)
    assert not re.findall(r"@import|url\((?!#)", html)
    policy = next(attributes for tag, attributes in page.tags if tag == "meta" and "http-equiv" in attributes)
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"


def test_dark_and_light_have_the_same_colours_to_give(evaluation: Evaluation) -> None:
    html = render_report(evaluation)
    light, dark = (set(re.findall(r"(--[\w-]+): #", part)) for part in html.split("prefers-color-scheme: dark")[:2])
    used = set(re.findall(r"var\((--[\w-]+)\)", html))
    assert light == dark
    assert used <= light


def test_a_miss_names_gold_and_what_was_ranked(make_task: MakeTask, make_run: MakeRun, evaluation: Evaluation) -> None:
    tasks = (make_task("a", "ambiguous", ["x", "y"]), make_task("b", gold=[("p", "copy"), "q"]))
    runs = (make_run("a", ["x", "z"], "no_match", score=30.0), make_run("b", ["z", "q"], "no_match"))
    figures = score(tasks, [run["prediction"] for run in runs])
    page = Page(render_report(Evaluation(**{**vars(evaluation), "tasks": tasks, "runs": runs, "figures": figures})))
    assert "x or y" in page.text
    assert "p or copy and q" in page.text
    assert "raw 0.50" in page.text
    assert "its words" in page.text


def test_without_a_miss_the_page_says_so(make_task: MakeTask, make_run: MakeRun, evaluation: Evaluation) -> None:
    tasks, runs = (make_task("a", gold=["x"]),), (make_run("a", ["x"]),)
    figures = score(tasks, [run["prediction"] for run in runs])
    page = Page(render_report(Evaluation(**{**vars(evaluation), "tasks": tasks, "runs": runs, "figures": figures})))
    assert "None." in page.text


def test_the_folder_is_made_and_the_page_is_found_in_it(evaluation: Evaluation, tmp_path: Path) -> None:
    path = write_report(evaluation, tmp_path / "new" / "report")
    assert path == tmp_path / "new" / "report" / "index.html"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_file_in_the_folders_place_is_one_clear_error(evaluation: Evaluation, tmp_path: Path) -> None:
    (tmp_path / "report").write_text("x", encoding="utf-8")
    with pytest.raises(EvaluationError, match="report cannot be made: File exists"):
        write_report(evaluation, tmp_path / "report")
