import pytest

from skill_selector.agent.policy import ToolPolicy
from skill_selector.agent.traits import ToolTraits, traits_of
from skill_selector.graph.errors import SettingError

PLAIN = ToolTraits(name="get_current_time", category="basic")
COMMAND = ToolTraits(name="execute_command", category="system", dangerous=True)
KICK = ToolTraits(name="kick_member", category="group", admin_only=True)
MCP = ToolTraits(name="github_search", server="github", own_name="search")


def rule(policy: ToolPolicy, tool: ToolTraits) -> str:
    return policy.verdict(tool).rule


def test_without_rules_only_dangerous_and_administrators_tools_are_refused() -> None:
    policy = ToolPolicy()
    assert [rule(policy, one) for one in (PLAIN, COMMAND, KICK, MCP)] == [
        "allowed",
        "dangerous",
        "admin_only",
        "allowed",
    ]
    open_to_all = ToolPolicy(allow_dangerous=True, is_admin=True)
    assert [rule(open_to_all, one) for one in (PLAIN, COMMAND, KICK, MCP)] == ["allowed"] * 4


def test_the_configuration_of_the_source_is_read_in_its_own_spelling() -> None:
    config = {"builtinTools": {"enabledCategories": ["basic", "user"], "disabledTools": ["execute_command"]}}
    preset = {"tools": {"allowedTools": ["get_current_time", "get_weather"], "excludedTools": []}}
    policy = ToolPolicy.from_config(config, preset)
    assert policy == ToolPolicy(
        enabled_categories=("basic", "user"),
        disabled_tools=("execute_command",),
        allowed_tools=("get_current_time", "get_weather"),
    )
    assert rule(policy, PLAIN) == "allowed"
    assert rule(policy, KICK) == "category"
    assert rule(policy, ToolTraits(name="send_mail", category="user")) == "not_in_preset"


def test_excluded_goes_before_allowed() -> None:
    policy = ToolPolicy(allowed_tools=("get_*",), excluded_tools=("get_current_time",))
    assert rule(policy, PLAIN) == "excluded_by_preset"


def test_an_empty_preset_allows_all() -> None:
    assert rule(ToolPolicy(allowed_tools=()), PLAIN) == "allowed"


def test_a_servers_tool_without_category_is_no_built_in_tool() -> None:
    policy = ToolPolicy(enabled_categories=("basic",))
    assert rule(policy, MCP) == "allowed"
    assert rule(policy, ToolTraits(name="x")) == "category"
    assert rule(ToolPolicy(disabled_tools=("github:*",)), MCP) == "disabled"


def test_chinese_names_and_categories_are_names_like_others() -> None:
    tool = ToolTraits(name="查天气", category="基础")
    assert rule(ToolPolicy(enabled_categories=("基础",), allowed_tools=("查天气",)), tool) == "allowed"
    assert rule(ToolPolicy(enabled_categories=("用户",)), tool) == "category"


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"builtinTools": {"enabledCategory": ["basic"]}}, "enabledCategory"),
        ({"disabledTools": "execute_command"}, "list of names"),
        ({"disabledTools": [1]}, "list of names"),
        ({"isAdmin": "yes"}, "true or false"),
    ],
)
def test_a_rule_that_cannot_be_used_is_one_clear_error(config: dict[str, object], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        ToolPolicy.from_config(config)


@pytest.mark.parametrize("stated", [{"dangerous": True, "adminOnly": "yes"}, {"Dangerous": 1, "admin-only": "true"}])
def test_a_tool_states_its_traits_in_any_spelling(stated: dict[str, object]) -> None:
    from langchain_core.tools import tool

    @tool
    def run(x: str) -> str:
        """Run."""
        return x

    run.metadata = {"category": "system", **stated}
    traits = traits_of(run)
    assert (traits.category, traits.dangerous, traits.admin_only) == ("system", True, True)


def test_a_definition_that_the_provider_runs_has_a_name_too() -> None:
    assert traits_of({"type": "web_search"}).name == "web_search"
    assert traits_of({"type": "function", "function": {"name": "f"}}).name == "f"
