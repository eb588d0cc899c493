"""The similarity route: the cosine of the whole task with one text of each skill, as sources 001 and 003 take it."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from skill_selector.graph.errors import SettingError
from skill_selector.retrievers.meaning import Meaning
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.rescale import Rescale
from skill_selector.retrievers.routes import Route
from skill_selector.retrievers.strategy import RouteSpec

LONGEST = 4_000
"""Characters of a task that are embedded."""


class SimilarityRoute(Route):
    """Score = cosine, or the cosine on the embedder's scale.

    A skill without a vector gets the mean of the others: not knowing must neither help nor hurt it.
    """

    meaning: Meaning | None = Field(repr=False)
    """None where vectors are switched off."""
    text: str
    rescaled: bool = False

    @cached_property
    def cosines(self) -> NDArray[np.float32] | None:
        """The cosine of each skill [skills], NaN where it has no vector; None where none has."""
        found = self.meaning.cosines([self.text]) if self.meaning else None
        return None if found is None else found[:, 0]

    @cached_property
    def scale(self) -> Rescale | None:
        """What the cosines mean; None where they are taken as they are."""
        return self.meaning.scale() if self.rescaled and self.meaning and self.cosines is not None else None

    @cached_property
    def applies(self) -> NDArray[np.bool_] | None:
        """All skills, or none where there are no vectors."""
        return None if self.cosines is not None else np.zeros(len(self.index), dtype=bool)

    def measure(self) -> NDArray[np.float32]:
        """Return each skill's score [skills], up to 1."""
        if self.cosines is None:
            return np.zeros(len(self.index), dtype=np.float32)
        scores = self.cosines if self.scale is None else self.scale.apply(self.cosines, len(self.index))
        missing = np.isnan(scores)
        return np.where(missing, scores[~missing].mean(), scores) if missing.any() else scores

    def note(self, at: int) -> str | None:
        """Return the cosine behind the score."""
        if self.cosines is None or np.isnan(self.cosines[at]):
            return "no vector"
        return f"cosine {self.cosines[at]:.2f}"


def similarity_route(request: SearchRequest, spec: RouteSpec, common: Mapping[str, Any]) -> Route:
    """Build the route over the request's vectors. Options: `text`, the kind of text; `rescale`, true or false.

    Raises:
        SettingError: the score is a product, of which vectors are a factor, and they are switched off.
    """
    if request.meaning is None and request.strategy.combine == "product":
        raise SettingError(
            f"strategy {request.strategy.name!r} needs vectors, and SELECTOR_EMBEDDINGS is none; name an embedder"
        )
    task = " ".join(request.task.split())[:LONGEST]
    return SimilarityRoute(
        meaning=request.meaning, text=task, rescaled=bool(spec.options.get("rescale", False)), **common
    )
