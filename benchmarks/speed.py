"""How fast selections and the index are, as ratios to peers, all from one run on the same pool and the same tasks.

    python benchmarks/speed.py POOL ENVIRONMENTS --tasks FILE [--tasks FILE …] [--limit N] [--copies N]

The peers are installed with venv and pip into environments of their own in the folder ENVIRONMENTS, unless they are
there already. POOL is a folder of skills, FILE holds tasks as `skill-selector evaluate` takes them. Every side is a
process that times itself; each task goes to all of them in turn before the next one. A task is asked once, so that
nothing that was kept of it counts; the first few only warm up. Ratios are those of median processor time, which other
work on the machine disturbs less than the time on the wall. Scan, graph and the embedding of the task, which no peer
does, are shown apart. With --copies, the same is asked of a pool of so many altered copies. See `vectors.py` for the
making of vectors. Exit status 1 where a ratio is beyond what is allowed.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from own import document, load
from scanning import copy_skills

from skill_selector.graph.settings import Settings
from skill_selector.retrievers.completion import complete_library
from skill_selector.retrievers.library import LibraryCache

Figures = dict[str, Any]

HERE = Path(__file__).parent
WARMING = 3
"""Tasks of each file that are asked first and not counted."""
LONG = 300
"""Characters from which the median task makes a file one of long tasks."""
LEXICAL_MOST, INDEX_MOST, GROWTH_MOST = 12.0, 2.0, 5.0
RETRIEVAL_LEAST, SEARCH_LEAST = 8.0, 50.0


class Peer(NamedTuple):
    """What is installed, and the least Python that it needs."""

    requirements: tuple[str, ...]
    python: tuple[int, int] = (3, 11)


PEERS = {
    "bm25s": Peer(("bm25s==0.3.*", "PyStemmer")),
    "agentskills-retrieval": Peer(("agentskills-retrieval==0.7.*",), (3, 12)),
    "agent-skill-search": Peer(("agent-skill-search==0.4.*",)),
}


class Side:
    """A process that answers questions."""

    def __init__(self, command: Sequence[str]) -> None:
        self._name = " ".join(command)
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self._read()

    def ask(self, question: Figures) -> Figures:
        """Return the answer to a question."""
        assert self._process.stdin  # noqa: S101
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: Figures = self._read()
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _read(self) -> Any:
        assert self._process.stdout  # noqa: S101
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self._name} ended with status {self._process.wait()}")
        return json.loads(line)


@contextmanager
def opened(*command: str) -> Iterator[Side]:
    """Start a side, and end it."""
    side = Side(command)
    try:
        yield side
    finally:
        side.close()


def ours(stack: ExitStack, role: str, pool: Path, cache: Path) -> Side:
    """Start one of our own sides."""
    return stack.enter_context(opened(sys.executable, str(HERE / "own.py"), role, str(pool), str(cache)))


def environment(folder: Path, name: str) -> str:
    """Return the Python of a peer's environment, made where it is not there."""
    place = folder / name
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        peer = PEERS[name]
        if sys.version_info >= peer.python:
            venv.create(place, with_pip=True)
        else:
            subprocess.run([fitting(peer.python), "-m", "venv", str(place)], check=True)
        print(f"installing {name} …", file=sys.stderr)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *peer.requirements], check=True)
    return str(python)


def fitting(least: tuple[int, int]) -> str:
    """Return a Python of at least that version."""
    for minor in range(least[1], least[1] + 5):
        found = shutil.which(f"python3.{minor}")
        if found and subprocess.run([found, "-c", "pass"], capture_output=True, check=False).returncode == 0:
            return found
    raise SystemExit(f"a peer needs Python {least[0]}.{least[1]} or later: put one on the PATH")


def read_tasks(path: Path, limit: int | None) -> list[str]:
    """Return the tasks of a file, spread over all of it where only some are wanted."""
    with open(path, encoding="utf-8") as file:
        tasks = [json.loads(line)["task"] for line in file if line.strip()]
    return tasks if limit is None else tasks[:: max(1, len(tasks) // limit)]


def write_documents(pool: Path, cache: Path, target: Path) -> None:
    """Write the pool as the peers get it."""
    skills = load(str(pool), str(cache)).skills
    with open(target, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(document(skill)) + "\n" for skill in skills)


def complete(pool: Path, cache: Path) -> None:
    """Make everything that selections need."""
    complete_library(LibraryCache().load([str(pool)], cache_dir=str(cache)), Settings())


def middle(answers: Sequence[Figures], what: str = "busy") -> float:
    """Return a median in milliseconds."""
    return 1000 * float(median(one[what] for one in answers))


class Table:
    """Rows of what was measured, and whether every ratio is within its limit."""

    def __init__(self) -> None:
        self.kept = True

    def row(self, shown: str, value: str, ratio: float | None = None, limit: float = 0, *, least: bool = False) -> None:
        """Print one row; `least` where the ratio must not be less than the limit, instead of not more."""
        line = f"{shown:<52}{value:>14}"
        if ratio is not None:
            within = ratio >= limit if least else ratio <= limit
            self.kept &= within or not limit
            line += f"{ratio:>9.2f}" + (f"  {'at least' if least else 'at most'} {limit:g}" if limit else "")
            line += "" if within or not limit else "  ← beyond"
        print(line, flush=True)


def measure_tasks(tasks: Sequence[str], sides: dict[str, Side]) -> dict[str, list[Figures]]:
    """Return every side's answers: each task goes to all of them in turn."""
    answers: dict[str, list[Figures]] = {name: [] for name in sides}
    for task in tasks:
        found = sides["routes"].ask({"task": task})
        answers["routes"].append(found)
        for name, side in sides.items():
            if name != "routes":
                answers[name].append(side.ask({"task": task, "tokens": found["tokens"]}))
    return {name: found[WARMING:] for name, found in answers.items()}


def show_tasks(name: str, tasks: Sequence[str], answers: dict[str, list[Figures]], table: Table) -> None:
    """Print what the tasks of one file took."""
    own, routes, bare = answers["selection"], middle(answers["routes"]), middle(answers["bm25s"])
    long = median(map(len, tasks)) >= LONG
    print(f"\n{name}: {len(own)} tasks, {'long' if long else 'short'}; medians, ms of processor time, ratio")
    table.row("bm25s, the same tokens", f"{bare:.3f}")
    table.row("lexical routes, fused, to that", f"{routes:.3f}", routes / bare, LEXICAL_MOST)
    table.row("selection, without what stands apart", f"{middle(own):.2f}")
    peers = (("agentskills-retrieval", RETRIEVAL_LEAST), ("agent-skill-search", SEARCH_LEAST if long else 0))
    for peer, least in peers:
        theirs = middle(answers[peer])
        table.row(f"{peer}, to that", f"{theirs:.2f}", theirs / middle(own), least, least=True)
    for part in ("analyze", "retrieve", "rank"):
        table.row(f"of it {part}" + (", embedding included" if part == "retrieve" else ""), f"{middle(own, part):.2f}")
    for part in ("scan", "embed", "graph"):
        table.row(f"apart: {part}" + (", on the wall" if part == "graph" else ""), f"{middle(own, part):.2f}")
    table.row("everything, on the wall", f"{middle(own, 'wall'):.2f}")


def measure_index(pool: Path, bare: Side, rounds: int, table: Table) -> None:
    """Print what the index takes, beside bm25s on one text a skill: ours reads files, and writes its own."""
    answers: dict[str, list[Figures]] = {"ours": [], "bm25s": []}
    for _ in range(rounds):
        with TemporaryDirectory() as cache, ExitStack() as stack:
            answers["ours"].append(ours(stack, "index", pool, Path(cache)).ask({}))
        answers["bm25s"].append(bare.ask({}))
    own, theirs = middle(answers["ours"]), middle(answers["bm25s"])
    print(f"\nindex of {answers['ours'][0]['skills']:,} skills without vectors; medians, s of processor time, ratio")
    table.row("bm25s, tokenising and indexing the same text", f"{theirs / 1000:.2f}")
    table.row("cold index, to that", f"{own / 1000:.2f}", own / theirs, INDEX_MOST)
    table.row("its peak, MB", f"{answers['ours'][0]['peak']:.0f}")


def measure_growth(pool: Path, cache: Path, copies: int, tasks: Sequence[str], table: Table) -> None:
    """Print what more skills cost: the index once, and the same tasks asked of both pools in turn."""
    with TemporaryDirectory() as folder, TemporaryDirectory() as large_cache, ExitStack() as stack:
        root = Path(folder)
        count = copy_skills(pool, root, copies)
        with ExitStack() as alone:
            built = ours(alone, "index", root, Path(large_cache)).ask({})
        print(f"\n{count:,} skills, altered copies")
        table.row("cold index, s of processor time", f"{built['busy']:.1f}")
        table.row("its peak, MB", f"{built['peak']:.0f}")
        complete(root, Path(large_cache))
        for role in ("routes", "selection"):
            small, large = ours(stack, role, pool, cache), ours(stack, role, root, Path(large_cache))
            answers = [(small.ask({"task": task}), large.ask({"task": task})) for task in tasks][WARMING:]
            few, many = middle([one for one, _ in answers]), middle([one for _, one in answers])
            table.row(f"{role}, to those of the pool itself", f"{many:.2f}", many / few, GROWTH_MOST)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pool", metavar="POOL", type=Path)
    parser.add_argument("environments", metavar="ENVIRONMENTS", type=Path)
    parser.add_argument("--tasks", metavar="FILE", type=Path, action="append", required=True)
    parser.add_argument("--limit", type=int, help="about so many tasks of each file")
    parser.add_argument("--rounds", type=int, default=1, help="of the index (1)")
    parser.add_argument("--cache", type=Path, help="keep our index and vectors in this folder, for another run")
    parser.add_argument("--copies", type=int, default=1, help="measure so many altered copies as well")
    options = parser.parse_args()
    options.environments.mkdir(parents=True, exist_ok=True)
    pythons = {name: environment(options.environments, name) for name in PEERS}
    table = Table()
    with TemporaryDirectory() as folder, ExitStack() as stack:
        cache, documents = options.cache or Path(folder, "cache"), Path(folder, "documents.jsonl")
        complete(options.pool, cache)
        write_documents(options.pool, cache, documents)
        sides = {role: ours(stack, role, options.pool, cache) for role in ("routes", "selection")}
        for name, python in pythons.items():
            sides[name] = stack.enter_context(opened(python, str(HERE / "peer.py"), name, str(documents)))
        tasks = {path: read_tasks(path, options.limit) for path in options.tasks}
        for path, listed in tasks.items():
            show_tasks(re.sub(r"\.jsonl$", "", path.name), listed, measure_tasks(listed, sides), table)
        measure_index(options.pool, sides["bm25s"], options.rounds, table)
        if options.copies > 1:
            everything = [task for listed in tasks.values() for task in listed]
            measure_growth(options.pool, cache, options.copies, everything, table)
    return int(not table.kept)


if __name__ == "__main__":
    sys.exit(main())
