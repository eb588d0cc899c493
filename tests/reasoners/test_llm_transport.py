"""The model's reasoner against a real endpoint on loopback: what each fault of the transport ends in."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from skill_selector.graph.errors import ModelSetupError, ModelUnavailableError
from skill_selector.graph.settings import Settings
from skill_selector.reasoners.base import AnalysisRequest, Reasoner
from skill_selector.reasoners.llm import LLMReasoner
from skill_selector.reasoners.model import make_fallback_model, make_model

Run = Callable[[Reasoner, str, Any], Any]

ANALYSIS = {
    "intent": "合并 PDF 文件",
    "keywords": ["合并", "merge", "pdf"],
    "constraints": [],
    "tech_stack": ["PDF"],
    "when_to_use": "需要把多个文件合成一个时",
}
GOOD = json.dumps(ANALYSIS, ensure_ascii=False)


Ask = Callable[..., Any]


@pytest.fixture
def ask(run: Run, settings: Settings, analysis_request: AnalysisRequest) -> Ask:
    """Return a function that analyses a task with settings changed as its arguments say."""

    def analyze(**changed: Any) -> Any:
        own = replace(settings, **changed)
        reasoner = LLMReasoner(make_model(own), fallback_model=make_fallback_model(own))
        return run(reasoner, "analyze", replace(analysis_request, settings=own))

    return analyze


def test_a_good_run(ask: Ask, chat: Any, settings: Settings) -> None:
    chat.script = [chat.completion(GOOD)]

    reply = ask()

    assert reply.analysis == ANALYSIS
    assert reply.usage == {"calls": 1, "prompt_tokens": 100, "completion_tokens": 20}
    (sent,) = chat.requests
    assert sent["model"] == "test-model"
    assert sent["temperature"] == 0.2
    assert sent["max_tokens"] == 2048
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert "enable_thinking" not in sent
    assert not sent.get("stream")
    assert chat.headers[0]["authorization"] == f"Bearer {settings.dashscope_api_key}"


def test_thinking_is_passed_on_when_it_is_turned_on(ask: Ask, chat: Any) -> None:
    chat.script = [chat.completion(f"<think>hm {{</think>{GOOD}")]

    reply = ask(llm_enable_thinking=True)

    (sent,) = chat.requests
    assert (sent["enable_thinking"], sent["stream"]) == (True, True)
    assert reply.analysis == ANALYSIS
    assert reply.usage == {"calls": 1, "prompt_tokens": 100, "completion_tokens": 20}


def test_a_streamed_answer_that_stands_in_the_reasoning_is_read(ask: Ask, chat: Any) -> None:
    chat.script = [chat.stream({"reasoning_content": GOOD})]

    assert ask(llm_enable_thinking=True).analysis == ANALYSIS


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_odd_counts_of_tokens_in_a_stream_do_not_cost_the_answer(ask: Ask, chat: Any) -> None:
    event = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    delta = {**event, "choices": [{"index": 0, "delta": {"content": GOOD}, "finish_reason": "stop"}]}
    usage = {**event, "choices": [], "usage": {"prompt_tokens": "many", "completion_tokens": 1.5}}
    lines = "".join(f"data: {json.dumps(one)}\n\n" for one in (delta, usage)) + "data: [DONE]\n\n"
    chat.script = [chat.body(200, lines, "text/event-stream")]

    reply = ask(llm_enable_thinking=True)

    assert (reply.analysis, reply.usage["prompt_tokens"]) == (ANALYSIS, 0)


@pytest.mark.parametrize(
    "refused",
    [
        (401, "Incorrect API key provided.", "invalid_api_key", "DASHSCOPE_API_KEY"),
        (403, "Access denied.", "access_denied", "DASHSCOPE_API_KEY"),
        (404, "The model `test-model` does not exist.", "model_not_found", "LLM_MODEL"),
        (400, "Model not exist.", "InvalidParameter", "LLM_MODEL"),
        (400, "max_tokens is too large: " + "9" * 900, "invalid_request_error", "max_tokens is too large"),
        (422, "unknown field", None, "LLM_BASE_URL"),
    ],
)
def test_what_only_the_caller_can_correct_is_an_error_that_says_how(
    ask: Ask, chat: Any, refused: tuple[int, str, str | None, str]
) -> None:
    status, message, code, names = refused
    chat.script = [chat.failure(status, message, code)]

    with pytest.raises(ModelSetupError, match=names) as raised:
        ask(llm_max_retries=2)

    assert len(chat.requests) == 1
    assert f"HTTP {status}" in str(raised.value)
    assert len(str(raised.value)) < 450
    assert "\n" not in str(raised.value)


def test_a_key_that_the_endpoint_repeats_does_not_reach_the_message(ask: Ask, chat: Any, settings: Settings) -> None:
    chat.script = [chat.failure(401, f"wrong key {settings.dashscope_api_key}")]

    with pytest.raises(ModelSetupError) as raised:
        ask()

    assert str(settings.dashscope_api_key) not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize(
    "failed",
    [
        (500, "boom", None, "failed"),
        (502, "bad gateway", None, "failed"),
        (503, "unavailable", None, "failed"),
        (408, "too slow", None, "failed"),
        (429, "slow down", "rate_limit_exceeded", "refuses more requests"),
        (529, "overloaded", None, "overloaded"),
    ],
)
def test_what_passes_is_tried_again_and_then_unavailable(
    ask: Ask, chat: Any, failed: tuple[int, str, str | None, str]
) -> None:
    status, message, code, says = failed
    chat.script = [chat.failure(status, message, code)] * 3

    with pytest.raises(ModelUnavailableError, match=says) as raised:
        ask(llm_max_retries=2)

    assert len(chat.requests) == 3
    assert f"HTTP {status}: {message}" in str(raised.value)


@pytest.mark.parametrize("status", [500, 503, 529, 429])
def test_a_fault_that_passes_leaves_no_trace(ask: Ask, chat: Any, status: int) -> None:
    chat.script = [chat.failure(status, "busy"), chat.completion(GOOD)]

    reply = ask(llm_max_retries=2, fallback_model="small")

    assert reply.analysis == ANALYSIS
    assert reply.degraded == ()
    assert [sent["model"] for sent in chat.requests] == ["test-model"] * 2


def test_after_three_overloads_in_a_row_the_fallback_model_gets_the_same_request(ask: Ask, chat: Any) -> None:
    chat.script = [chat.failure(529, "overloaded")] * 3 + [chat.completion(GOOD)]

    reply = ask(llm_max_retries=2, fallback_model="small")

    assert reply.analysis == ANALYSIS
    assert [sent["model"] for sent in chat.requests] == ["test-model"] * 3 + ["small"]
    assert chat.requests[0]["messages"] == chat.requests[3]["messages"]
    (degraded,) = reply.degraded
    assert degraded["instead"] == "small"
    assert "HTTP 529" in degraded["why"]


def test_an_unknown_fallback_model_is_a_setup_error_that_names_its_setting(ask: Ask, chat: Any) -> None:
    chat.script = [chat.failure(529, "overloaded"), chat.failure(404, "no such model")]

    with pytest.raises(ModelSetupError, match=r"model small .* correct FALLBACK_MODEL"):
        ask(fallback_model="small")


def test_used_up_quota_is_not_tried_again(ask: Ask, chat: Any) -> None:
    chat.script = [chat.failure(429, "You exceeded your current quota.", "insufficient_quota")] * 3

    with pytest.raises(ModelUnavailableError, match="quota of the key is used up"):
        ask(llm_max_retries=2)

    assert len(chat.requests) == 1


def test_a_wait_beyond_reason_ends_the_call_and_is_told(ask: Ask, chat: Any) -> None:
    wait = {"retry-after-ms": "10800000", "retry-after": "10800"}
    chat.script = [chat.failure(429, "slow down", **wait)] * 3

    with pytest.raises(ModelUnavailableError, match="wait 10800 s"):
        ask(llm_max_retries=2)

    assert len(chat.requests) == 1


@pytest.mark.parametrize("how", ["silence", "trickle", "stall"])
def test_a_slow_endpoint_is_given_up_in_time(ask: Ask, chat: Any, how: str) -> None:
    chat.script = [getattr(chat, how)]
    started = time.monotonic()

    with pytest.raises(ModelUnavailableError, match=r"did not answer in time \(LLM_TIMEOUT is 0.3 s\)"):
        ask(llm_timeout=0.3)

    assert 0.25 < time.monotonic() - started < 0.9


def test_a_slow_stream_is_given_up_in_time(ask: Ask, chat: Any) -> None:
    chat.script = [chat.stream({"content": "x" * 700}, pause=0.05)]
    started = time.monotonic()

    with pytest.raises(ModelUnavailableError, match=r"did not answer in time \(LLM_TIMEOUT is 0.3 s\)"):
        ask(llm_timeout=0.3, llm_enable_thinking=True)

    assert 0.25 < time.monotonic() - started < 0.9


def test_retries_end_with_the_time_for_all_model_calls(ask: Ask, chat: Any) -> None:
    chat.script = [chat.silence] * 9
    started = time.monotonic()

    with pytest.raises(ModelUnavailableError, match=r"time for all model calls \(LLM_TIME_BUDGET is 0.8 s\)"):
        ask(llm_timeout=0.5, llm_max_retries=8, llm_time_budget=0.8)

    assert time.monotonic() - started < 2
    assert len(chat.requests) <= 2


def test_a_refused_connection_names_the_address(ask: Ask) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

    with pytest.raises(ModelUnavailableError, match=f"cannot be reached at 127.0.0.1:{port}"):
        ask(llm_base_url=f"http://127.0.0.1:{port}/v1")


def test_a_refused_connection_is_tried_once_more_only(run: Run, analysis_request: AnalysisRequest) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    own = Settings(dashscope_api_key="sk-x", llm_base_url=f"http://127.0.0.1:{port}/v1", llm_max_retries=4)
    model: Any = make_model(own)
    tried: list[Any] = []

    async def note(request: Any) -> None:
        tried.append(request)

    model.http_client.event_hooks = {**model.http_client.event_hooks, "request": [tried.append]}
    model.http_async_client.event_hooks = {**model.http_async_client.event_hooks, "request": [note]}
    with pytest.raises(ModelUnavailableError, match=f"cannot be reached at 127.0.0.1:{port}"):
        run(LLMReasoner(model), "analyze", replace(analysis_request, settings=own))

    assert len(tried) == 2


@pytest.mark.parametrize(
    "wait",
    [
        {"retry-after-ms": "20000"},
        {"retry-after-ms": "unknown", "retry-after": "20"},
        {"retry-after": format_datetime(datetime.now(UTC) + timedelta(hours=1))},
        {"retry-after": "90"},
    ],
)
def test_a_wait_beyond_the_budget_or_a_minute_ends_the_call_and_says_until_when(
    ask: Ask, chat: Any, wait: dict[str, str]
) -> None:
    chat.script = [chat.failure(429, "slow down", **wait)] * 3

    with pytest.raises(ModelUnavailableError, match=r"it asks to wait \d+ s, until 20\d\d-\d\d-\d\d \d\d:\d\d UTC"):
        ask(llm_max_retries=2, llm_time_budget=100 if wait.get("retry-after") == "90" else 10)

    assert len(chat.requests) == 1


@pytest.mark.parametrize("as_date", [False, True])
def test_a_wait_within_the_budget_is_a_lower_bound_even_beyond_the_timeout(ask: Ask, chat: Any, as_date: bool) -> None:
    # a date has whole seconds, so that up to one of the two is lost
    wait = format_datetime(datetime.now(UTC) + timedelta(seconds=2)) if as_date else "1"
    chat.script = [chat.failure(429, "slow down", **{"retry-after": wait}), chat.completion(GOOD)]
    started = time.monotonic()

    assert ask(llm_max_retries=2, llm_timeout=0.5).analysis == ANALYSIS

    assert 0.9 < time.monotonic() - started < 4


@pytest.mark.parametrize("wait", ["soon", "-5", "nan", "Mon, 99 Foo"])
def test_a_wait_that_means_nothing_is_not_obeyed(ask: Ask, chat: Any, wait: str) -> None:
    chat.script = [chat.failure(429, "slow down", **{"retry-after": wait}), chat.completion(GOOD)]

    reply = ask(llm_max_retries=1)

    assert (reply.analysis, len(chat.requests)) == (ANALYSIS, 2)


@pytest.mark.parametrize("usage", [{"prompt_tokens": "many", "completion_tokens": 12.5, "total_tokens": -3}, "x", [1]])
def test_odd_counts_of_tokens_do_not_cost_the_answer(ask: Ask, chat: Any, usage: Any) -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": GOOD}}
    body = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    chat.script = [chat.body(200, body)]

    reply = ask()

    assert (reply.analysis, reply.usage) == (ANALYSIS, {"calls": 1, "prompt_tokens": 0, "completion_tokens": 0})


@pytest.mark.parametrize("code", ["content_filter", "data_inspection_failed", "DataInspectionFailed"])
def test_a_content_filter_is_not_asked_again(ask: Ask, chat: Any, code: str) -> None:
    chat.script = [chat.failure(400, "Input data may contain inappropriate content.", code)]

    with pytest.raises(ModelUnavailableError, match="content filter"):
        ask(llm_max_retries=2)

    assert len(chat.requests) == 1


@pytest.mark.parametrize(
    "message", [{"finish_reason": "content_filter"}, {"finish_reason": "stop", "refusal": "I cannot help with that."}]
)
def test_a_refused_answer_is_not_asked_again(ask: Ask, chat: Any, message: dict[str, str]) -> None:
    chat.script = [chat.completion(None, **message)]

    with pytest.raises(ModelUnavailableError, match="refused to answer"):
        ask()

    assert len(chat.requests) == 1


def no_choices(chat: Any) -> Any:
    usage = {"prompt_tokens": 1, "completion_tokens": 0, "total_tokens": 1}
    return chat.body(
        200, {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [], "usage": usage}
    )


@pytest.mark.parametrize(
    "empty",
    [
        lambda chat: chat.completion(""),
        lambda chat: chat.completion(None),
        lambda chat: chat.completion(" \n"),
        no_choices,
    ],
)
def test_an_empty_answer_is_asked_for_once_more(ask: Ask, chat: Any, empty: Callable[[Any], Any]) -> None:
    chat.script = [empty(chat), chat.completion(GOOD)]

    assert ask().analysis == ANALYSIS
    chat.requests.clear()
    chat.script = [empty(chat)] * 2
    with pytest.raises(ModelUnavailableError, match="it was empty"):
        ask()

    assert len(chat.requests) == 2
    assert "it was empty" in chat.requests[1]["messages"][-1]["content"]


def test_an_answer_that_stands_in_the_reasoning_is_read(ask: Ask, chat: Any) -> None:
    chat.script = [chat.completion("", reasoning_content=GOOD)]

    assert ask().analysis == ANALYSIS


def test_a_cut_off_answer_is_asked_for_again_with_twice_the_room(ask: Ask, chat: Any) -> None:
    chat.script = [chat.completion(GOOD[:60], finish_reason="length"), chat.completion(GOOD)]

    assert ask().analysis == ANALYSIS

    assert [sent["max_tokens"] for sent in chat.requests] == [2048, 4096]


def test_an_answer_cut_off_twice_is_unavailable(ask: Ask, chat: Any) -> None:
    chat.script = [chat.completion(GOOD[:60], finish_reason="length")] * 2

    with pytest.raises(ModelUnavailableError, match="cut off"):
        ask()


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<html><body>Sign in</body></html>", "text/html"),
        ("not json", "application/json"),
        ({"choices": None}, "application/json"),
        ({"error": {"message": "hidden failure"}}, "application/json"),
        ([], "application/json"),
    ],
)
def test_what_is_no_chat_completion_is_unavailable(ask: Ask, chat: Any, body: Any, content_type: str) -> None:
    chat.script = [chat.body(200, body, content_type)]

    with pytest.raises(ModelUnavailableError) as raised:
        ask()

    assert "test-model" in str(raised.value)
    assert len(str(raised.value)) < 450


def test_a_page_with_an_error_status_is_told_without_its_tags(ask: Ask, chat: Any) -> None:
    chat.script = [chat.body(502, "<html><h1>Bad Gateway</h1></html>", "text/html")]

    with pytest.raises(ModelUnavailableError, match="Bad Gateway") as raised:
        ask()

    assert "<" not in str(raised.value)


@pytest.mark.parametrize("thinking", [False, True])
async def test_cancelling_closes_the_connection(
    chat: Any, settings: Settings, analysis_request: AnalysisRequest, thinking: bool
) -> None:
    chat.script = [chat.until_closed]
    own = replace(settings, llm_enable_thinking=thinking)
    step = asyncio.create_task(LLMReasoner(make_model(own)).aanalyze(replace(analysis_request, settings=own)))
    await asyncio.to_thread(chat.wait_for_request)
    assert not chat.closed.is_set()

    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step

    assert await asyncio.to_thread(chat.closed.wait, 2)
    assert len(asyncio.all_tasks()) == 1


async def test_cancelling_during_a_wait_between_tries_ends_it(
    chat: Any, settings: Settings, analysis_request: AnalysisRequest
) -> None:
    chat.script = [chat.failure(429, "slow down", **{"retry-after": "30"})] * 2
    own = replace(settings, llm_max_retries=2)
    step = asyncio.create_task(LLMReasoner(make_model(own)).aanalyze(replace(analysis_request, settings=own)))
    await asyncio.to_thread(chat.wait_for_request)
    await asyncio.sleep(0.1)

    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step

    assert len(chat.requests) == 1


def test_a_call_leaves_no_thread_behind(ask: Ask, chat: Any) -> None:
    before = threading.active_count()
    chat.script = [chat.completion(GOOD), chat.failure(500, "x"), chat.silence]

    ask()
    for _ in range(2):
        with pytest.raises(ModelUnavailableError):
            ask(llm_timeout=0.3)

    # the server's own threads end a little later
    chat.close()
    deadline = time.monotonic() + 2
    while threading.active_count() >= before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() < before


def test_the_answer_comes_whole_where_a_host_streams_messages(
    chat: Any, settings: Settings, analysis_request: AnalysisRequest
) -> None:
    from langchain_core.runnables import RunnableLambda
    from langgraph.graph import START, StateGraph
    from typing_extensions import TypedDict

    class State(TypedDict, total=False):
        intent: str

    def node(_state: State) -> State:
        reply = LLMReasoner(make_model(settings)).analyze(replace(analysis_request, settings=settings))
        return {"intent": reply.analysis["intent"]}

    chat.script = [chat.completion(GOOD)]
    host = StateGraph(State).add_node("select", RunnableLambda(node)).add_edge(START, "select").compile()

    assert len(list(host.stream({}, stream_mode=["messages", "updates"]))) == 1
    assert not chat.requests[0].get("stream")


def test_one_model_serves_one_event_loop_after_another(
    chat: Any, settings: Settings, analysis_request: AnalysisRequest
) -> None:
    chat.script = [chat.completion(GOOD)] * 3
    reasoner = LLMReasoner(make_model(settings))
    request = replace(analysis_request, settings=settings)

    for _ in range(3):
        assert asyncio.run(reasoner.aanalyze(request)).analysis == ANALYSIS
