"""The report's plots, drawn by matplotlib as SVG that takes its colours from the page around it."""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

from skill_selector.evaluation.curves import Bin, Refusal
from skill_selector.graph.errors import EvaluationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK = "#010203"
_SERIES = ("#010301", "#010302", "#010303", "#010304", "#010305", "#010306")
"""Colours that stand for those of the page, which knows whether it is light or dark."""
_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
"""So that the lines can be told apart without colours."""

_DEFAULTS = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.15,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "grid.color"), _INK
    ),
}

_SHARES = (-0.02, 1.05)
"""The y axis of shares."""
_BESIDE: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}

_drawing = Lock()
"""matplotlib's settings belong to the whole process."""


def check_plotting() -> None:
    """Find out whether plots can be drawn.

    Raises:
        EvaluationError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise EvaluationError(
            "the report's plots are drawn by matplotlib, which is not installed; "
            "install it with: pip install 'skill-selector[report]'"
        )


def draw_reliability(best: Sequence[Bin], every: Sequence[Bin]) -> str:
    """Return the plot of how often scores are right, for the best skill of each task and for all that were ranked.

    The bars below it count the tasks.
    """

    def draw(figure: "Figure") -> None:
        shares, counts = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
        shares.plot([0, 100], [0, 1], color=_INK, linewidth=1, alpha=0.5, linestyle=":", label="as promised")
        _draw_bins(shares, best, _SERIES[0], "o", "the best skill of a task")
        _draw_bins(shares, every, _SERIES[1], "s", "every ranked skill")
        shares.set(ylabel="share that is right", ylim=_SHARES)
        shares.legend(loc="upper left")
        bars = counts.bar([one.score for one in best], [one.right.n for one in best], width=6, color=_SERIES[0])
        counts.bar_label(bars, fontsize=8, fmt="{:,.0f}")
        counts.margins(y=0.4)
        counts.set(xlabel="score", ylabel="tasks", xlim=(-3, 103))
        counts.grid(visible=False)

    return _svg("reliability", draw)


def _draw_bins(axes: "Axes", bins: Sequence[Bin], colour: str, marker: str, label: str) -> None:
    shares = [one.right for one in bins]
    # A bootstrap's quantiles may lie a rounding error beyond the mean.
    sides = (
        [max(0.0, one.mean - one.low) for one in shares],
        [max(0.0, one.high - one.mean) for one in shares],
    )
    at, means = [one.score for one in bins], [one.mean for one in shares]
    axes.errorbar(at, means, yerr=sides, color=colour, marker=marker, capsize=2, linewidth=1.2, label=label)


def draw_refusal(points: Sequence[Refusal], threshold: float) -> str:
    """Return the plot of right hits, wrong hits and right refusals by threshold."""

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        at = [one.threshold for one in points]
        for number, name in enumerate(("right_hit", "wrong_hit", "abstained")):
            values = [getattr(one, name) for one in points]
            if None not in values:
                axes.plot(at, values, color=_SERIES[number], linestyle=_STYLES[number], label=name)
        axes.axvline(threshold, color=_INK, linewidth=1, alpha=0.5)
        axes.annotate(f"now {threshold:g}", (threshold, 1.02), (3, 0), textcoords="offset points", fontsize=8)
        axes.set(xlabel="threshold", ylabel="share of tasks", xlim=(0, 100), ylim=_SHARES)
        axes.legend(**_BESIDE)

    return _svg("refusal", draw)


def draw_recall(curves: Mapping[str, Sequence[float]]) -> str:
    """Return the plot of recall by k; the names of the curves must be plain ASCII."""

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for number, (name, shares) in enumerate(curves.items()):
            colour, style = _SERIES[number % len(_SERIES)], _STYLES[number % len(_STYLES)]
            axes.plot(range(1, len(shares) + 1), shares, color=colour, linestyle=style, label=name)
        axes.set(xlabel="k", ylabel="recall@k", xlim=(1, 50), ylim=_SHARES, xticks=(1, 5, 10, 20, 30, 40, 50))
        if curves:
            axes.legend(**_BESIDE)

    return _svg("recall", draw)


def _svg(name: str, draw: "Callable[[Figure], None]") -> str:
    from matplotlib import rc_context  # noqa: PLC0415 - an extra, and half a second
    from matplotlib.figure import Figure  # noqa: PLC0415 - the same

    content = io.StringIO()
    settings: dict[Any, Any] = {**_DEFAULTS, "svg.hashsalt": name}
    no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with _drawing, rc_context(settings):
        figure = Figure(figsize=(7.2, 4), layout="constrained")
        draw(figure)
        figure.savefig(content, format="svg", transparent=True, metadata=no_metadata)
    return _for_page(content.getvalue(), name)


def _for_page(svg: str, name: str) -> str:
    """Return an SVG file's element, with the page's colours, and ids that no other plot has."""
    svg = svg[svg.index("<svg") :].strip()
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(url\(|href=")#', rf"\g<1>#{name}-", svg)
    svg = svg.replace(_INK, "currentColor")
    for number, colour in enumerate(_SERIES, 1):
        svg = svg.replace(colour, f"var(--series-{number})")
    return svg
