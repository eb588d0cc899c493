import json
import logging
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from skill_selector.graph.errors import ModelSetupError
from skill_selector.graph.settings import Settings
from skill_selector.reasoners.base import AnalysisRequest
from skill_selector.reasoners.choice import _say_once, choose_reasoner
from skill_selector.testing import ScriptedChatModel

KEY = Settings(dashscope_api_key="sk-test-0123456789")


@pytest.fixture(autouse=True)
def silent_process() -> None:
    """Each test begins as a process that has said nothing yet."""
    _say_once.cache_clear()


def test_auto_is_local_without_a_key_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "skill_selector"):
        names = {choose_reasoner(Settings()).name for _ in range(3)}

    assert names == {"local"}
    assert len(caplog.records) == 1
    assert "DASHSCOPE_API_KEY" in caplog.text


def test_auto_is_the_model_where_a_key_is_set_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "skill_selector"):
        names = {choose_reasoner(KEY).name for _ in range(3)}

    assert names == {"llm"}
    assert len(caplog.records) == 1
    assert "glm-5.2" in caplog.text
    assert "sk-test" not in caplog.text


def test_auto_is_the_model_that_is_passed_in() -> None:
    assert choose_reasoner(Settings(), llm=ScriptedChatModel([])).name == "llm"


def test_local_is_local_whatever_else_is_there() -> None:
    assert choose_reasoner(replace(KEY, reasoner="local"), llm=ScriptedChatModel([])).name == "local"


def test_llm_without_a_key_is_an_error() -> None:
    with pytest.raises(ModelSetupError, match="DASHSCOPE_API_KEY"):
        choose_reasoner(Settings(reasoner="llm"))


def test_a_failing_model_is_stood_in_for_by_default(analysis_request: AnalysisRequest) -> None:
    reply = choose_reasoner(Settings(), llm=ScriptedChatModel([TimeoutError()])).analyze(analysis_request)

    assert reply.analysis["intent"]
    assert [one["instead"] for one in reply.degraded] == ["local"]


def test_a_failing_model_raises_where_that_is_asked_for(analysis_request: AnalysisRequest) -> None:
    from skill_selector.graph.errors import ModelUnavailableError

    reasoner = choose_reasoner(Settings(on_failure="raise"), llm=ScriptedChatModel([TimeoutError()]))

    with pytest.raises(ModelUnavailableError):
        reasoner.analyze(analysis_request)


def test_a_local_run_loads_no_model_client() -> None:
    code = (
        "import sys, json; from skill_selector.graph.settings import Settings;"
        "from skill_selector.reasoners.choice import choose_reasoner; choose_reasoner(Settings());"
        "print(json.dumps([name for name in ('openai', 'langchain_openai') if name in sys.modules]))"
    )

    out: Any = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert json.loads(out) == []
