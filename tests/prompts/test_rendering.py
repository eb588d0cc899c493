from importlib.resources import files

import pytest

from skill_selector.prompts.rendering import PromptError, render

ALL = sorted(
    path.name.removesuffix(".md") for path in files("skill_selector.prompts").iterdir() if path.name.endswith(".md")
)


def test_values_stand_where_their_variables_stood() -> None:
    text = render("task", task="<task>\n合并 PDF\n</task>")

    assert text.startswith("<task>\n合并 PDF\n</task>\n")
    assert "${" not in text


@pytest.mark.parametrize("value", ["${task}", "$task", "$$", "{task}", "%s", "\\g<0>"])
def test_a_variable_inside_a_value_stays_text(value: str) -> None:
    assert render("task", task=value).startswith(f"{value}\n")


def test_a_missing_value_is_an_error_that_names_it() -> None:
    with pytest.raises(PromptError, match="'candidates': no value for analysis, no value for ids"):
        render("candidates", task="", candidates="")


def test_a_value_without_a_variable_is_an_error_that_names_it() -> None:
    with pytest.raises(PromptError, match="no variable tusk"):
        render("task", task="", tusk="")


def test_every_prompt_is_found_and_none_is_empty() -> None:
    assert {"analysis", "ranking", "task", "tied_task", "candidates", "correction", "brevity"} <= set(ALL)
    for name in ALL:
        assert (files("skill_selector.prompts") / f"{name}.md").read_text(encoding="utf-8").strip()


def test_the_ranking_prompt_states_the_whole_rubric() -> None:
    text = render("ranking")

    for part in (
        '"intent", 0 to 40',
        '"tech_stack", 0 to 30',
        '"constraints", 0 to 20',
        '"keywords", 0 to 10',
        "不适用于",
    ):
        assert part in text


def test_both_reason_prompts_ask_for_json_by_name() -> None:
    # JSON mode of several endpoints refuses a prompt that does not hold the word.
    assert "JSON" in render("ranking")
    assert "JSON" in render("analysis", action_en="", action_zh="", domain_en="", domain_zh="")
