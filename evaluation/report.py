"""The report: one HTML page that opens from disk, without a network and without scripts.

What came from skills, tasks and models is escaped; only what is `Html` already goes in as it is.
"""

import os
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template
from unicodedata import category

from skill_selector.evaluation import plots
from skill_selector.evaluation.curves import all_judged, best_judged, recall_by_k, refusal, reliability
from skill_selector.evaluation.figures import Figure
from skill_selector.evaluation.files import write_whole
from skill_selector.evaluation.misses import Miss, worst_misses
from skill_selector.evaluation.result import Evaluation
from skill_selector.graph.errors import EvaluationError
from skill_selector.graph.records import RankedSkill

PAGE = "index.html"

_RANKED = ("place", "skill", "score", "parts", "routes", "reason")


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def check_report(directory: str | os.PathLike[str]) -> None:
    """Make the folder, and find out before a long run whether the report can be drawn.

    Raises:
        EvaluationError: matplotlib is not installed, or the folder cannot be made.
    """
    plots.check_plotting()
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EvaluationError(
            f"the report's folder {os.fspath(directory)} cannot be made: {error.strerror or error}"
        ) from error


def write_report(evaluation: Evaluation, directory: str | os.PathLike[str]) -> Path:
    """Write the page into a folder, which is made where needed, and return its path.

    Raises:
        EvaluationError: matplotlib is not installed, or the page cannot be written.
    """
    check_report(directory)
    page = Path(directory) / PAGE
    write_whole(page, render_report(evaluation))
    return page


def render_report(evaluation: Evaluation) -> str:
    """Return the page.

    Raises:
        EvaluationError: matplotlib is not installed.
    """
    plots.check_plotting()
    template = (files(__package__) / "page.html").read_text(encoding="utf-8")
    seconds = evaluation.seconds
    facts = (
        f"{len(evaluation.tasks):,} tasks",
        f"{evaluation.catalog['count']:,} skills",
        f"reasoner {evaluation.settings['reasoner']}",
        f"{1000 * seconds['median']:,.0f} ms a task (95 % below {1000 * seconds['p95']:,.0f} ms)",
        f"skill-selector {version('skill-selector')}",
        f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}",
    )
    return Template(template).substitute(
        title="How well the selector chooses",
        subtitle=_html(" · ".join(facts)),
        notices="".join(f'<p class="notice">{_html(one)}</p>' for one in evaluation.warnings),
        figures=_figures(evaluation),
        plots=_plots(evaluation),
        misses=_misses(evaluation),
        settings=_settings(evaluation),
    )


def _figures(evaluation: Evaluation) -> str:
    names = list(dict.fromkeys(name for figures in evaluation.figures.values() for name in figures))
    rows: list[list[object]] = []
    for subset, figures in evaluation.figures.items():
        count = next(iter(figures.values())).n
        rows.append([subset, f"{count:,}", *(_figure(figures.get(name)) for name in names)])
    return _table(("tasks", "n", *names), rows, numbers={"n", *names})


def _figure(one: Figure | None) -> Html:
    if one is None:
        return Html("")
    return Html(f'{one.mean:.3f}<br><small class="faint">{one.low:.3f}–{one.high:.3f}</small>')


def _plots(evaluation: Evaluation) -> str:
    tasks, runs, bar = evaluation.tasks, evaluation.runs, evaluation.bar
    best, every = reliability(best_judged(tasks, runs)), reliability(all_judged(tasks, runs))
    drawn = (
        (
            "Reliability of the score",
            "How often a skill with such a score is right, with 95 % intervals; the bars count the tasks. On the "
            "dotted line a score of 60 is right 60 % of the time; below it, scores promise too much.",
            plots.draw_reliability(best, every),
        ),
        (
            "Hit against refusal",
            f"What each threshold would have come to with the same scores and a gap of {bar.gap:g}: right hits among "
            "the tasks that a skill fits, wrong hits among all, refusals among those that none fits.",
            plots.draw_refusal(refusal(tasks, evaluation.predictions, bar.gap), bar.threshold),
        ),
        (
            "Recall by k",
            "The share of the needed skills that are among the first k, over the tasks that a skill fits.",
            plots.draw_recall(recall_by_k(tasks, evaluation.predictions)),
        ),
    )
    return "".join(
        f"<figure>{svg}<figcaption><b>{_html(name)}.</b> {_html(caption)}</figcaption></figure>"
        for name, caption, svg in drawn
    )


def _misses(evaluation: Evaluation) -> str:
    misses = worst_misses(evaluation.tasks, evaluation.runs)
    if not misses:
        return "<p>None.</p>"
    return "".join(_miss(one, opened=number < 3) for number, one in enumerate(misses))


def _miss(miss: Miss, *, opened: bool) -> str:
    task, run = miss.task, miss.run
    either = " or " if task.kind == "ambiguous" else " and "
    gold = either.join(" or ".join(group) for group in task.gold) or "none fits"
    prediction = run["prediction"]
    facts = (
        ("fits", gold),
        (
            "outcome",
            f"{prediction['outcome']}: best score {prediction['top_score']:g}, gap {prediction['score_gap']:g}",
        ),
        ("understood as", run["intent"]),
    )
    rows = [_ranked(place, one, task.gold_ids) for place, one in enumerate(run["ranked"], 1)]
    ranked = _table(_RANKED, rows, numbers=("place", "score")) if rows else "<p>Nothing was ranked.</p>"
    return (
        f"<details{' open' if opened else ''}><summary><b>{_html(miss.fault)}</b> "
        f'<span class="faint">{_html(f"{task.id} · {task.kind} · {task.lang}")}</span></summary>'
        f"<blockquote>{_html(task.task)}</blockquote>{_table((), facts)}{ranked}</details>"
    )


def _ranked(place: int, one: RankedSkill, gold: frozenset[str]) -> tuple[object, ...]:
    skill = one["skill"]
    marked = Html(' <span class="faint">fits</span>') if skill["id"] in gold else ""
    name = Html(f'{_html(skill["id"])}{marked}<br><span class="faint">{_html(skill["name"])}</span>')
    parts = ", ".join(f"{part.replace('_', ' ')} {points:g}" for part, points in one["dimensions"].items())
    routes = ", ".join(f"{route} {share:.2f}" for route, share in one["routes"].items()) or "substring"
    return place, name, f"{one['score']:g}", parts, routes, one["veto"] or one["reason"]


def _settings(evaluation: Evaluation) -> str:
    catalog = evaluation.catalog
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in catalog["diagnostics_by_kind"].items())
    facts: list[tuple[str, object]] = [
        *sorted(evaluation.settings.items()),
        ("threshold, gap in force", f"{evaluation.bar.threshold:g}, {evaluation.bar.gap:g}"),
        ("folders", ", ".join(catalog["roots"])),
        ("catalogue", f"{catalog['count']:,} skills, digest {catalog['digest']}"),
        ("diagnostics", kinds),
        ("model calls, prompt and completion tokens", ", ".join(f"{count:,}" for count in evaluation.usage.values())),
    ]
    return _table((), [(name, "–" if value in (None, "") else value) for name, value in facts])


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]], numbers: Collection[str] = ()) -> str:
    kinds = [' class="number"' if head in numbers else "" for head in heads]
    top = "".join(f"<th{kind}>{_html(head)}</th>" for head, kind in zip(heads, kinds, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{_html(cell)}</td>" for cell, kind in zip(row, kinds or [""] * len(row), strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table>{f"<tr>{top}</tr>" if heads else ""}{body}</table></div>'


def _html(value: object) -> str:
    """Return a value as HTML; characters that could reorder or hide what is around them become visible."""
    if isinstance(value, Html):
        return value
    text = str(value)
    return escape("".join("�" if category(one) in {"Cc", "Cf", "Cs"} and one not in "\n\t" else one for one in text))
