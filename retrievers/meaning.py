"""How near a task and the skills are in meaning, for one run: what is there is used, what is missing is reported."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skill_selector.graph.errors import EmbedderError
from skill_selector.graph.records import Degradation
from skill_selector.retrievers.rescale import Rescale, rescale_of
from skill_selector.retrievers.vectorindex import VectorIndex

ON_THE_SPOT = 200
"""Missing texts that a selection embeds itself, which takes half a second; more are left to `skill-selector index`."""


class Meaning:
    """The vectors of one run, looked at when first asked for. Not for several threads."""

    def __init__(
        self, vectors: VectorIndex, roots: Sequence[str] = (), *, strict: bool = False, scales: Path | None = None
    ) -> None:
        """Take the vectors.

        Args:
            vectors: of the skills that are searched, in their order.
            roots: the scanned folders, for the message.
            scales: the folder that keeps what cosines mean.
            strict: raise where the embedder fails, instead of going on without.
        """
        self._vectors = vectors
        self._roots = roots
        self._strict = strict
        self._scales = scales
        self._ready = False
        self.faults: list[Degradation] = []
        """What is missing or failed."""

    def cosines(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """Return the cosine of each skill with each text [skills, texts]; NaN for skills without a vector.

        None where no skill has one, or the embedder failed.

        Raises:
            EmbedderError: it failed, and `strict` is set.
        """
        try:
            if not self._ready:
                missing = self._vectors.complete(most=ON_THE_SPOT)
                self._ready = True
                self._note(missing)
            if not self._vectors.known.any():
                return None
            found = self._vectors.cosines(self._vectors.embedder.queries(texts))
        except EmbedderError as error:
            if self._strict:
                raise
            self._add("embedder", str(error), "the routes over words")
            return None
        return None if np.isnan(found).all() else found

    def scale(self) -> Rescale | None:
        """Return what the embedder's cosines mean; None where it failed.

        Raises:
            EmbedderError: it failed, and `strict` is set.
        """
        try:
            return rescale_of(self._vectors.embedder, self._scales)
        except EmbedderError as error:
            if self._strict:
                raise
            self._add("scale of the embedder", str(error), "its cosines as they are")
            return None

    def similarity(self, first: int, second: int) -> float | None:
        """Return the cosine of two skills, given by their places; None where it is not at hand already."""
        return self._vectors.similarity(first, second) if self._ready else None

    def _note(self, missing: int) -> None:
        if missing:
            command = " ".join(["skill-selector index", *self._roots])
            why = f"{missing:,} of {len(self._vectors):,} skills have none yet"
            self._add("vectors", why, f"the routes over words; make them with: {command}")

    def _add(self, what: str, why: str, instead: str) -> None:
        fault: Degradation = {"step": "retrieve", "round": 1, "what": what, "why": why, "instead": instead}
        if fault not in self.faults:
            self.faults.append(fault)
