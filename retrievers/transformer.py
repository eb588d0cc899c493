"""A model of sentence-transformers that runs here, loaded when first used."""

from threading import Lock
from typing import Any

from langchain_core.embeddings import Embeddings

from skill_selector.graph.errors import EmbedderError

EXTRA = "pip install 'skill-selector[transformers]'"
QUERY_PROMPT = "query"
"""The name that models give the prompt for what is searched with, where they have one."""


class TransformerEmbeddings(Embeddings):
    """Vectors of length 1. Threads may share it."""

    def __init__(self, model: str) -> None:
        self.model = model
        """A name on the model hub, from where it is fetched once, or a folder."""
        self._loaded: Any = None
        self._lock = Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector of each text."""
        return self._encode(texts, None)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of what is searched with, under the model's own prompt for that."""
        return self._encode([text], QUERY_PROMPT)[0]

    def _encode(self, texts: list[str], prompt: str | None) -> list[list[float]]:
        with self._lock:
            model = self._load()
            known = getattr(model, "prompts", None) or {}
            options = {"prompt_name": prompt} if prompt in known else {}
            vectors = model.encode(texts, normalize_embeddings=True, show_progress_bar=False, **options)
        return [[float(value) for value in row] for row in vectors]

    def _load(self) -> Any:
        if self._loaded is None:
            try:
                from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - an extra, and takes seconds
            except ImportError as error:
                raise EmbedderError(
                    f"embeddings are 'sentence-transformers:{self.model}' and the library is not there ({error}): "
                    f"{EXTRA}, or set SELECTOR_EMBEDDINGS=bundled"
                ) from error
            self._loaded = SentenceTransformer(self.model)
        return self._loaded
