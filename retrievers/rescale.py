"""What an embedder's cosines mean: a scale on which 0.5 parts fits from the rest, whoever made the vectors.

Source 001 takes cosines as they are, where 0.92 is a fit, 0.45 is none and 0.5 parts them. Other embedders put their
fits elsewhere (the bundled one near 0.33). Twenty-four pairs of a task and its skill, shipped as data, show where.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from threading import Lock
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from skill_selector.retrievers.embedder import Embedder

DATA_FILE = "similarity-pairs.tsv"
LEAST_SPAN = 0.01
"""Between strangers and the boundary; what lies closer is chance."""

_scales: "dict[str, Rescale]" = {}
_measuring = Lock()


@dataclass(frozen=True)
class Rescale:
    """Where an embedder's cosines lie, and the scale that follows: 0 to 1, 0.5 parting fits from the rest."""

    stranger: float
    """The mean of tasks with the skills of other tasks."""
    spread: float
    """The standard deviation of those."""
    boundary: float
    """As many fits lie below it as tasks have a stranger above it, among 24 skills."""

    def boundary_among(self, count: int) -> float:
        """Return the cosine that 0.5 stands for among so many skills.

        The more there are, the nearer the nearest stranger comes by chance: about the mean + spread · √(2 ln count).
        """
        return max(self.boundary, self.stranger + self.spread * math.sqrt(2 * math.log(max(count, 2))))

    def apply(self, cosines: NDArray[np.float32], count: int) -> NDArray[np.float32]:
        """Return cosines on the scale among so many skills, 0 to 1; NaN stays.

        A line from the strangers' mean to the boundary, beyond which it bends, 1 - 0.5 · exp(-x), so that the order of
        good fits stays. An embedder that does not tell fits from strangers keeps its cosines.
        """
        if self.boundary - self.stranger < LEAST_SPAN:
            return np.clip(cosines, 0, 1).astype(np.float32)
        boundary = self.boundary_among(count)
        over = (cosines.astype(np.float64) - boundary) / (boundary - self.stranger)
        scaled = np.where(over <= 0, (1 + over) / 2, 1 - np.exp(-np.maximum(over, 0)) / 2)
        return np.clip(scaled, 0, 1).astype(np.float32)


def rescale_of(embedder: Embedder, folder: Path | None = None) -> Rescale:
    """Return an embedder's scale: kept in the process and in the folder, else measured with 48 short texts.

    Raises:
        EmbedderError: the embedder failed.
    """
    with _measuring:
        known = _scales.get(embedder.identity)
        if known is None:
            known = _scales[embedder.identity] = _find(embedder, folder)
        return known


def measure(tasks: NDArray[np.float32], skills: NDArray[np.float32]) -> Rescale:
    """Return the scale that vectors of length 1 of matching tasks and skills [pairs, dimensions] show."""
    cosines = tasks @ skills.T
    own = np.diagonal(cosines)
    others = cosines[~np.eye(len(cosines), dtype=bool)].reshape(len(cosines), -1)
    rivals = others.max(axis=1)
    marks = np.sort(np.concatenate([own, rivals]))
    between = (marks[:-1] + marks[1:]) / 2
    missed = (own[None, :] < between[:, None]).mean(axis=1)
    passed = (rivals[None, :] >= between[:, None]).mean(axis=1)
    boundary = between[int(np.argmin(np.maximum(missed, passed)))]
    return Rescale(float(others.mean()), float(others.std()), float(boundary))


@lru_cache(maxsize=1)
def pairs() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tasks and, in the same order, the texts of their skills."""
    text = (files("skill_selector.retrievers") / "data" / DATA_FILE).read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(row[0] for row in rows), tuple(row[1] for row in rows)


def _find(embedder: Embedder, folder: Path | None) -> Rescale:
    tasks, skills = pairs()
    path = folder / f"{embedder.key}-{_digest((*tasks, *skills))}.json" if folder else None
    known = _read(path) if path else None
    if known is None:
        known = measure(embedder.queries(tasks), embedder.documents(skills))
        if path:
            _keep(path, known)
    return known


def _digest(texts: Sequence[str]) -> str:
    return blake2b("\n".join(texts).encode("utf-8"), digest_size=6).hexdigest()


def _read(path: Path) -> Rescale | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return Rescale(**{name: float(values[name]) for name in ("stranger", "spread", "boundary")})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _keep(path: Path, scale: Rescale) -> None:
    from skill_selector.catalog.cache import warn_once  # noqa: PLC0415 - once for an embedder

    temporary = path.with_name(f"{path.name}.{uuid4().hex}.tmp")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary.write_text(json.dumps(asdict(scale)), encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        warn_once(path.parent, error)
