"""An OpenAI-compatible endpoint for embeddings, over HTTP: what it is asked, and what is made of its faults."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, ChatServer

from skill_selector.api import aselect_skill, select_skill
from skill_selector.cli import main
from skill_selector.graph.errors import EmbedderError
from skill_selector.indexing import index_skills
from skill_selector.selection import SkillSelection

MODEL = "openai:some-embedder"
TASK = "merge two PDF files into one document"

Select = Callable[..., SkillSelection]


def select_async(*given: Any, **options: Any) -> SkillSelection:
    return asyncio.run(aselect_skill(*given, **options))


@pytest.fixture(params=[select_skill, select_async], ids=["sync", "async"])
def select(request: pytest.FixtureRequest) -> Select:
    """Select once through each of the two calls."""
    call: Select = request.param
    return call


@pytest.fixture(autouse=True)
def endpoint(chat: ChatServer, monkeypatch: pytest.MonkeyPatch) -> ChatServer:
    """The endpoint as the settings name it, without retries."""
    monkeypatch.setenv("EMBEDDING_BASE_URL", chat.url)
    monkeypatch.setenv("EMBEDDING_API_KEY", "sk-loopback-0123456789")
    monkeypatch.setenv("LLM_MAX_RETRIES", "0")
    monkeypatch.setenv("SELECTOR_REASONER", "local")
    return chat


def test_texts_are_embedded_once_and_a_selection_asks_for_the_task_only(
    select: Select, endpoint: ChatServer, pdf_skills: Path
) -> None:
    made = index_skills(pdf_skills, embeddings=MODEL)
    assert (made["texts"], made["embedded"]) == (3, 3)
    [request] = endpoint.embedding_requests
    assert request["model"] == "some-embedder"
    assert len(request["input"]) == 3
    selection = select(TASK, pdf_skills, embeddings=MODEL)
    assert (selection.hit, selection.degraded) == (True, [])
    assert selection.ranked[0]["routes"]["semantic"] > 0
    [_, asked] = endpoint.embedding_requests
    assert TASK in asked["input"]
    assert index_skills(pdf_skills, embeddings=MODEL)["embedded"] == 0
    assert len(endpoint.embedding_requests) == 2


def test_a_chinese_task_finds_the_english_skill_by_the_endpoints_vectors(
    select: Select, endpoint: ChatServer, pdf_skills: Path
) -> None:
    selection = select("合并文件", pdf_skills, embeddings=MODEL)
    assert selection.ranked[0]["skill"]["id"] == "pdf-merge"


FAULTS: list[Any] = [
    pytest.param(ChatServer.failure(401, "the key is wrong", "invalid_api_key"), "the key is wrong", id="401"),
    pytest.param(ChatServer.failure(404, "no such model"), "no such model", id="unknown model"),
    pytest.param(ChatServer.failure(503, "overloaded"), "overloaded", id="503"),
    pytest.param(ChatServer.body(200, "<html>Log in</html>", "text/html"), "some-embedder", id="HTML page"),
    pytest.param(ChatServer.body(200, {"object": "list", "data": []}), "some-embedder", id="no vectors"),
    pytest.param(ChatServer.vectors([[1.0, 0.0]]), "vectors", id="too few"),
    pytest.param(ChatServer.vectors([[1.0, 0.0], [1.0], [0.5, 0.5]]), "vectors", id="dimensions that differ"),
    pytest.param(ChatServer.silence, "some-embedder", id="no answer in time"),
]


@pytest.mark.parametrize(("answer", "words"), FAULTS)
def test_index_ends_with_one_error_that_names_the_way_out(
    endpoint: ChatServer, pdf_skills: Path, answer: Answer, words: str
) -> None:
    endpoint.embedding_answer = answer
    with pytest.raises(EmbedderError) as raised:
        index_skills(pdf_skills, embeddings=MODEL, llm_timeout=0.3)
    assert words in str(raised.value)
    assert "some-embedder" in str(raised.value)
    assert "SELECTOR_EMBEDDINGS=none" in str(raised.value)
    assert "sk-loopback" not in str(raised.value)


@pytest.mark.parametrize(("answer", "words"), FAULTS)
def test_a_selection_goes_on_with_the_words_and_says_so(
    select: Select, endpoint: ChatServer, pdf_skills: Path, answer: Answer, words: str
) -> None:
    endpoint.embedding_answer = answer
    start = time.monotonic()
    selection = select(TASK, pdf_skills, embeddings=MODEL, llm_timeout=0.3)
    assert time.monotonic() - start < 5
    assert selection.best is not None
    assert selection.best["id"] == "pdf-merge"
    [fault] = selection.degraded
    assert (fault["what"], fault["instead"]) == ("embedder", "the routes over words")
    assert words in fault["why"]
    assert "sk-loopback" not in fault["why"]


def test_where_no_fallback_is_wanted_it_is_an_error(select: Select, endpoint: ChatServer, pdf_skills: Path) -> None:
    endpoint.embedding_answer = ChatServer.failure(401, "the key is wrong")
    with pytest.raises(EmbedderError, match="the key is wrong"):
        select(TASK, pdf_skills, embeddings=MODEL, on_failure="raise")


def test_an_endpoint_that_is_down_is_said_in_one_line(
    select: Select,
    endpoint: ChatServer,
    pdf_skills: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("EMBEDDING_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SELECTOR_EMBEDDINGS", MODEL)
    assert [one["what"] for one in select(TASK, pdf_skills).degraded] == ["embedder"]
    assert main(["index", str(pdf_skills)]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    [line] = error.splitlines()
    assert "some-embedder" in line
    assert "SELECTOR_EMBEDDINGS=none" in line


def test_vectors_of_another_length_than_those_on_disk_are_made_again(
    select: Select, endpoint: ChatServer, pdf_skills: Path
) -> None:
    index_skills(pdf_skills, embeddings=MODEL)
    endpoint.words.dimension = 16
    first = select(TASK, pdf_skills, embeddings=MODEL)
    assert first.best is not None
    assert select(TASK, pdf_skills, embeddings=MODEL).ranked[0]["routes"]["semantic"] > 0


def test_the_command_says_what_it_embedded(
    endpoint: ChatServer, pdf_skills: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SELECTOR_EMBEDDINGS", MODEL)
    assert main(["index", str(pdf_skills), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["embedded"] == 3
    assert "some-embedder" in made["embedder"]
