"""Compiling context over 10,000 chunks: a warm run beside the bare searches that it needs, and a route that hangs.

    python benchmarks/compiling.py [--chunks N] [--rounds N] [--most RATIO]

Every run asks something else, so that nothing comes from the cache of compiled contexts; how long that one takes is
shown beside it. The bundled encoder makes the queries' vectors; those of the chunks are random, since making them takes
minutes and their values cost nothing. Exit status 1 where a warm run takes more than `--most` times the searches, or a
route that hangs more than its limit and a warm run.
"""

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from skill_selector.compiler.request import CompileRequest
from skill_selector.compiler.retrieve import MOST_PLAIN
from skill_selector.compiler.routes import ROUTES, by_meaning
from skill_selector.compiler.strategy import strategy_table
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.context_compiler import build_context_compiler
from skill_selector.knowledge.search import Hit, KnowledgeSearch
from skill_selector.retrievers.bundled import bundled_embeddings
from skill_selector.retrievers.embedder import Embedder

TOPICS = ("order", "refund", "parcel", "coupon", "visit", "review", "invoice", "ticket", "stock", "payment")
COLUMNS = ("amount", "status", "created_at", "user_id", "channel", "country", "points", "reason_code", "kind", "weight")
ASKED = ("total", "share", "mean", "count", "latest", "oldest", "largest", "median")
LIMIT = 0.5
"""Seconds that a route may take in the run with one that hangs."""
SKILL = {
    "skill_id": "data_query.generate_sql",
    "description": "Write a SQL query for the shop from a description in words and the tables concerned.",
    "input_schema": {
        "type": "object",
        "properties": {"nl_description": {"type": "string"}, "table_schema": {"type": "string"}},
        "required": ["nl_description", "table_schema"],
    },
    "metadata": {
        "category": "data_query",
        "preferred_context_types": ["table_schema", "sql_example", "query_pattern"],
        "related_keywords": ["SELECT", "WHERE", "JOIN", "GROUP BY"],
    },
}


class QueriesOnly(Embeddings):
    """The bundled encoder for queries, random vectors for documents."""

    identity = "bundled queries, random documents"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector of each text."""
        found: list[list[float]] = np.random.default_rng(len(texts)).normal(size=(len(texts), 512)).tolist()
        return found

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        return bundled_embeddings().embed_query(text)


def write_skill(folder: Path) -> None:
    """Write the one skill."""
    place = folder / "generate-sql"
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(
        "---\nname: generate-sql\ndescription: Write SQL.\n---\n\nWrite it.\n", encoding="utf-8"
    )
    (place / "skill.json").write_text(json.dumps(SKILL), encoding="utf-8")


def write_knowledge(folder: Path, chunks: int) -> None:
    """Write tables, queries and prose, a fifth, two fifths and two fifths of the chunks."""
    random = Random(1)  # noqa: S311 - no secret
    folder.mkdir()
    for number in range(0, chunks, 100):
        topic = TOPICS[number // 100 % len(TOPICS)]
        tables, queries, prose = [], [], []
        for at in range(number, number + 20):
            columns = ",\n".join(f"  {name}_{at % 7} INT NOT NULL" for name in random.sample(COLUMNS, 6))
            tables.append(f"CREATE TABLE {topic}_{at} (\n{columns}\n);\n")
        for at in range(number, number + 40):
            one, other = random.sample(COLUMNS, 2)
            by, table = f"{one}_{at % 7}", f"{topic}_{number + at % 20}"
            sql = f"SELECT {by}, SUM({other}_{at % 7}) FROM {table} GROUP BY {by}"  # noqa: S608 - never run
            says = f"{random.choice(ASKED)} {other} of each {topic} by {one}, variant {at}"
            queries.append(json.dumps({"description": says, "sql": sql}))
            words = " ".join(random.choices([*TOPICS, *COLUMNS, *ASKED], k=50))
            prose.append(f"## {topic} note {at}\n\n{words} `{topic}_{number + at % 20}` {at}.\n")
        (folder / f"t{number}.sql").write_text("\n".join(tables), encoding="utf-8")
        (folder / f"q{number}.jsonl").write_text("\n".join(queries), encoding="utf-8")
        (folder / f"n{number}.md").write_text("\n".join(prose), encoding="utf-8")


def tasks(count: int, seed: int) -> list[dict[str, Any]]:
    """Return inputs, each of them asking something else."""
    random = Random(seed)  # noqa: S311 - no secret
    found = []
    for at in range(count):
        topic, asked, column = random.choice(TOPICS), random.choice(ASKED), random.choice(COLUMNS)
        table = f"{topic}_{TOPICS.index(topic) * 100 + at % 20}"
        says = f"{asked} {column} of every {topic} in week {seed * 1000 + at}"
        parameters = {"nl_description": says, "table_schema": f"{table}({column}_{at % 7}, user_id_{at % 7})"}
        found.append({"task": says, "parameters": parameters, "skill_id": SKILL["skill_id"]})
    return found


def milliseconds(work: Callable[[], object]) -> float:
    """Return the wall time of a call."""
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


class Bench:
    """One knowledge base, with what is measured over it."""

    def __init__(self, place: Path, chunks: int) -> None:
        write_skill(place / "skills")
        write_knowledge(place / "knowledge", chunks)
        self.base = {"knowledge_directory": str(place / "knowledge"), "skill_directory": str(place / "skills")}
        self.context = SelectorContext(reasoner="local")
        self.seen: list[tuple[KnowledgeSearch, CompileRequest]] = []
        self.embedder = Embedder(QueriesOnly())
        self.graph = build_context_compiler(embeddings=QueriesOnly(), routes={"names": self._watched})
        self._gate = threading.Event()
        self.hanging = build_context_compiler(embeddings=QueriesOnly(), routes={"keywords": self._stuck})

    def _watched(self, search: KnowledgeSearch, request: CompileRequest) -> list[Hit]:
        self.seen.append((search, request))
        return ROUTES["names"](search, request)

    def _stuck(self, _search: KnowledgeSearch, _request: CompileRequest) -> list[Hit]:
        self._gate.wait(60)
        return []

    def compile(self, given: dict[str, Any], *, hanging: bool = False) -> dict[str, Any]:
        """Compile once."""
        context = SelectorContext(reasoner="local", route_timeout=LIMIT if hanging else 60)
        graph = self.hanging if hanging else self.graph
        state: Any = {**self.base, **given}
        made: dict[str, Any] = graph.invoke(state, context=context)["compiled_context"]
        return made

    def round(self, given: dict[str, Any]) -> tuple[float, float, float]:
        """Return the milliseconds of a compilation, of the searches that it needs, and of the same once more.

        Side by side, so that what else the machine does meets all three.
        """
        warm = milliseconds(lambda: self.compile(given))
        bare = milliseconds(lambda: self.searches(*self.seen[-1]))
        return warm, bare, milliseconds(lambda: self.compile(given))

    def searches(self, search: KnowledgeSearch, request: CompileRequest) -> None:
        """Do one after another the searches that a compilation of the request needs, on a search of their own."""
        search = KnowledgeSearch(search.index, search.tags, self.embedder)
        for name in strategy_table()["data_query"].routes:
            ROUTES[name](search, request)
        by_meaning(search, request, MOST_PLAIN)

    def release(self) -> None:
        """Let what hangs end."""
        self._gate.set()


def main() -> int:
    """Measure, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--most", type=float, default=3.0)
    options = parser.parse_args()
    with TemporaryDirectory() as place:
        os.environ["SELECTOR_CACHE_DIR"] = str(Path(place) / "cache")
        bench = Bench(Path(place), options.chunks)
        bench.compile(tasks(1, 0)[0])
        search = bench.seen[0][0]
        search.index.vectors(bench.embedder).complete()
        given = tasks(options.rounds + 1, 1)
        warm, bare, again = (median(found) for found in zip(*map(bench.round, given), strict=True))
        kept = sum(one["kept"] for one in bench.compile(given[0])["manifest"])
        bench.compile(given[0], hanging=True)
        made: dict[str, Any] = {}
        hung = milliseconds(lambda: made.update(bench.compile(given[1], hanging=True)))
        bench.release()
    print(f"{len(search.base):,} chunks; {kept} kept in the first")
    print(
        f"bare searches {bare:.1f} ms; warm compilation {warm:.1f} ms, {warm / bare:.2f} × (at most {options.most:g})"
    )
    print(f"the same again {again:.1f} ms, {again / bare:.2f} ×")
    over = (hung - warm) / (1000 * LIMIT)
    print(f"with a route that hangs {hung:.0f} ms: {over:.2f} of its limit, a warm run apart")
    print("; ".join(f"{fall['what']}: {fall['why']}" for fall in made["degraded"]))
    return int(warm / bare > options.most or over > 1.1)


if __name__ == "__main__":
    sys.exit(main())
