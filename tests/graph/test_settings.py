from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.graph.settings import ENVIRONMENT_NAMES, resolve_settings

NOWHERE = Path("no-such-file")


def test_defaults_are_those_of_the_source() -> None:
    settings = resolve_settings(environ={}, dotenv=NOWHERE)
    assert settings.llm_base_url == "https://dashscope.aliyuncs.com/compatible-mode/v1"
    assert (settings.llm_model, settings.llm_temperature, settings.llm_max_tokens) == ("glm-5.2", 0.2, 2048)
    assert settings.llm_enable_thinking is False
    assert (settings.top_k, settings.hit_threshold, settings.min_gap) == (5, 60, 10)
    assert (settings.weight_action, settings.weight_domain, settings.weight_raw) == (0.4, 0.4, 0.2)
    assert settings.fallback_model is None
    assert settings.dashscope_api_key is None


def test_environment_names_are_those_of_the_source() -> None:
    assert {
        "DASHSCOPE_API_KEY",
        "LLM_BASE_URL",
        "LLM_MODEL",
        "LLM_TEMPERATURE",
        "LLM_MAX_TOKENS",
        "LLM_ENABLE_THINKING",
        "SELECTOR_TOP_K",
        "SELECTOR_HIT_THRESHOLD",
        "SELECTOR_WEIGHT_ACTION",
        "SELECTOR_WEIGHT_DOMAIN",
        "SELECTOR_WEIGHT_RAW",
        "FALLBACK_MODEL",
    } <= set(ENVIRONMENT_NAMES.values())


def test_an_argument_beats_the_environment_beats_dotenv_beats_the_default(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text("SELECTOR_TOP_K=7\nSELECTOR_HIT_THRESHOLD=70\nLLM_MODEL=from-file\n", encoding="utf-8")
    environ = {"SELECTOR_TOP_K": "8", "SELECTOR_HIT_THRESHOLD": "71"}
    settings = resolve_settings(SelectorContext(top_k=9), environ=environ, dotenv=dotenv)
    assert (settings.top_k, settings.hit_threshold, settings.llm_model) == (9, 71, "from-file")
    assert settings.llm_max_tokens == 2048


def test_an_argument_equal_to_the_default_still_beats_the_environment() -> None:
    settings = resolve_settings(SelectorContext(top_k=5), environ={"SELECTOR_TOP_K": "8"}, dotenv=NOWHERE)
    assert settings.top_k == 5


def test_an_empty_variable_is_not_set() -> None:
    assert resolve_settings(environ={"SELECTOR_TOP_K": "  "}, dotenv=NOWHERE).top_k == 5


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SELECTOR_TOP_K", "many"),
        ("SELECTOR_TOP_K", "0"),
        ("SELECTOR_TOP_K", "5.5"),
        ("SELECTOR_HIT_THRESHOLD", "101"),
        ("SELECTOR_HIT_THRESHOLD", "nan"),
        ("LLM_ENABLE_THINKING", "maybe"),
        ("SELECTOR_REASONER", "cloud"),
        ("SELECTOR_WEIGHT_RAW", "-0.1"),
    ],
)
def test_a_bad_value_is_named_with_its_variable_and_what_it_must_be(variable: str, value: str) -> None:
    with pytest.raises(SettingError, match=f"{variable} is '{value}': it must be"):
        resolve_settings(environ={variable: value}, dotenv=NOWHERE)


def test_every_bad_value_is_named_not_only_the_first() -> None:
    environ = {"SELECTOR_TOP_K": "x", "LLM_MAX_TOKENS": "y"}
    with pytest.raises(SettingError, match=r"LLM_MAX_TOKENS.*SELECTOR_TOP_K"):
        resolve_settings(environ=environ, dotenv=NOWHERE)


def test_a_bad_value_in_dotenv_is_named_with_the_file(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text("SELECTOR_TOP_K=zehn\n", encoding="utf-8")
    with pytest.raises(SettingError, match=r"SELECTOR_TOP_K in \.env"):
        resolve_settings(environ={}, dotenv=dotenv)


def test_a_dotenv_that_is_not_text_is_one_clear_error(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_bytes(b"\xff\xfe\x00binary")
    with pytest.raises(SettingError, match="cannot be read as UTF-8"):
        resolve_settings(environ={}, dotenv=dotenv)


def test_weights_that_are_all_zero_are_refused() -> None:
    with pytest.raises(SettingError, match="at least one"):
        resolve_settings(SelectorContext(weight_action=0, weight_domain=0, weight_raw=0), environ={}, dotenv=NOWHERE)


def test_the_key_is_not_shown() -> None:
    settings = resolve_settings(environ={"DASHSCOPE_API_KEY": "sk-very-secret"}, dotenv=NOWHERE)
    assert settings.dashscope_api_key == "sk-very-secret"
    assert "sk-very-secret" not in repr(settings)


def test_an_unknown_option_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(SettingError, match=r"'topk'; did you mean top_k\?"):
        SelectorContext.from_options({"topk": 3})


def test_every_context_field_is_a_setting() -> None:
    assert set(SelectorContext.__dataclass_fields__) <= set(ENVIRONMENT_NAMES)


def test_neither_key_nor_address_can_be_set_per_run() -> None:
    assert not {"dashscope_api_key", "llm_base_url"} & set(SelectorContext.__dataclass_fields__)


@given(st.text())
def test_any_text_in_a_number_is_taken_or_refused_by_name(value: str) -> None:
    try:
        settings = resolve_settings(environ={"SELECTOR_HIT_THRESHOLD": value}, dotenv=NOWHERE)
    except SettingError as error:
        assert "SELECTOR_HIT_THRESHOLD" in str(error)  # noqa: PT017 - both ways are right
    else:
        assert 0 <= settings.hit_threshold <= 100
