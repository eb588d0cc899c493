"""How long a new process takes, as ratios to processes that do less, all from one run.

    python benchmarks/startup.py [--rounds N] [--skills DIR]

Each process is started once to warm the disk cache and to make the snapshot, which lies in a folder of its own. The
rounds then go through all of them in turn, so that a slow moment of the machine hits each alike. The figures are ratios
of medians.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

SKILLS = Path(__file__).parents[1] / "examples" / "skills"
TASK = "Put these three PDF files together into one document"

BASES = {
    "python": [sys.executable, "-c", "pass"],
    "libraries": [sys.executable, "-c", "import langgraph.graph, langchain_classic.retrievers"],
}
"""What the others are compared with."""

Row = tuple[str, list[str], str, float]
"""What is measured, its command, the base it is compared with, and the ratio it must not exceed."""


def rows(skills: Path) -> list[Row]:
    """Return what is measured."""
    command = [sys.executable, "-m", "skill_selector"]
    select = [*command, "select", TASK, "--skills", str(skills), "--offline", "--json"]
    return [
        ("import skill_selector", [sys.executable, "-c", "import skill_selector"], "python", 3),
        ("skill-selector --help", [*command, "--help"], "python", 10),
        ("a local selection, English", select, "libraries", 1.7),
    ]


def seconds(command: list[str], cache: str) -> float:
    """Return the wall time of one process, from start to end; snapshots are kept in the folder `cache`."""
    environment = {**os.environ, "SELECTOR_REASONER": "local", "SELECTOR_CACHE_DIR": cache}
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, check=False)
    if done.returncode not in {0, 1}:  # 1 is a selection without a hit, which takes as long
        raise SystemExit(f"{command} ended with status {done.returncode}")
    return time.perf_counter() - start


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--skills", type=Path, default=SKILLS)
    options = parser.parse_args()
    measured = rows(options.skills)
    commands = {**BASES, **{name: command for name, command, _, _ in measured}}
    times: dict[str, list[float]] = {name: [] for name in commands}
    with TemporaryDirectory() as cache:
        for command in commands.values():
            seconds(command, cache)
        for _ in range(options.rounds):
            for name, command in commands.items():
                times[name].append(seconds(command, cache))
    print(f"{'process':<32}{'median ms':>10}{'ratio':>8}{'at most':>9}  of")
    for name in BASES:
        print(f"{name:<32}{1000 * median(times[name]):>10.0f}")
    for name, _, base, limit in measured:
        ratio = median(times[name]) / median(times[base])
        print(f"{name:<32}{1000 * median(times[name]):>10.0f}{ratio:>8.2f}{limit:>9g}  {base}")


if __name__ == "__main__":
    main()
