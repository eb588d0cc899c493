"""How long a folder of skills takes to scan, as ratios to plain Python over the same files, all from one run.

    python benchmarks/scanning.py PATH [--copies N] [--rounds N] [--index]

Works on a copy of the SKILL.md files in a temporary folder. With --copies, the same is done again with so many copies
of each, altered, and compared. Every measurement is a process of its own, since peak memory is one's; the times are the
best of the rounds, without imports. The ratios are those of processor time, which other work on the machine disturbs
less than the time on the wall. --index adds the index over one field.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

Figures = dict[str, Any]

SETTLE = 2.5
"""Seconds to wait: a file that changed less than two seconds before it was read is read again."""


def copy_skills(source: Path, target: Path, copies: int) -> int:
    """Copy every SKILL.md so many times, the copies after the first with a line more; return how many there are now."""
    count = 0
    for file in sorted(source.rglob("SKILL.md")):
        data = file.read_bytes()
        for number in range(copies):
            place = target / f"copy-{number}" / file.relative_to(source)
            place.parent.mkdir(parents=True)
            place.write_bytes(data + (f"\n\nVariant {number}, made for a benchmark.\n".encode() if number else b""))
            count += 1
    time.sleep(SETTLE)
    return count


def walk(root: str, read: bool = False) -> int:
    """Walk with os.scandir and stat each entry; with `read`, also read, decode and digest the files."""
    found = 0
    stack = [root]
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                entry.stat()
                if entry.is_dir(follow_symlinks=False):
                    stack.append(entry.path)
                elif entry.name == "SKILL.md":
                    found += 1
                    if read:
                        with open(entry.path, "rb") as file:
                            data = file.read()
                        data.decode("utf-8", errors="replace")
                        hashlib.sha256(data).hexdigest()
    return found


def timed(action: Callable[[], Any]) -> Figures:
    """Return the seconds that an action takes, on the wall and of processor time."""
    start, busy = time.perf_counter(), time.process_time()
    action()
    return {"wall": time.perf_counter() - start, "busy": time.process_time() - busy}


def change_one(root: Path) -> None:
    """Change one file, without a walk through all of them."""
    folder = next(one[0] for one in os.walk(root) if "SKILL.md" in one[2])
    with open(os.path.join(folder, "SKILL.md"), "ab") as file:
        file.write(f"\nOne line more at {time.time_ns()}.\n".encode())


def measure(part: str, root: Path, cache: Path) -> Figures:
    """Return the times that one part takes in this process."""
    if part in ("walk", "read"):
        return timed(lambda: walk(str(root), read=part == "read"))
    import_module("skill_selector.catalog.parser")  # imports are not what is measured
    from skill_selector.catalog.cache import Cache  # noqa: PLC0415
    from skill_selector.catalog.scanner import scan  # noqa: PLC0415
    from skill_selector.catalog.snapshot import Snapshots  # noqa: PLC0415

    if part == "cold":
        return timed(lambda: scan(root))
    if part.startswith("index"):
        return measure_index(part, root, cache)
    snapshots = Snapshots(Cache(cache))
    if part in ("loaded", "loaded, one changed"):
        scan(root, snapshots=snapshots)
    if part.endswith("one changed"):
        change_one(root)
    return timed(lambda: scan(root, snapshots=snapshots))


def measure_index(part: str, root: Path, cache: Path) -> Figures:
    """Return the times that the index takes over a catalogue that is known."""
    from skill_selector.retrievers.library import LibraryCache  # noqa: PLC0415

    libraries = LibraryCache()
    library = libraries.load([str(root)], cache_dir=str(cache))
    if part.endswith("one changed"):
        library.index()
        change_one(root)
        library = libraries.load([str(root)], cache_dir=str(cache))
    return timed(library.index)


def describe(root: Path) -> Figures:
    """Return what a scan says of the files, and how many stated descriptions it gets right."""
    import yaml  # noqa: PLC0415

    from skill_selector.catalog.scanner import scan  # noqa: PLC0415

    catalog = scan(root)
    skills = {skill.file: skill for skill in catalog.skills}
    stated = exact = 0
    for file in sorted(root.rglob("SKILL.md")):
        description = stated_description(file.read_bytes(), yaml)
        if description:
            stated += 1
            skill = skills.get(file.as_posix())
            exact += skill is not None and not skill.inferred and squeezed(skill.description) == squeezed(description)
    kinds = Counter(f"{one.severity} {one.kind}" for one in catalog.diagnostics)
    return {"skills": len(skills), "stated": stated, "exact": exact, "kinds": dict(kinds.most_common())}


def stated_description(data: bytes, yaml: Any) -> str | None:
    """Return the description as YAML gives it, or as its line says it where YAML cannot read the frontmatter."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    header = re.match(r"---[ \t]*\n(.*?)^---[ \t]*$", text, re.DOTALL | re.MULTILINE)
    if not header:
        return None
    try:
        values = yaml.load(header[1], Loader=yaml.CBaseLoader)
    except (yaml.YAMLError, ValueError):
        line = re.search(r"^description:[ \t]+([^\s\"'|>].*)\n(?=\S|\Z)", header[1], re.MULTILINE)
        return line[1] if line else None
    description = values.get("description") if isinstance(values, dict) else None
    return description if isinstance(description, str) and description.strip() else None


def squeezed(text: str) -> str:
    """Return a text with single spaces."""
    return " ".join(text.split())


def run(part: str, root: Path, cache: Path) -> Figures:
    """Measure one part in a process of its own."""
    command = [sys.executable, __file__, str(root), "--part", part, "--cache", str(cache)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: Figures = json.loads(done.stdout)
    return figures


class Row(NamedTuple):
    """One measurement, what it is compared with, the ratio that it must not exceed, and the same of its peak in MB."""

    part: str
    shown: str
    base: str
    ratio: float | None = None
    peak: int | None = None


ROWS = [
    Row("walk", "walk in plain Python", "walk"),
    Row("read", "walk, read, decode, digest", "walk"),
    Row("cold", "cold scan", "read", 4, 700),
    Row("first", "cold scan that writes the snapshot", "read", 4, 700),
    Row("loaded", "nothing changed, snapshot loaded", "walk", 2, 400),
    Row("loaded, one changed", "one changed, snapshot loaded", "loaded", 1.5, 400),
    Row("kept", "nothing changed, new process", "walk", None, 400),
    Row("kept, one changed", "one changed, new process", "kept", 1.5, 400),
]
INDEX_ROWS = [
    Row("index", "index of one field, built", "read", None, 700),
    Row("index, kept", "index from the snapshot", "walk", None, 400),
    Row("index, one changed", "index after one change", "walk", None, 400),
]


def measure_all(root: Path, rows: Sequence[Row], rounds: int) -> dict[str, Figures]:
    """Return the least times and the highest peak of each part; the rounds go through all parts in turn."""
    best: dict[str, Figures] = {}
    with TemporaryDirectory() as folder:
        for turn in range(rounds):
            for row in rows:
                if row.part == "index" and turn:  # it takes long, and after the first it is kept
                    continue
                cache = Path(folder, str(turn) if row.part in ("first", "kept", "loaded") else "0")
                figures = run(row.part, root, cache)
                seen = best.setdefault(row.part, figures)
                seen["wall"] = min(seen["wall"], figures["wall"])
                seen["busy"] = min(seen["busy"], figures["busy"])
                seen["peak"] = max(seen["peak"], figures["peak"])
    return best


def show(results: dict[str, Figures], rows: Sequence[Row], count: int) -> None:
    """Print one table."""
    heads = f"{'wall s':>8}{'busy s':>8}{'ratio':>8}{'at most':>9}{'peak MB':>9}{'at most':>9}  of"
    print(f"\n{f'{count:,} skills':<36}{heads}")
    names = {row.part: row.shown for row in rows}
    for row in rows:
        figures = results[row.part]
        ratio = figures["busy"] / results[row.base]["busy"]
        print(
            f"{row.shown:<36}{figures['wall']:>8.3f}{figures['busy']:>8.3f}{ratio:>8.2f}{row.ratio or '':>9}"
            f"{figures['peak']:>9.0f}{row.peak or '':>9}  {names[row.base]}"
        )


def show_growth(
    rows: Sequence[Row], small: tuple[int, dict[str, Figures]], large: tuple[int, dict[str, Figures]]
) -> None:
    """Print how time and memory grow with the number of skills."""
    print(f"\n{f'{large[0] / small[0]:.1f} times the skills':<36}{'busy':>9}{'peak':>8}")
    for row in rows:
        growth = [large[1][row.part][what] / small[1][row.part][what] for what in ("busy", "peak")]
        print(f"{row.shown:<36}{growth[0]:>7.1f} x{growth[1]:>6.1f} x")


def show_found(found: Figures) -> None:
    """Print what the scan made of the files."""
    exact, stated = found["exact"], found["stated"]
    print(f"\n{found['skills']:,} skills, {exact:,} of {stated:,} stated descriptions exact: {exact / stated:.2%}")
    for kind, times in found["kinds"].items():
        print(f"{times:>8,}  {kind}")


def child(part: str, root: Path, cache: Path) -> None:
    """Print the figures of one part as JSON."""
    figures = describe(root) if part == "describe" else measure(part, root, cache)
    unit = 1024**2 if sys.platform == "darwin" else 1024
    print(json.dumps({**figures, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit}))


def main() -> None:
    """Measure and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--copies", type=int, default=1, help="measure so many altered copies as well")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--index", action="store_true", help="measure the index too")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        child(options.part, options.path, options.cache)
        return
    rows = [*ROWS, *(INDEX_ROWS if options.index else [])]
    tables = []
    for copies in dict.fromkeys((1, options.copies)):
        with TemporaryDirectory() as folder:
            root = Path(folder)
            count = copy_skills(options.path, root, copies)
            tables.append((count, measure_all(root, rows, options.rounds)))
            show(tables[-1][1], rows, count)
    if len(tables) > 1:
        show_growth(rows, *tables)
    show_found(run("describe", options.path, options.path))


if __name__ == "__main__":
    main()
