"""A recorded model as a user's tests use it: recorded once, replayed without it, alike in every way of asking."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from pydantic import SecretStr

from skill_selector.graph.selector import build_selector
from skill_selector.testing import (
    RecordingChatModel,
    RecordingError,
    ReplayChatModel,
    Script,
    ScriptedChatModel,
    recorded_model,
)

Ask = Callable[[BaseChatModel, Any], str]


class Streaming(ScriptedChatModel):
    """Streams its replies word by word."""

    api_key: SecretStr = SecretStr("a-key-without-a-telling-form")

    def __init__(self, script: Script, **fields: Any) -> None:
        super().__init__(script, **fields)

    def _stream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        text = str(self._reply(messages).generations[0].message.text)
        for word in re.findall(r"\S+\s*", text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))


def invoke(model: BaseChatModel, given: Any) -> str:
    return str(model.invoke(given).text)


def ainvoke(model: BaseChatModel, given: Any) -> str:
    return str(asyncio.run(model.ainvoke(given)).text)


def stream(model: BaseChatModel, given: Any) -> str:
    return "|".join(str(one.text) for one in model.stream(given) if one.text)


def astream(model: BaseChatModel, given: Any) -> str:
    async def read() -> list[str]:
        return [str(one.text) async for one in model.astream(given) if one.text]

    return "|".join(asyncio.run(read()))


every_way = pytest.mark.parametrize("ask", [invoke, ainvoke, stream, astream])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "recordings" / "answers.jsonl"


@every_way
def test_what_was_recorded_is_replayed_without_the_model(ask: Ask, file: Path) -> None:
    real = Streaming(["one fine day", "another answer"])
    recording = RecordingChatModel(real, file)
    first = [ask(recording, "first"), ask(recording, [SystemMessage("be brief"), HumanMessage("second")])]
    replay = ReplayChatModel(file)
    assert [ask(replay, [SystemMessage("be brief"), HumanMessage("second")]), ask(replay, "first")] == first[::-1]
    assert len(real.asked) == 2


@pytest.mark.parametrize("way", [(invoke, stream), (stream, invoke), (ainvoke, astream), (astream, ainvoke)])
def test_an_answer_recorded_one_way_is_replayed_the_other(way: tuple[Ask, Ask], file: Path) -> None:
    record, replay = way
    record(RecordingChatModel(Streaming(["one fine day"]), file), "when")
    assert replay(ReplayChatModel(file), "when").replace("|", "") == "one fine day"


def test_streamed_pieces_come_back_as_they_came(file: Path) -> None:
    recording = RecordingChatModel(Streaming(["one fine day"]), file)
    assert stream(recording, "when") == stream(ReplayChatModel(file), "when") == "one |fine |day"


def test_usage_metadata_and_reasoning_come_back_too(file: Path) -> None:
    reply = AIMessage(
        "yes",
        response_metadata={"finish_reason": "stop"},
        additional_kwargs={"reasoning_content": "because"},
        usage_metadata={"input_tokens": 7, "output_tokens": 1, "total_tokens": 8},
    )
    RecordingChatModel(ScriptedChatModel([reply]), file).invoke("?")
    replayed = ReplayChatModel(file).invoke("?")
    assert replayed.usage_metadata == reply.usage_metadata
    assert replayed.additional_kwargs == reply.additional_kwargs
    assert replayed.response_metadata["finish_reason"] == "stop"


@every_way
def test_a_request_recorded_twice_gets_its_answers_in_order_and_then_the_last(ask: Ask, file: Path) -> None:
    recording = RecordingChatModel(ScriptedChatModel(["a", "b"]), file)
    assert [ask(recording, "same") for _ in range(2)] == ["a", "b"]
    replay = ReplayChatModel(file)
    assert [ask(replay, "same") for _ in range(4)] == ["a", "b", "b", "b"]


@every_way
def test_a_request_that_was_not_recorded_is_named_with_the_way_out(ask: Ask, file: Path) -> None:
    ask(RecordingChatModel(ScriptedChatModel(["a"]), file), "merge the two reports")
    with pytest.raises(RecordingError, match="record it anew") as error:
        ask(ReplayChatModel(file), "merge the three reports")
    assert str(file) in str(error.value)
    assert "'merge the three reports'" in str(error.value)
    assert "character 11" in str(error.value)


def test_a_request_with_other_options_is_another_one(file: Path) -> None:
    RecordingChatModel(ScriptedChatModel(["a"]), file).bind(response_format={"type": "json_object"}).invoke("x")
    replay = ReplayChatModel(file)
    assert replay.bind(response_format={"type": "json_object"}).invoke("x").text == "a"
    with pytest.raises(RecordingError, match="its options"):
        replay.invoke("x")


def test_ids_of_messages_do_not_matter(file: Path) -> None:
    RecordingChatModel(ScriptedChatModel(["a"]), file).invoke([HumanMessage("x", id="1")])
    assert ReplayChatModel(file).invoke([HumanMessage("x", id="2")]).text == "a"


@every_way
def test_secrets_are_never_written(ask: Ask, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "value-of-the-environment")
    secrets = ["a-key-without-a-telling-form", "value-of-the-environment", "sk-abcdef0123456789abcdef"]
    task = f"use {' '.join(secrets)} and Bearer abcdefghijklmnop.qrstuv"
    recording = RecordingChatModel(Streaming([f"I used {' '.join(secrets)}"]), file)
    assert secrets[0] in ask(recording, task)
    written = file.read_text(encoding="utf-8")
    assert not [one for one in (*secrets, "abcdefghijklmnop") if one in written]
    assert "[secret]" in ask(ReplayChatModel(file), task)


@every_way
def test_an_error_goes_to_the_caller_and_is_not_recorded(ask: Ask, file: Path) -> None:
    def fail(messages: list[BaseMessage]) -> Exception:
        return TimeoutError("slow")

    with pytest.raises(TimeoutError, match="slow"):
        ask(RecordingChatModel(ScriptedChatModel(fail), file), "x")
    assert not file.exists()


def test_a_stream_that_nobody_read_to_its_end_is_not_recorded(file: Path) -> None:
    pieces = RecordingChatModel(Streaming(["one fine day"]), file).stream("x")
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert not file.exists()


def test_threads_record_whole_lines(file: Path) -> None:
    recording = RecordingChatModel(ScriptedChatModel(lambda messages: str(messages[-1].text) * 500), file)
    recording.batch([f"task {number}" for number in range(30)])
    replay = ReplayChatModel(file)
    assert replay.invoke("task 17").text == "task 17" * 500
    assert len(file.read_text(encoding="utf-8").splitlines()) == 30


@pytest.mark.parametrize("line", ["no json", "[]", "{}", '{"format": 1, "request": "x", "reply": {}}', "null"])
def test_a_file_that_is_no_recording_is_refused_with_its_line(file: Path, line: str) -> None:
    RecordingChatModel(ScriptedChatModel(["a"]), file).invoke("x")
    with file.open("a", encoding="utf-8") as more:
        more.write(line + "\n")
    with pytest.raises(RecordingError, match="line 2"):
        ReplayChatModel(file)


def test_any_text_survives_the_file(file: Path) -> None:
    text = "line\u2028two\x85three\r\nfour 你好 🏴"
    RecordingChatModel(ScriptedChatModel([text]), file).invoke(text)
    assert ReplayChatModel(file).invoke(text).text == text


def test_half_a_character_is_no_obstacle(file: Path) -> None:
    RecordingChatModel(ScriptedChatModel(["a"]), file).invoke("bad \udcff")
    assert ReplayChatModel(file).invoke("bad \udcff").text == "a"


def test_a_missing_file_is_refused(file: Path) -> None:
    with pytest.raises(RecordingError, match="RecordingChatModel"):
        ReplayChatModel(file)


def test_tools_of_an_agent_are_recorded_and_replayed(file: Path) -> None:
    @tool
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    call = AIMessage("", tool_calls=[{"name": "add", "args": {"a": 2, "b": 3}, "id": "c1", "type": "tool_call"}])
    given: Any = {"messages": [HumanMessage("2 + 3?")]}
    create_agent(RecordingChatModel(ScriptedChatModel([call, "5"]), file), [add]).invoke(given)
    result = create_agent(ReplayChatModel(file), [add]).invoke(given)
    assert [one.text for one in result["messages"] if isinstance(one, ToolMessage)] == ["5"]
    assert result["messages"][-1].text == "5"


def _answer(messages: list[BaseMessage]) -> str:
    text = str(messages[-1].text)
    if "<candidates>" not in text:
        fields = {"intent": "merge PDF files", "keywords": ["pdf"], "constraints": [], "tech_stack": []}
        return json.dumps({**fields, "when_to_use": ""})
    found = re.findall(r'<skill id="(c\d+)">\n<name>(.*?)</name>', text)
    points = {True: (38, 28, 18, 9), False: (5, 5, 5, 1)}
    parts = ("intent", "tech_stack", "constraints", "keywords")
    return json.dumps(
        {
            "scores": [
                {
                    "id": opaque,
                    "veto": None,
                    "reason": "so",
                    **dict(zip(parts, points[name == "pdf-merge"], strict=True)),
                }
                for opaque, name in found
            ]
        }
    )


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_graph_with_the_selector_is_tested_without_a_model(mode: str, file: Path, pdf_skills: Path) -> None:
    made: list[BaseChatModel] = []

    def make() -> BaseChatModel:
        made.append(ScriptedChatModel(_answer))
        return made[-1]

    given: Any = {"task": "merge my PDF files", "skill_directory": str(pdf_skills)}
    results = []
    for _ in range(2):
        selector = build_selector(llm=recorded_model(file, make))
        results.append(selector.invoke(given) if mode == "sync" else asyncio.run(selector.ainvoke(given)))
    assert len(made) == 1
    assert [one["best"]["id"] for one in results] == ["pdf-merge"] * 2
    assert results[0]["ranked"] == results[1]["ranked"]


def test_what_is_not_recorded_is_not_hidden_by_the_local_reasoner(file: Path, pdf_skills: Path) -> None:
    given: Any = {"task": "merge my PDF files", "skill_directory": str(pdf_skills)}
    build_selector(llm=recorded_model(file, lambda: ScriptedChatModel(_answer))).invoke(given)
    with pytest.raises(RecordingError, match="split my PDF files"):
        build_selector(llm=ReplayChatModel(file)).invoke(given | {"task": "split my PDF files"})


def test_an_agent_that_streams_tokens_hears_each_of_them_once(file: Path) -> None:
    makers = (lambda: RecordingChatModel(Streaming(["one fine day"]), file), lambda: ReplayChatModel(file))
    for make in makers:
        given: Any = {"messages": [HumanMessage("when")]}
        pieces: Any = create_agent(make(), []).stream(given, stream_mode="messages")
        tokens = [str(one[0].text) for one in pieces]
        assert "".join(tokens) == "one fine day"
