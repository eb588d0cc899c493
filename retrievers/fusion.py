"""Fusion of several retrievers by their scores."""

from collections.abc import Collection, Iterable, Iterator
from math import isfinite, prod
from typing import Any, Self

import numpy as np
from langchain_classic.retrievers.ensemble import EnsembleRetriever
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.runnables import RunnableConfig
from numpy.typing import NDArray
from pydantic import model_validator

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import RetrieverError
from skill_selector.retrievers.routes import Route, best_positions, make_document, skill_text
from skill_selector.retrievers.strategy import Combine


class ScoreFusionRetriever(EnsembleRetriever):
    """LangChain's ensemble, fusing scores where it fuses ranks, in `invoke` and `ainvoke` alike.

    Sum: weight x score, added up. Mean: the same, divided by the weights of the children that have something to say of
    the document (`Route.applies`). Product: score ** weight, multiplied; a document that a child does not find is out.
    The score is `metadata["score"]`; a list of documents without one counts by its ranks, 1 / (rank + c). The fused
    documents are new ones, best first; their metadata holds `id`, `score`, and `routes`: each child's share, the
    summands or factors of the score. A child of weight 0 is heard, but finds nothing.
    """

    id_key: str | None = "id"
    combine: Combine = "sum"

    @model_validator(mode="after")
    def _check_weights(self) -> Self:
        if any(not isfinite(weight) or weight < 0 for weight in self.weights):
            raise ValueError(f"weights are {self.weights}: they must be numbers of 0 or more, one of them more than 0")
        return self

    @property
    def route_names(self) -> list[str]:
        """The children's names, made distinct."""
        names: list[str] = []
        for child in self.retrievers:
            name, number = child.get_name(), 2
            while name in names:
                name, number = f"{child.get_name()}_{number}", number + 1
            names.append(name)
        return names

    def rank_fusion(
        self,
        query: str,
        run_manager: CallbackManagerForRetrieverRun,
        *,
        config: RunnableConfig | None = None,
    ) -> list[Document]:
        """Return the fused documents; the children's own are made only where somebody listens to them."""
        routes = None if run_manager.handlers else self._routes()
        return self._fuse(routes) if routes else super().rank_fusion(query, run_manager, config=config)

    def weighted_reciprocal_rank(self, doc_lists: list[list[Document]]) -> list[Document]:
        """Return the fused documents: the one step of the ensemble that sees every child's list.

        Raises:
            RetrieverError: a child's document has no id, or a score that is not a finite number.
        """
        names = self.route_names
        tables = [self._table(documents, name) for documents, name in zip(doc_lists, names, strict=True)]
        originals: dict[str, Document] = {}
        for documents, weight in zip(doc_lists, self.weights, strict=True):
            if weight:
                for document in documents:
                    originals.setdefault(self._key(document), document)
        originals.update(self._cut_off(originals))
        shares = {key: dict(zip(names, self._shares(key, tables), strict=True)) for key in originals}
        scores = {key: self._total(parts.values()) for key, parts in shares.items()}
        found = [key for key, score in scores.items() if score > 0 or self.combine != "product"]
        found.sort(key=lambda key: (-scores[key], self._place(key)))
        return [_fused(originals[key], key, scores[key], shares[key]) for key in found]

    def _key(self, document: Document) -> str:
        return document.page_content if self.id_key is None else str(document.metadata[self.id_key])

    def _table(self, documents: list[Document], name: str) -> dict[str, float]:
        """Return one child's scores by document; of several with one id the first counts."""
        if self.id_key is not None and any(self.id_key not in document.metadata for document in documents):
            raise RetrieverError(f"{name}: a document has no metadata[{self.id_key!r}], which must hold its skill's id")
        scores = [document.metadata.get("score") for document in documents]
        if None in scores:
            scores = [1 / (rank + self.c) for rank in range(1, len(documents) + 1)]
        table: dict[str, float] = {}
        for document, score in zip(documents, scores, strict=True):
            number = finite_number(score)
            if number is None:
                raise RetrieverError(f"{name}: the score of {self._key(document)!r} is {score!r}, not a finite number")
            table.setdefault(self._key(document), number)
        return table

    def totals(self) -> NDArray[np.float32] | None:
        """Return the fused score of every skill [skills], or None where a child is no route over the same index."""
        routes = [child for child, weight in zip(self.retrievers, self.weights, strict=True) if weight]
        weights = [weight for weight in self.weights if weight]
        first = routes[0]
        if not isinstance(first, Route) or self.id_key != "id":
            return None
        total = np.full(len(first.index), float(self.combine == "product"), dtype=np.float32)
        carried = np.zeros(len(first.index), dtype=np.float32)
        for route, weight in zip(routes, weights, strict=True):
            if not isinstance(route, Route) or route.index is not first.index:
                return None
            if self.combine == "product":
                total *= route.scores ** np.float32(weight)
            else:
                total += route.scores * np.float32(weight)
                carried += np.float32(weight) * (1 if route.applies is None else route.applies)
        if self.combine == "mean":
            np.divide(total, carried, out=total, where=carried > 0)
        return total

    def _routes(self) -> list[Route] | None:
        """Return the children where each is a route over the same index, whose arrays hold all there is to know.

        A mean is not among them: what a part weighs there differs from skill to skill.
        """
        if self.combine == "mean":
            return None
        routes = [child for child in self.retrievers if isinstance(child, Route)]
        same = len(routes) == len(self.retrievers) and all(one.index is routes[0].index for one in routes)
        return routes if same and self.id_key == "id" else None

    def _fuse(self, routes: list[Route]) -> list[Document]:
        """Do what `weighted_reciprocal_rank` does, without the children's documents."""
        used = [route for route, weight in zip(routes, self.weights, strict=True) if weight]
        found = {at for route in used for at in best_positions(route.scores, route.limit)}
        total = self.totals()
        assert total is not None  # noqa: S101 - they share an index
        found.update(best_positions(total, used[0].limit))
        positions = sorted(found)
        names = self.route_names
        scores = (route.scores[positions].astype(np.float64) for route in routes)
        columns = [self._column(one, weight) for one, weight in zip(scores, self.weights, strict=True)]
        fused: list[tuple[float, int, tuple[float, ...]]] = []
        for at, shares in zip(positions, zip(*columns, strict=True), strict=True):
            score = self._total(shares)
            if score > 0 or self.combine != "product":
                fused.append((-score, at, shares))
        fused.sort()  # no place is there twice, so that the shares are never compared
        skills = used[0].index.skills
        return [_document(skills[at], -score, dict(zip(names, shares, strict=True))) for score, at, shares in fused]

    def _column(self, scores: NDArray[np.float64], weight: float) -> list[float]:
        if self.combine == "sum":
            weighed: list[float] = (weight * scores).tolist()
            return weighed
        return [self._share(score, weight) for score in scores.tolist()]

    def _share(self, score: float, weight: float) -> float:
        return max(score, 0.0) ** weight if self.combine == "product" else weight * score

    def _total(self, shares: Iterable[float]) -> float:
        return float(prod(shares) if self.combine == "product" else sum(shares))

    def _cut_off(self, known: Collection[str]) -> dict[str, Document]:
        """Return the other documents that are among the best of all although they lie beyond each child's limit."""
        total = self.totals()
        if total is None:
            return {}
        first = next(child for child, weight in zip(self.retrievers, self.weights, strict=True) if weight)
        assert isinstance(first, Route)  # noqa: S101 - or there were no totals
        best = ((at, first.index.ids[at]) for at in best_positions(total, first.limit))
        return {skill_id: first.document(at) for at, skill_id in best if skill_id not in known}

    def _shares(self, key: str, tables: list[dict[str, float]]) -> Iterator[float]:
        carried = 1.0
        if self.combine == "mean":
            carried = sum(
                weight for child, weight in zip(self.retrievers, self.weights, strict=True) if _applies(child, key)
            )
        for child, weight, table in zip(self.retrievers, self.weights, tables, strict=True):
            score = table.get(key)
            if score is None:
                # Its own limit may have cut it off, which must not cost a document that another child found.
                score = child.score_of(key) if isinstance(child, Route) else 0.0
            yield self._share(score, weight / (carried or 1.0))

    def _place(self, key: str) -> int:
        """Return the document's place in the catalogue, so that equal scores keep its order; 0 where there is none."""
        for child in self.retrievers:
            if isinstance(child, Route) and key in child.index:
                return child.index.position(key)
        return 0


def _applies(child: Any, key: str) -> bool:
    """Say whether a child has anything to say of a document; only our routes know of any where they have not."""
    if not isinstance(child, Route) or key not in child.index or child.applies is None:
        return True
    return bool(child.applies[child.index.position(key)])


def finite_number(value: Any) -> float | None:
    """Return a score that a stranger's code made as a float, or None where it is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return None
    number = float(value)
    return number if isfinite(number) else None


def _document(skill: Skill, score: float, shares: dict[str, float]) -> Document:
    return make_document(skill_text(skill), {"id": skill.id, "score": score, "routes": shares})


def _fused(original: Document, key: str, score: float, shares: dict[str, float]) -> Document:
    metadata = {name: value for name, value in original.metadata.items() if name != "route"}
    metadata |= {"id": key, "score": score, "routes": shares}
    return make_document(original.page_content, metadata, original.id)
