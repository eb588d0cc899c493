"""What `speed.py` runs of ours: processes that are asked over their standard input, as those of the peers are.

    python benchmarks/own.py ROLE POOL CACHE

Roles: `routes` times the lexical routes over given words; `selection` times whole selections by their parts; `index`
scans and indexes, and says how much memory that took.
"""

import json
import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from skill_selector.catalog.skill import Skill
from skill_selector.graph.settings import Settings
from skill_selector.nodes.analyze import Analyze
from skill_selector.nodes.rank import Rank
from skill_selector.nodes.retrieve import Retrieve
from skill_selector.nodes.scan import Scan
from skill_selector.reasoners.extraction import analyze_task
from skill_selector.retrievers.embedder import Embedder
from skill_selector.retrievers.library import Library, LibraryCache
from skill_selector.retrievers.search import FEWEST, SPARE, SearchRequest, build_retriever
from skill_selector.retrievers.strategy import REACT
from skill_selector.retrievers.text import tokenize
from skill_selector.retrievers.words import load_words

Question = dict[str, Any]
Figures = dict[str, Any]

LEXICAL = replace(REACT, routes=tuple(route for route in REACT.routes if route.name != "semantic"))
SETTINGS = Settings(reasoner="local")


def load(pool: str, cache: str) -> Library:
    """Return the pool's library with the fields that the default strategy needs."""
    library = LibraryCache().load([pool], cache_dir=cache)
    library.index(None, REACT.fields)
    return library


def request_of(task: str, library: Library) -> SearchRequest:
    """Return what Act is asked for a task, without vectors."""
    words = load_words()
    return SearchRequest(
        task=task,
        analysis=analyze_task(task, words),
        skills=library.skills,
        index=library.index(),
        settings=SETTINGS,
        words=words,
        strategy=LEXICAL,
    )


def routes(pool: str, cache: str) -> Callable[[Question], Figures]:
    """Return what times the routes: the words of the task are at hand, as they are for a bare engine."""
    library = load(pool, cache)

    def answer(question: Question) -> Figures:
        request = request_of(question["task"], library)
        tokens = [*request.query.weights]
        _ = request.concepts
        start, busy = time.perf_counter(), time.process_time()
        build_retriever(request, limit=int(FEWEST * SPARE)).invoke(request.task)
        wall, spent = time.perf_counter() - start, time.process_time() - busy
        return {"wall": wall, "busy": spent, "tokens": tokens}

    return answer


def selection(pool: str, cache: str) -> Callable[[Question], Figures]:
    """Return what times whole selections: processor time by part; of the graph and of all, the time on the wall.

    Processor time is that of the thread that a part runs in: the threads that the embedder leaves behind go on spinning
    for a while, and are not what is measured.
    """
    os.environ["SELECTOR_CACHE_DIR"] = cache
    spent: defaultdict[str, float] = defaultdict(float)
    passed: defaultdict[str, float] = defaultdict(float)
    parts: list[tuple[type, str, str]] = [
        (Scan, "run", "scan"),
        (Analyze, "run", "analyze"),
        (Retrieve, "run", "retrieve"),
        (Rank, "run", "rank"),
        (Embedder, "queries", "embed"),
    ]
    for owner, method, name in parts:
        setattr(owner, method, watched(getattr(owner, method), name, spent, passed))
    # The graph binds the nodes' methods when it is built.
    from skill_selector import select_skill  # noqa: PLC0415

    def answer(question: Question) -> Figures:
        spent.clear()
        passed.clear()
        start = time.perf_counter()
        select_skill(question["task"], pool, offline=True)
        wall = time.perf_counter() - start
        own = spent["analyze"] + spent["retrieve"] + spent["rank"] - spent["embed"]
        graph = wall - sum(passed[name] for name in ("scan", "analyze", "retrieve", "rank"))
        return {"wall": wall, "graph": graph, **spent, "busy": own}

    return answer


def watched(
    method: Callable[..., Any], name: str, spent: dict[str, float], passed: dict[str, float]
) -> Callable[..., Any]:
    """Return the method, adding the processor time and the time on the wall that it takes."""

    def run(*given: Any, **named: Any) -> Any:
        start, busy = time.perf_counter(), time.thread_time()
        try:
            return method(*given, **named)
        finally:
            spent[name] += time.thread_time() - busy
            passed[name] += time.perf_counter() - start

    return run


def index(pool: str, cache: str) -> Callable[[Question], Figures]:
    """Return what times the index over a pool that is known, made of nothing."""
    libraries = LibraryCache()
    library = libraries.load([pool], cache_dir=cache)

    def answer(_question: Question) -> Figures:
        start, busy = time.perf_counter(), time.process_time()
        library.index(None, REACT.fields)
        wall, spent = time.perf_counter() - start, time.process_time() - busy
        unit = 1024**2 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
        return {"wall": wall, "busy": spent, "peak": peak, "skills": len(library.skills)}

    return answer


def document(skill: Skill) -> dict[str, str]:
    """Return a skill as the peers get it, with the tokens of its texts."""
    texts = {"name": skill.name, "description": skill.description, "when_to_use": skill.when_to_use, "body": skill.body}
    return {"id": skill.id, **texts, "tokens": " ".join(tokenize("\n".join(texts.values())))}


ROLES = {"routes": routes, "selection": selection, "index": index}


def main() -> None:
    """Answer questions, one a line."""
    role, pool, cache = sys.argv[1:]
    answer = ROLES[role](pool, cache)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
