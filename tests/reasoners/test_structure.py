"""Structured output, by our own model and by other chat models of LangChain's."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from good_model import ANALYSIS, good_answer
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from skill_selector.graph.settings import Settings
from skill_selector.reasoners.base import AnalysisRequest, RankRequest, Reasoner
from skill_selector.reasoners.endpoint import http_clients
from skill_selector.reasoners.failure import FilteredError
from skill_selector.reasoners.llm import LLMReasoner
from skill_selector.reasoners.model import make_model
from skill_selector.testing import ScriptedChatModel

Run = Callable[[Reasoner, str, Any], Any]

METHODS = ("json_mode", "json_schema", "function_calling")


class PlainModel(BaseChatModel):
    """A model that offers no structured output at all."""

    @property
    def _llm_type(self) -> str:
        return "plain"

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        assert not kwargs
        return ChatResult(generations=[ChatGeneration(message=AIMessage(json.dumps(ANALYSIS)))])


def foreign(chat: Any) -> BaseChatModel:
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    # connections that are kept would outlive the event loop of a test
    client, async_client = http_clients(5)
    return ChatOpenAI(
        model="foreign",
        base_url=chat.url,
        api_key=SecretStr("sk-x"),
        max_retries=0,
        http_client=client,
        http_async_client=async_client,
    )


@pytest.fixture(params=["own", "foreign"])
def model(request: pytest.FixtureRequest, chat: Any, settings: Settings) -> BaseChatModel:
    """Our client for an endpoint, and LangChain's."""
    return make_model(settings) if request.param == "own" else foreign(chat)


@pytest.mark.parametrize("method", METHODS)
def test_each_method_reaches_the_endpoint_and_its_answer_and_cost_come_back(
    run: Run, model: BaseChatModel, chat: Any, method: Any, analysis_request: AnalysisRequest
) -> None:
    chat.reply = good_answer
    request = replace(analysis_request, settings=Settings(llm_structured_output=method))

    reply = run(LLMReasoner(model), "analyze", request)

    assert reply.analysis == ANALYSIS
    assert reply.usage == {"calls": 1, "prompt_tokens": 100, "completion_tokens": 20}
    assert reply.degraded == ()
    (sent,) = chat.requests
    if method == "function_calling":
        assert sent["tools"][0]["function"]["name"] == "task_analysis"
    else:
        assert sent["response_format"]["type"] == {"json_mode": "json_object"}.get(method, method)


def test_plain_asks_for_nothing_special(run: Run, chat: Any, settings: Settings, rank_request: RankRequest) -> None:
    chat.reply = good_answer

    run(LLMReasoner(make_model(settings)), "rank", rank_request)

    assert not {"response_format", "tools", "tool_choice"} & chat.requests[0].keys()


def test_the_schema_of_a_ranking_knows_the_candidates(
    run: Run, chat: Any, settings: Settings, rank_request: RankRequest
) -> None:
    chat.reply = good_answer
    request = replace(rank_request, settings=replace(settings, llm_structured_output="json_schema"))

    run(LLMReasoner(make_model(settings)), "rank", request)

    schema = chat.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["scores"]["items"]["properties"]["id"]["enum"] == ["c1", "c2", "c3"]


@pytest.mark.parametrize("method", METHODS)
def test_a_cut_off_answer_is_asked_for_again_whatever_the_client_makes_of_it(
    run: Run, model: BaseChatModel, chat: Any, method: Any, analysis_request: AnalysisRequest
) -> None:
    chat.script = [chat.completion('{"intent": "m', "length"), chat.completion(json.dumps(ANALYSIS))]
    request = replace(analysis_request, settings=Settings(llm_structured_output=method))

    reply = run(LLMReasoner(model), "analyze", request)

    assert reply.analysis == ANALYSIS
    assert reply.usage == {"calls": 2, "prompt_tokens": 200, "completion_tokens": 40}


@pytest.mark.parametrize(
    "refusal", ["'response_format.type' must be 'text'", "tools are not supported", "Unknown parameter: tool_choice"]
)
def test_a_refused_method_is_given_up_once_and_for_the_rest_of_the_task(
    run: Run, model: BaseChatModel, chat: Any, refusal: str, analysis_request: AnalysisRequest
) -> None:
    good = chat.completion(json.dumps(ANALYSIS))
    chat.script = [chat.failure(400, refusal), good, good]
    request = replace(analysis_request, settings=Settings(llm_structured_output="json_schema"))

    first = run(LLMReasoner(model), "analyze", request)
    second = run(LLMReasoner(model), "analyze", replace(request, degraded=first.degraded))

    (told,) = first.degraded
    assert (told["what"], told["instead"]) == ("structured_output", "plain")
    assert refusal in told["why"]
    assert second.degraded == ()
    assert ["response_format" in sent for sent in chat.requests] == [True, False, False]


def test_a_model_without_structured_output_is_asked_plainly_at_no_cost(
    run: Run, analysis_request: AnalysisRequest
) -> None:
    request = replace(analysis_request, settings=Settings(llm_structured_output="function_calling"))

    reply = run(LLMReasoner(PlainModel()), "analyze", request)

    assert (reply.analysis, reply.usage["calls"]) == (ANALYSIS, 1)
    assert "PlainModel offers no function_calling" in reply.degraded[0]["why"]


@pytest.mark.parametrize(
    "called",
    [
        {"tool_calls": [{"name": "task_analysis", "args": ANALYSIS, "id": "1"}]},
        {"invalid_tool_calls": [{"name": "x", "args": json.dumps(ANALYSIS)[:-1] + ",}", "id": "1", "error": None}]},
    ],
)
def test_the_arguments_of_a_tool_are_the_answer_also_where_only_our_reader_understands_them(
    run: Run, called: Any, analysis_request: AnalysisRequest
) -> None:
    model = ScriptedChatModel([AIMessage("Let me see.", **called)])
    request = replace(analysis_request, settings=Settings(llm_structured_output="function_calling"))

    assert run(LLMReasoner(model), "analyze", request).analysis == ANALYSIS
    assert len(model.asked) == 1


def test_an_empty_answer_under_json_mode_is_asked_for_plainly(
    run: Run, chat: Any, settings: Settings, analysis_request: AnalysisRequest
) -> None:
    chat.script = [chat.completion(" \n"), chat.completion(json.dumps(ANALYSIS))]
    request = replace(analysis_request, settings=replace(settings, llm_structured_output="json_mode"))

    reply = run(LLMReasoner(make_model(settings)), "analyze", request)

    assert reply.analysis == ANALYSIS
    assert ["response_format" in sent for sent in chat.requests] == [True, False]
    assert "JSON" in chat.requests[1]["messages"][-1]["content"]
    assert "empty answer" in reply.degraded[0]["why"]


def test_a_client_that_does_not_know_the_method_counts_as_a_refusal(
    run: Run, analysis_request: AnalysisRequest
) -> None:
    error = TypeError("create() got an unexpected keyword argument 'response_format'")
    model = ScriptedChatModel([error, json.dumps(ANALYSIS)])
    request = replace(analysis_request, settings=Settings(llm_structured_output="json_schema"))

    assert run(LLMReasoner(model), "analyze", request).degraded[0]["what"] == "structured_output"


@pytest.mark.parametrize("method", ["json_mode", "json_schema"])
def test_what_a_filtered_answer_cost_is_counted(
    run: Run, chat: Any, settings: Settings, method: Any, analysis_request: AnalysisRequest
) -> None:
    chat.script = [chat.completion(None, "content_filter")]
    request = replace(analysis_request, settings=replace(settings, llm_structured_output=method))

    with pytest.raises(FilteredError, match="content_filter") as raised:
        run(LLMReasoner(make_model(settings)), "analyze", request)

    assert raised.value.usage == {"calls": 1, "prompt_tokens": 100, "completion_tokens": 20}


@pytest.mark.parametrize("method", METHODS)
def test_a_streamed_answer_is_held_to_its_form_and_its_cost_is_counted(
    run: Run, chat: Any, settings: Settings, method: Any, analysis_request: AnalysisRequest
) -> None:
    chat.reply = lambda _asked: chat.completion(json.dumps(ANALYSIS), reasoning_content="hm")
    own = replace(settings, llm_structured_output=method, llm_enable_thinking=True)

    reply = run(LLMReasoner(make_model(own)), "analyze", replace(analysis_request, settings=own))

    assert reply.analysis == ANALYSIS
    assert reply.usage == {"calls": 1, "prompt_tokens": 100, "completion_tokens": 20}
    assert {"response_format", "tools"} & chat.requests[0].keys()
    assert chat.requests[0]["stream"] is True
