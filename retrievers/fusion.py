"""Fusion of several retrievers by their scores."""

from math import isfinite, prod
from numbers import Real
from typing import Any, Self

from langchain_classic.retrievers.ensemble import EnsembleRetriever
from langchain_core.documents import Document
from pydantic import model_validator

from skill_selector.graph.errors import RetrieverError
from skill_selector.retrievers.routes import Route
from skill_selector.retrievers.strategy import Combine


class ScoreFusionRetriever(EnsembleRetriever):
    """LangChain's ensemble, fusing scores where it fuses ranks, in `invoke` and `ainvoke` alike.

    Sum: weight x score, added up. Product: score ** weight, multiplied; a document that one child does not find is out.
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

    def weighted_reciprocal_rank(self, doc_lists: list[list[Document]]) -> list[Document]:
        """Return the fused documents: the one step of the ensemble that sees every child's list.

        Raises:
            RetrieverError: a child's document has no id, or a score that is not a finite number.
        """
        tables = [self._table(documents, name) for documents, name in zip(doc_lists, self.route_names, strict=True)]
        originals: dict[str, Document] = {}
        for documents, weight in zip(doc_lists, self.weights, strict=True):
            if weight:
                for document in documents:
                    originals.setdefault(self._key(document), document)
        total = sum if self.combine == "sum" else prod
        shares = {key: self._shares(key, tables) for key in originals}
        scores = {key: float(total(parts.values())) for key, parts in shares.items()}
        found = [key for key, score in scores.items() if score > 0 or self.combine == "sum"]
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
            if not _is_number(score):
                raise RetrieverError(f"{name}: the score of {self._key(document)!r} is {score!r}, not a finite number")
            table.setdefault(self._key(document), float(score))
        return table

    def _shares(self, key: str, tables: list[dict[str, float]]) -> dict[str, float]:
        shares: dict[str, float] = {}
        for child, name, weight, table in zip(self.retrievers, self.route_names, self.weights, tables, strict=True):
            score = table.get(key)
            if score is None:
                # Its own limit may have cut it off, which must not cost a document that another child found.
                score = child.score_of(key) if isinstance(child, Route) else 0.0
            shares[name] = weight * score if self.combine == "sum" else max(score, 0.0) ** weight
        return shares

    def _place(self, key: str) -> int:
        """Return the document's place in the catalogue, so that equal scores keep its order; 0 where there is none."""
        for child in self.retrievers:
            if isinstance(child, Route) and key in child.index:
                return child.index.position(key)
        return 0


def _is_number(score: Any) -> bool:
    return isinstance(score, Real) and not isinstance(score, bool) and isfinite(float(score))


def _fused(original: Document, key: str, score: float, shares: dict[str, float]) -> Document:
    metadata = {name: value for name, value in original.metadata.items() if name != "route"}
    metadata |= {"id": key, "score": score, "routes": shares}
    return Document(id=original.id, page_content=original.page_content, metadata=metadata)
