"""Whoever turns texts into vectors: the bundled encoder, an endpoint, or any LangChain `Embeddings`."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from skill_selector.catalog.cache import open_cache
from skill_selector.graph.errors import EmbedderError, SettingError
from skill_selector.graph.settings import ENDPOINT_PREFIX, LOCAL_PREFIX, Settings
from skill_selector.retrievers.bundled import bundled_embeddings
from skill_selector.retrievers.transformer import TransformerEmbeddings

_NAMING = (
    *("model", "model_name", "model_id", "repo_id", "deployment", "revision", "dimensions", "size", "base_url"),
    *("openai_api_base", "model_kwargs", "encode_kwargs", "query_instruction", "embed_instruction"),
)
"""Attributes of LangChain's embedders that decide what their vectors are."""

MOST_IN_A_CALL = 64
"""Texts that an endpoint gets at once: the least bound among the common ones that take several."""


class Embedder:
    """An `Embeddings` whose vectors are checked, and of length 1."""

    def __init__(self, embeddings: Embeddings, identity: str | None = None) -> None:
        """Take the embeddings.

        Args:
            embeddings: any. Where it has a text `identity`, that names its vectors.
            identity: names its vectors; those of the same identity must be comparable. By default it follows from the
                class and from the attributes that name the model.
        """
        self.embeddings = embeddings
        self.identity = identity or _identity(embeddings)

    @property
    def key(self) -> str:
        """The identity as the name of a file."""
        return blake2b(self.identity.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts that are searched [texts, dimensions].

        Raises:
            EmbedderError: it failed, or returned something that is no list of vectors.
        """
        return self._ask(self._all, texts)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts that are searched with [texts, dimensions].

        Raises:
            EmbedderError: as `documents`.
        """
        return self._ask(self._each, texts)

    def _all(self, texts: list[str]) -> Any:
        encode = getattr(self.embeddings, "encode", None)
        # The bundled one saves the way through lists of Python numbers.
        return encode(texts) if encode and _is_bundled(self.embeddings) else self.embeddings.embed_documents(texts)

    def _each(self, texts: list[str]) -> Any:
        if _is_bundled(self.embeddings) or _treats_alike(self.embeddings):
            return self._all(texts)
        return [self.embeddings.embed_query(text) for text in texts]

    def _ask(self, way: Callable[[list[str]], Any], texts: Sequence[str]) -> NDArray[np.float32]:
        try:
            found = way(list(texts))
        except EmbedderError:
            raise
        except Exception as error:
            raise EmbedderError(
                f"the embedder {self.identity!r} failed: {type(error).__name__}: {error}; correct it, or go without "
                "vectors: SELECTOR_EMBEDDINGS=none"
            ) from error
        return self._check(found, len(texts))

    def _check(self, found: Any, count: int) -> NDArray[np.float32]:
        try:
            vectors = np.asarray(found, dtype=np.float32)
        except (TypeError, ValueError):
            vectors = np.empty(0, dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != count or not vectors.shape[1] or not np.isfinite(vectors).all():
            raise EmbedderError(
                f"the embedder {self.identity!r} returned no {count} vectors of finite numbers, all of one length; "
                "correct it, or go without vectors: SELECTOR_EMBEDDINGS=none"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        unit: NDArray[np.float32] = np.divide(vectors, lengths, dtype=np.float32)
        return unit


def choose_embedder(settings: Settings, own: Embeddings | None = None) -> Embedder | None:
    """Return the embedder that the caller passes in, else the one that the settings name; None for none.

    Raises:
        EmbedderError: an endpoint is named and there is no key.
        SettingError: what was passed in is no `Embeddings`.
    """
    if own is not None:
        if not isinstance(own, Embeddings):
            raise SettingError(
                f"embeddings= got {own!r}: pass a LangChain Embeddings, or bundled, none, "
                f"{ENDPOINT_PREFIX}MODEL or {LOCAL_PREFIX}MODEL"
            )
        return Embedder(own)
    if settings.embeddings == "none":
        return None
    if settings.embeddings.startswith(LOCAL_PREFIX):
        return _transformer(settings.embeddings.removeprefix(LOCAL_PREFIX).strip())
    if settings.embeddings == "bundled":
        return _bundled(settings.cache_dir)
    key = settings.embedding_api_key or settings.dashscope_api_key
    if key is None:
        raise EmbedderError(
            f"embeddings are {settings.embeddings!r} and there is no key: set EMBEDDING_API_KEY (or "
            "DASHSCOPE_API_KEY), or SELECTOR_EMBEDDINGS=bundled, which needs none"
        )
    return _endpoint(
        settings.embeddings.removeprefix(ENDPOINT_PREFIX),
        settings.embedding_base_url or settings.llm_base_url,
        key,
        settings.llm_timeout,
        settings.llm_max_retries,
    )


@lru_cache(maxsize=4)
def _bundled(cache_dir: str | None) -> Embedder:
    embeddings, cache = bundled_embeddings(), open_cache(cache_dir)
    if cache is not None:
        embeddings.folder = cache.folder.parent / "encoder"
    return Embedder(embeddings)


@lru_cache(maxsize=4)
def _transformer(model: str) -> Embedder:
    return Embedder(TransformerEmbeddings(model), f"{LOCAL_PREFIX}{model}")


@lru_cache(maxsize=4)
def _endpoint(model: str, base_url: str, key: str, timeout: float, retries: int) -> Embedder:
    from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415 - takes half a second
    from pydantic import SecretStr  # noqa: PLC0415 - needed here only

    embeddings = OpenAIEmbeddings(
        model=model,
        base_url=base_url,
        api_key=SecretStr(key),
        timeout=timeout,
        max_retries=retries,
        chunk_size=MOST_IN_A_CALL,
        # Counting tokens would fetch a table from the network, and send numbers that other servers don't know.
        check_embedding_ctx_length=False,
    )
    address = blake2b(base_url.encode("utf-8"), digest_size=6).hexdigest()  # it may hold a password
    return Embedder(embeddings, f"{ENDPOINT_PREFIX}{model} at {address}")


def _identity(embeddings: Embeddings) -> str:
    own = getattr(embeddings, "identity", None)
    if isinstance(own, str) and own.strip():
        return own
    kind = type(embeddings)
    named = [(name, getattr(embeddings, name, None)) for name in _NAMING]
    values = [f"{name}={value!r}" for name, value in named if isinstance(value, str | int | float | dict)]
    # A digest, since an address or instruction is nobody's business in a message.
    digest = blake2b("\0".join(values).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{kind.__module__}.{kind.__qualname__} {digest}"


def _is_bundled(embeddings: Embeddings) -> bool:
    return embeddings is bundled_embeddings()


def _treats_alike(embeddings: Embeddings) -> bool:
    """Say whether a query is embedded like a document, so that several may go in one call."""
    return type(embeddings).__name__ in {"OpenAIEmbeddings", "AzureOpenAIEmbeddings"}
