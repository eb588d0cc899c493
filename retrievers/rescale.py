"""What an embedder's cosines mean: a scale on which 0.5 parts fits from the rest, whoever made the vectors.

Source 001 takes cosines as they are, where 0.92 is a fit, 0.45 is none and 0.5 parts them. Other embedders put their
fits elsewhere (the bundled one near 0.33). Twenty-four pairs of a task and its skill, shipped as data, show where.
"""

import json
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

_scales: "dict[str, Rescale]" = {}
_measuring = Lock()


@dataclass(frozen=True)
class Rescale:
    """Two cosines of an embedder and the line through them: 0 and 0.5 on the scale, which ends at 1."""

    stranger: float
    """The median of tasks with the skills of other tasks."""
    boundary: float
    """As many fits lie below it as tasks have a stranger above it."""

    @property
    def usable(self) -> bool:
        """Whether the embedder tells fits from strangers at all; otherwise cosines are taken as they are."""
        return self.stranger < self.boundary

    def __call__(self, cosines: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return cosines on the scale, 0 to 1; NaN stays."""
        if not self.usable:
            scaled = np.clip(cosines, 0, 1)
        else:
            scaled = np.clip((cosines - self.stranger) / (2 * (self.boundary - self.stranger)), 0, 1)
        return np.asarray(scaled, dtype=np.float32)


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
    return Rescale(float(np.median(others)), float(boundary))


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
        return Rescale(**{name: float(values[name]) for name in ("stranger", "boundary")})
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
