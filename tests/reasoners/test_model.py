from dataclasses import replace
from typing import Any

import pytest

from skill_selector.graph.errors import ModelSetupError, SettingError
from skill_selector.graph.settings import Settings
from skill_selector.reasoners.exchange import model_name
from skill_selector.reasoners.model import make_fallback_model, make_model

WITH_KEY = Settings(dashscope_api_key="sk-test-0123456789")


def fields(settings: Settings) -> Any:
    return make_model(settings)


def test_the_settings_reach_the_client() -> None:
    model = fields(replace(WITH_KEY, llm_temperature=0.7, llm_max_tokens=99, llm_timeout=7.5, llm_max_retries=4))

    assert model.model_name == "glm-5.2"
    assert model.openai_api_base == "https://dashscope.aliyuncs.com/compatible-mode/v1"
    assert (model.temperature, model.max_tokens, model.request_timeout, model.max_retries) == (0.7, 99, 7.5, 4)
    assert "sk-test" not in repr(model)


def test_without_a_key_the_error_says_how_to_go_on() -> None:
    with pytest.raises(ModelSetupError, match=r"DASHSCOPE_API_KEY.*--offline"):
        make_model(Settings())


@pytest.mark.parametrize(
    "address", ["dashscope.aliyuncs.com/v1", "ftp://host/v1", "https://", "http://[::1", "http://h:x"]
)
def test_an_address_that_is_none_is_a_setting_error(address: str) -> None:
    with pytest.raises(SettingError, match="LLM_BASE_URL"):
        make_model(replace(WITH_KEY, llm_base_url=address))


@pytest.mark.parametrize(
    ("address", "on", "sent"),
    [
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", False, {"enable_thinking": False}),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", True, {"enable_thinking": True}),
        ("https://api.openai.com/v1", False, None),
        ("https://notaliyuncs.com/v1", False, None),
        ("https://api.openai.com/v1", True, {"enable_thinking": True}),
    ],
)
def test_thinking_is_sent_to_those_who_understand_it_or_when_it_is_on(address: str, on: bool, sent: Any) -> None:
    assert fields(replace(WITH_KEY, llm_base_url=address, llm_enable_thinking=on)).extra_body == sent


@pytest.mark.parametrize(
    ("address", "name"),
    [("https://dashscope.aliyuncs.com/v1", "max_tokens"), ("https://api.openai.com/v1", "max_completion_tokens")],
)
def test_the_limit_goes_by_the_name_that_the_endpoint_knows(address: str, name: str) -> None:
    model = fields(replace(WITH_KEY, llm_base_url=address))

    payload = model._get_request_payload("hello")

    assert payload[name] == 2048
    assert not {"max_tokens", "max_completion_tokens"} - {name} & payload.keys()


def test_equal_settings_share_a_client_and_others_do_not() -> None:
    assert make_model(WITH_KEY) is make_model(replace(WITH_KEY, top_k=9))
    assert make_model(WITH_KEY) is not make_model(replace(WITH_KEY, llm_model="other"))


def test_the_fallback_model_differs_in_its_name_only() -> None:
    named = make_model(replace(WITH_KEY, llm_model="small"))

    assert make_fallback_model(replace(WITH_KEY, fallback_model="small")) is named
    assert model_name(named) == "small"


def test_there_is_no_fallback_model_without_its_setting_or_without_a_key() -> None:
    assert make_fallback_model(WITH_KEY) is None
    assert make_fallback_model(Settings(fallback_model="small")) is None


@pytest.mark.parametrize("key", ["sk-密钥", "sk-one two", "sk-“quoted”", "sk-a\nb"])
def test_a_key_that_no_header_can_hold_is_a_setup_error_that_does_not_repeat_it(key: str) -> None:
    with pytest.raises(ModelSetupError, match=r"DASHSCOPE_API_KEY.*--offline") as raised:
        make_model(Settings(dashscope_api_key=key))

    assert key not in str(raised.value)
