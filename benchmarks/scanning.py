"""How long a folder of skills takes to scan, as ratios to plain Python over the same files, all from one run.

    python benchmarks/scanning.py PATH [--copies N] [--rounds N] [--index]

Works on a copy of the SKILL.md files in a temporary folder. With --copies, the same is done again with so many copies
of each, altered, and compared. Every measurement is a process of its own, since peak memory is one's; the times are the
best of the rounds, without imports. --index adds the index over one field.
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
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

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


def timed(action: Callable[[], Any]) -> float:
    """Return the seconds that an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def touch_one(root: Path, number: int) -> None:
    """Change one file."""
    file = next(path for path in sorted(root.iterdir())[0].rglob("SKILL.md"))
    with file.open("ab") as stream:
        stream.write(f"\nOne line more: {number}.\n".encode())


def measure(part: str, root: Path, cache: Path) -> Figures:
    """Measure one part in this process."""
    if part in ("walk", "read"):
        return {"seconds": timed(lambda: walk(str(root), read=part == "read"))}
    from skill_selector.catalog.cache import Cache  # noqa: PLC0415 - the plain parts shall do without
    from skill_selector.catalog.scanner import read_found, scan  # noqa: PLC0415
    from skill_selector.catalog.snapshot import Snapshots  # noqa: PLC0415

    assert read_found  # noqa: S101
    import skill_selector.catalog.parser  # noqa: PLC0415 - imports are not what is measured

    if part == "cold":
        return {"seconds": timed(lambda: scan(root))}
    snapshots = Snapshots(Cache(cache))
    if part.startswith("index"):
        return measure_index(part, root, cache)
    if part in ("first", "new process"):
        return {"seconds": timed(lambda: scan(root, snapshots=snapshots))}
    if part == "new process, one changed":
        touch_one(root, time.time_ns())
        return {"seconds": timed(lambda: scan(root, snapshots=snapshots))}
    scan(root, snapshots=snapshots)
    if part == "one changed":
        touch_one(root, time.time_ns())
    return {"seconds": timed(lambda: scan(root, snapshots=snapshots))}


def measure_index(part: str, root: Path, cache: Path) -> Figures:
    """Measure the index over a catalogue that is known."""
    from skill_selector.retrievers.library import LibraryCache  # noqa: PLC0415

    libraries = LibraryCache()
    library = libraries.load([str(root)], cache_dir=str(cache))
    if part == "index, one changed":
        library.index()
        touch_one(root, time.time_ns())
        library = libraries.load([str(root)], cache_dir=str(cache))
    return {"seconds": timed(library.index)}


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


def best_of(rounds: int, parts: list[str], root: Path, cache: Path) -> dict[str, Figures]:
    """Return the least seconds and the highest peak of each part; the rounds go through all parts in turn."""
    best: dict[str, Figures] = {}
    for _ in range(rounds):
        for part in parts:
            figures = run(part, root, cache)
            seen = best.setdefault(part, figures)
            seen["seconds"] = min(seen["seconds"], figures["seconds"])
            seen["peak"] = max(seen["peak"], figures["peak"])
    return best


ROWS: list[tuple[str, str, float | None, int | None]] = [
    ("cold", "read", 4, 700),
    ("first", "read", 4, 700),
    ("warm", "walk", 2, 400),
    ("new process", "walk", None, 400),
    ("one changed", "warm", 1.5, 400),
    ("new process, one changed", "new process", 1.5, 400),
]
"""What is measured, what it is compared with, the ratio it must not exceed, and the peak in MB."""
INDEX_ROWS: list[tuple[str, str, float | None, int | None]] = [
    ("index, built", "read", None, 700),
    ("index, from the snapshot", "walk", None, 400),
    ("index, one changed", "walk", None, 400),
]
NAMES = {
    "cold": "cold scan, no snapshot",
    "first": "cold scan, writing the snapshot",
    "warm": "nothing changed, snapshot loaded",
    "new process": "nothing changed, snapshot on disk",
    "one changed": "one changed, snapshot loaded",
    "new process, one changed": "one changed, snapshot on disk",
}


def measure_all(root: Path, rounds: int, index: bool) -> dict[str, Figures]:
    """Measure everything over one folder."""
    with TemporaryDirectory() as folder:
        cache = Path(folder)
        results = best_of(rounds, ["walk", "read", "cold"], root, cache)
        for number in range(rounds):  # each into an empty cache
            results.setdefault("first", {"seconds": float("inf"), "peak": 0.0})
            figures = run("first", root, cache / str(number))
            results["first"] = {key: min(figures[key], results["first"][key]) for key in ("seconds",)} | {
                "peak": max(figures["peak"], results["first"]["peak"])
            }
        cache /= "0"
        results |= best_of(rounds, ["warm", "new process", "one changed", "new process, one changed"], root, cache)
        if index:
            results |= best_of(1, ["index, built"], root, cache)
            results |= best_of(rounds, ["index, from the snapshot", "index, one changed"], root, cache)
    return results


def show(results: dict[str, Figures], count: int, rows: list[tuple[str, str, float | None, int | None]]) -> None:
    """Print one table."""
    print(f"\n{count:,} skills{'':<27}{'seconds':>9}{'ratio':>8}{'at most':>9}  {'of':<24}{'peak MB':>8}{'at most':>9}")
    for base in ("walk", "read"):
        print(f"{base + ' in plain Python':<40}{results[base]['seconds']:>9.3f}")
    for part, base, limit, memory in rows:
        ratio = results[part]["seconds"] / results[base]["seconds"]
        print(
            f"{NAMES.get(part, part):<40}{results[part]['seconds']:>9.3f}{ratio:>8.2f}{limit or '':>9}  "
            f"{NAMES.get(base, base):<34}{results[part]['peak']:>8.0f}{memory or '':>9}"
        )


def main() -> None:
    """Measure and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--copies", type=int, default=1, help="measure this many altered copies as well")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--index", action="store_true", help="measure the index too")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        if options.part == "describe":
            figures = describe(options.path)
        else:
            figures = measure(options.part, options.path, options.cache)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
        print(json.dumps({**figures, "peak": peak}))
        return
    rows = [*ROWS, *(INDEX_ROWS if options.index else [])]
    tables = []
    for copies in dict.fromkeys((1, options.copies)):
        with TemporaryDirectory() as folder:
            root = Path(folder)
            count = copy_skills(options.path, root, copies)
            results = measure_all(root, options.rounds, options.index)
            show(results, count, rows)
            tables.append((count, results))
            if copies == 1:
                found = run("describe", root, root)
    if len(tables) > 1:
        (few, small), (many, large) = tables
        print(f"\nper skill, {many:,} against {few:,}; 1 is in proportion")
        for part in large:
            time_growth = large[part]["seconds"] / small[part]["seconds"] / (many / few)
            print(
                f"{NAMES.get(part, part):<40}{time_growth:>9.2f}  peak {large[part]['peak'] / small[part]['peak']:.2f} x"
            )
    share = found["exact"] / max(1, found["stated"])
    print(
        f"\n{found['skills']:,} skills; {found['exact']:,} of {found['stated']:,} stated descriptions exact ({share:.2%})"
    )
    for kind, times in found["kinds"].items():
        print(f"{times:>8,}  {kind}")


if __name__ == "__main__":
    main()
