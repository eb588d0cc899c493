#!/usr/bin/env python3
"""Draw one column of a CSV file against another as an SVG, with the standard library only."""

import argparse
import csv
import math
import sys
from html import escape
from itertools import pairwise
from pathlib import Path

WIDTH, HEIGHT = 800, 450
LEFT, RIGHT, TOP, BOTTOM = 80, 20, 50, 60
SHOWN_LABELS = 12
COLOUR = "#1f6f8b"
FONT = 'font-family="sans-serif" font-size="12"'

Points = list[tuple[str, float | None]]
"""Label and value of each row; None is a gap."""


def read_points(path: Path, x: str, y: str) -> Points:
    """Return a point for each row.

    Raises:
        ValueError: a column is missing, or no row holds a number.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        columns = reader.fieldnames or []
        missing = [name for name in (x, y) if name not in columns]
        if missing:
            raise ValueError(f"no column {missing[0]!r}; the file has: {', '.join(columns)}")
        points = [(row[x] or "", as_number(row[y])) for row in reader]
    if all(value is None for _, value in points):
        raise ValueError(f"column {y!r} holds no numbers")
    return points


def as_number(text: str | None) -> float | None:
    """Return the number that the cell holds, thousands separated by commas or not; None where it holds none."""
    try:
        value = float((text or "").replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def scale(value: float, low: float, high: float, start: float, end: float) -> float:
    """Map `value` from low..high onto start..end."""
    return start + (end - start) * ((value - low) / (high - low) if high > low else 0.5)


def axis_steps(low: float, high: float) -> list[float]:
    """Return about five round figures that enclose low..high."""
    span = high - low or abs(high) or 1.0
    power = 10 ** math.floor(math.log10(span / 5))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= span / 5)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [number * step for number in range(first, max(last, first + 1) + 1)]


def across(points: Points, kind: str) -> list[float]:
    """Return the horizontal position of each point: by value for a scatter of numbers, else by order."""
    numbers = [as_number(label) for label, _ in points]
    known = [number for number in numbers if number is not None]
    if kind == "scatter" and len(known) == len(points):
        return [scale(number, min(known), max(known), LEFT + 10, WIDTH - RIGHT - 10) for number in known]
    slot = (WIDTH - LEFT - RIGHT) / len(points)
    return [LEFT + slot * (index + 0.5) for index in range(len(points))]


def draw(points: Points, kind: str, title: str) -> str:
    """Return the SVG text."""
    values = [value for _, value in points if value is not None]
    lowest = min(values) if kind == "scatter" else min(0.0, *values)
    steps = axis_steps(lowest, max(values) if kind == "scatter" else max(0.0, *values))
    xs = across(points, kind)
    ys = [None if value is None else scale(value, steps[0], steps[-1], HEIGHT - BOTTOM, TOP) for _, value in points]
    base = scale(max(0.0, steps[0]), steps[0], steps[-1], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {FONT}>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="28" font-size="16">{escape(title)}</text>',
    ]
    for step in steps:
        y = scale(step, steps[0], steps[-1], HEIGHT - BOTTOM, TOP)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{step:,.6g}</text>')
    every = math.ceil(len(points) / SHOWN_LABELS)
    for index in range(0, len(points), every):
        label = escape(points[index][0])
        parts.append(f'<text x="{xs[index]:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{label}</text>')
    parts += marks(kind, xs, ys, base)
    return "\n".join([*parts, "</svg>", ""])


def marks(kind: str, xs: list[float], ys: list[float | None], base: float) -> list[str]:
    """Return the elements that stand for the data."""
    places = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None]
    if kind == "bar":
        wide = (WIDTH - LEFT - RIGHT) / len(xs) * 0.7
        return [
            f'<rect x="{x - wide / 2:.1f}" y="{min(y, base):.1f}" width="{wide:.1f}" height="{abs(base - y):.1f}" '
            f'fill="{COLOUR}"/>'
            for x, y in places
        ]
    size = 4 if kind == "scatter" else 2
    found = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{COLOUR}"/>' for x, y in places]
    if kind == "line":
        for (x1, y1), (x2, y2) in pairwise(zip(xs, ys, strict=True)):
            if y1 is not None and y2 is not None:
                ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
                found.append(f'<line {ends} stroke="{COLOUR}" stroke-width="2"/>')
    return found


def main() -> int:
    """Write the chart; exit status 2 when the file or a column can't be used."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--x", required=True, help="column of the labels")
    parser.add_argument("--y", required=True, help="column of the values")
    parser.add_argument("--kind", choices=["line", "bar", "scatter"], default="line")
    parser.add_argument("--title", default="")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    try:
        points = read_points(options.file, options.x, options.y)
        options.out.write_text(draw(points, options.kind, options.title or options.y), encoding="utf-8")
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{options.file}: {error}\n")
        return 2
    gaps = sum(value is None for _, value in points)
    if gaps:
        sys.stderr.write(f"{gaps} of {len(points)} rows hold no number and are left blank\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
