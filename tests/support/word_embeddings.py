"""An embedder for tests: a bag of words, each word hashed to a direction of its own."""

import random
from hashlib import blake2b

from langchain_core.embeddings import Embeddings

SYNONYMS = {"合并": "merge", "文件": "file", "会议": "meeting", "纪要": "minutes", "files": "file"}
"""Words that mean the same in it."""


class WordEmbeddings(Embeddings):
    """Texts that share words are near each other. It keeps what it was asked, and fails when it is told to."""

    def __init__(self, identity: str = "words 1", dimension: int = 64) -> None:
        self.identity = identity
        self.dimension = dimension
        self.documents: list[str] = []
        """Every text that was embedded as a document, in order."""
        self.queries: list[str] = []
        self.fail_after: int | None = None
        """It raises once it was asked for more documents than this."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector of each text."""
        if self.fail_after is not None and len(self.documents) + len(texts) > self.fail_after:
            raise ConnectionError("the endpoint does not answer")
        self.documents += texts
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        if self.fail_after is not None:
            raise ConnectionError("the endpoint does not answer")
        self.queries.append(text)
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        for word, meaning in SYNONYMS.items():
            text = text.replace(word, f" {meaning} ")
        words = "".join(one if one.isalnum() else " " for one in text.lower()).split()
        total = [0.0] * self.dimension
        for word in words or ["nothing"]:
            seeded = random.Random(blake2b(word.encode(), digest_size=8).digest())  # noqa: S311 - no secret
            total = [value + seeded.gauss(0, 1) for value in total]
        return total
