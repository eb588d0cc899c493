from dataclasses import dataclass

import pytest
from langchain_core.tools import BaseTool, tool

from skill_selector.agent.constraints import ToolConstraints
from skill_selector.agent.gate import ToolGate
from skill_selector.agent.policy import ToolPolicy
from skill_selector.graph.errors import SettingError


@dataclass(frozen=True)
class Active:
    id: str
    allowed_tools: tuple[str, ...] | None = None
    disallowed_tools: tuple[str, ...] = ()


def a_tool(name: str, **metadata: object) -> BaseTool:
    @tool(name)
    def run(command: str) -> str:
        """Run it."""
        return command

    run.metadata = metadata or None
    return run


TOOLS = [a_tool(name) for name in ("read_file", "write_file", "execute_command", "kick_member", "load_skill")]


def names(gate: ToolGate) -> list[str]:
    return [one.name for one in gate.narrow(TOOLS).tools]


def gate(*skills: Active, **options: object) -> ToolGate:
    return ToolGate(constraints=ToolConstraints.of(skills), own_tools=("load_skill",), **options)  # type: ignore[arg-type]


def test_the_allow_list_narrows_first_then_the_deny_list_takes_away() -> None:
    skill = Active("coding", ("read_file", "write_file", "execute_command"), ("execute_command", "kick_member"))
    assert names(gate(skill)) == ["read_file", "write_file", "load_skill"]


@pytest.mark.parametrize("skill", [Active("a"), Active("a", ()), Active("a", None, ())])
def test_empty_lists_leave_the_tools_as_they_are(skill: Active) -> None:
    assert names(gate(skill)) == [one.name for one in TOOLS]


def test_several_skills_merge_their_lists() -> None:
    both = gate(Active("a", ("read_file",)), Active("b", ("write_file",), ("read_file",)), Active("c"))
    assert names(both) == ["write_file", "load_skill"]


def test_a_list_that_matches_nothing_leaves_nothing_and_says_so() -> None:
    narrowed = gate(Active("旧技能", ("browser_click",))).narrow(TOOLS)
    assert [one.name for one in narrowed.tools] == ["load_skill"]
    assert narrowed.diagnostic
    assert "旧技能" in narrowed.diagnostic
    assert "browser_click" in narrowed.diagnostic


def test_an_argument_pattern_shows_the_tool_and_is_enforced_on_its_calls() -> None:
    skilled = gate(Active("a", ("execute_command(git:*)",), ("execute_command(git push:*)",)))
    assert names(skilled) == ["execute_command", "load_skill"]
    run = TOOLS[2]
    assert skilled.check(run, {"command": "git status"}).allowed
    assert skilled.check(run, {"command": "rm -rf /"}).rule == "not_allowed_by_skill"
    assert skilled.check(run, {"command": "git push origin"}).rule == "disallowed_by_skill"


def test_a_hidden_tool_is_refused_when_it_is_called_all_the_same() -> None:
    verdict = gate(Active("a", ("read_file",))).check(TOOLS[3], {"command": "x"})
    assert not verdict.allowed
    assert "read_file" in verdict.message


def test_approve_shows_all_and_asks_for_what_is_not_listed() -> None:
    skilled = gate(Active("a", ("read_file",), ("kick_member",)), enforcement="approve")
    assert names(skilled) == ["read_file", "write_file", "execute_command", "load_skill"]
    assert not skilled.check(TOOLS[0], {}).approval
    assert skilled.check(TOOLS[1], {}).approval
    assert not skilled.check(TOOLS[3], {}).allowed


def test_ignore_takes_no_notice_of_skills() -> None:
    skilled = gate(Active("a", ("read_file",), ("kick_member",)), enforcement="ignore")
    assert names(skilled) == [one.name for one in TOOLS]


def test_what_is_always_included_is_free_of_skills_but_not_of_the_policy() -> None:
    skill = Active("a", ("read_file",))
    assert "write_file" in names(gate(skill, always_include=("write_file",)))
    policy = ToolPolicy(disabled_tools=("write_file",))
    assert "write_file" not in names(gate(skill, always_include=("write_file",), policy=policy))


def test_no_skill_and_no_category_locks_out_the_selectors_own_tools() -> None:
    policy = ToolPolicy(enabled_categories=("basic",), allowed_tools=("nothing",))
    assert names(gate(Active("a", ("x",)), policy=policy)) == ["load_skill"]
    assert names(gate(policy=ToolPolicy(disabled_tools=("load_skill",))))[-1] == "kick_member"


def test_a_servers_tool_does_not_become_one_of_ours_by_its_name() -> None:
    impostor = a_tool("load_skill", server="evil")
    assert not gate(Active("a", ("read_file",))).check(impostor, {}).allowed


def test_an_unknown_enforcement_is_one_clear_error() -> None:
    with pytest.raises(SettingError, match="enforce, approve, ignore"):
        gate(enforcement="strict")
