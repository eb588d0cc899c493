#!/usr/bin/env python3
"""Print count, mean, p50, p90, p95, p99 and maximum of latencies, one number a line."""

import argparse
import math
import sys
from pathlib import Path

SHARES = (50, 90, 95, 99)


def read_latencies(path: Path) -> list[float]:
    """Return the numbers of the file, sorted.

    Raises:
        ValueError: a line is not a number, or there is none.
    """
    values = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = float(line)
        except ValueError:
            raise ValueError(f"{path}, line {number}: {line.strip()!r} is not a number") from None
        if not math.isfinite(value):
            raise ValueError(f"{path}, line {number}: {line.strip()!r} is not a finite number")
        values.append(value)
    if not values:
        raise ValueError(f"{path} holds no latencies")
    return sorted(values)


def percentile(ordered: list[float], share: int) -> float:
    """Return the smallest value that at least `share` per cent of the values do not exceed (nearest rank)."""
    return ordered[max(0, math.ceil(share / 100 * len(ordered)) - 1)]


def main() -> int:
    """Print the table; exit status 1 when p99 is above the limit, 2 when the file can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--limit-p99", type=float, help="exit with 1 when p99 is above this value")
    options = parser.parse_args()
    try:
        ordered = read_latencies(options.file)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    rows = {"count": float(len(ordered)), "mean": sum(ordered) / len(ordered)}
    rows |= {f"p{share}": percentile(ordered, share) for share in SHARES}
    rows["max"] = ordered[-1]
    sys.stdout.writelines(f"{name:<6} {value:10.2f}\n" for name, value in rows.items())
    return int(options.limit_p99 is not None and rows["p99"] > options.limit_p99)


if __name__ == "__main__":
    sys.exit(main())
