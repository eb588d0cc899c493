"""Searching 10,000 chunks, each way as a ratio to one product of the vectors with a query.

    python benchmarks/knowledge.py [--chunks N] [--rounds N] [--most RATIO]

Random vectors stand in for an embedder, which costs the same in every search. Exit status 1 where a way takes more than
`--most` times the product.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from langchain_core.embeddings import Embeddings

from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.knowledge.library import KnowledgeLibrary
from skill_selector.knowledge.registry import SkillRegistry
from skill_selector.retrievers.embedder import Embedder

WORDS = [
    "order",
    "user",
    "amount",
    "status",
    "parcel",
    "gateway",
    "timeout",
    "pool",
    "index",
    "query",
    "token",
    "retry",
    "label",
    "订单",
    "客户",
    "超时",
    "日志",
]
SKILL = SkillDefinition(
    id="a.b",
    description="order timeout",
    category="a",
    preferred_context_types=("api_documentation", "document"),
    related_keywords=("order", "timeout"),
)
DIMENSION = 512


class RandomEmbeddings(Embeddings):
    """Vectors that mean nothing."""

    identity = "random 1"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector of each text."""
        found: list[list[float]] = np.random.default_rng(len(texts)).normal(size=(len(texts), DIMENSION)).tolist()
        return found

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        return self.embed_documents([text])[0]


def write_folder(folder: Path, chunks: int) -> None:
    """Write files of 50 sections each."""
    random = Random(1)  # noqa: S311 - no secret
    for number in range(0, chunks, 50):
        sections = [
            f"\n## Part {at} `fn_{random.randrange(3000)}`\n\n"
            f"{' '.join(random.choices(WORDS, k=60))} GW-{at % 9000 + 1000}\n"
            for at in range(number, min(chunks, number + 50))
        ]
        (folder / f"d{number}.md").write_text("".join(sections), encoding="utf-8")


def milliseconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median wall time of a call, after one that does not count."""
    work()
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        found.append(1000 * (time.perf_counter() - start))
    return median(found)


def main() -> int:
    """Measure, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--most", type=float, default=3.0)
    options = parser.parse_args()
    with TemporaryDirectory() as place:
        folder = Path(place) / "knowledge"
        folder.mkdir()
        write_folder(folder, options.chunks)
        embedder = Embedder(RandomEmbeddings())
        search = KnowledgeLibrary(str(Path(place) / "cache")).open(folder, SkillRegistry([SKILL]), embedder=embedder)
        search.index.vectors(embedder).complete()
        matrix = np.random.default_rng(0).normal(size=(len(search.base), DIMENSION)).astype(np.float32)
        query = matrix[0]
        floor = milliseconds(lambda: matrix @ query, options.rounds)
        ways: dict[str, Callable[[], object]] = {
            "by_tag": lambda: search.by_tag("a.b"),
            "by_names": lambda: search.by_names(["fn_3", "fn_40", "order"]),
            "by_codes": lambda: search.by_codes(["GW-5021"]),
            "semantic": lambda: search.semantic("order timeout"),
            "keyword": lambda: search.keyword("order timeout 客户"),
        }
        assert all(way() for way in ways.values())  # noqa: S101 - a search that finds nothing measures nothing
        ratios = {name: milliseconds(way, options.rounds) / floor for name, way in ways.items()}
    for name, ratio in ratios.items():
        print(f"{name:<9} {ratio:6.2f} × one product ({floor:.2f} ms) over {options.chunks:,} chunks")
    return int(max(ratios.values()) > options.most)


if __name__ == "__main__":
    sys.exit(main())
