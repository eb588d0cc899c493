import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.agent.commandline import simple_commands
from skill_selector.agent.pattern import ToolPattern
from skill_selector.agent.traits import ToolTraits

BASH = ToolTraits(name="Bash")
READ = ToolTraits(name="Read")
FETCH = ToolTraits(name="WebFetch")
ISSUE = ToolTraits(name="github_create_issue", server="github", own_name="create_issue")


@pytest.mark.parametrize(
    "text", ["Bash", "bash", "ＢＡＳＨ", "Bash()", "Bash(*)", "B*", "*", "github:create_issue", "GitHub:*"]
)
def test_a_name_an_identity_or_a_wildcard_covers_every_call(text: str) -> None:
    tool = ISSUE if ":" in text else BASH
    assert ToolPattern.parse(text).permits(tool, {"anything": 1})


@pytest.mark.parametrize("text", ["mcp__github__create_issue", "mcp__github", "mcp__github__*", "github_create_issue"])
def test_a_tool_of_a_server_is_matched_in_every_spelling(text: str) -> None:
    assert ToolPattern.parse(text).names(ISSUE)


def test_a_server_cannot_pass_a_tool_off_as_another_by_its_bare_name() -> None:
    assert not ToolPattern.parse("Read").names(ToolTraits(name="evil_Read", server="evil", own_name="Read"))


@pytest.mark.parametrize("text", ["", "()", "  ", "（", "Bas", "Bash2"])
def test_what_names_nothing_or_something_else_matches_nothing(text: str) -> None:
    assert not ToolPattern.parse(text).permits(BASH, {})


def test_brackets_in_a_name_are_ordinary_characters() -> None:
    assert not ToolPattern.parse("[B]ash").names(BASH)


@pytest.mark.parametrize(
    "command",
    ["git", "git status", "git log | git apply", "git commit -m 'a; b && c'", "git log 2>/dev/null", "git a\ngit b"],
)
def test_a_prefix_allows_what_begins_with_it(command: str) -> None:
    assert ToolPattern.parse("Bash(git:*)").permits(BASH, {"command": command})


@pytest.mark.parametrize(
    "command",
    [
        "",
        "gitx status",
        "git status; rm -rf /",
        "git status && rm x",
        "git status\nrm x",
        "git log | sh",
        'git a;"rm" x',
        "git a;''rm x",
        "git $(rm x)",
        "git `rm x`",
        "git log > ~/.bashrc",
        "git <(rm x)",
        "git ${IFS}x",
        "(git status)",
        "GIT_PAGER=rm git log",
        "/home/git status",
        "git 'unclosed",
        "git status &rm x",
        "sudo git status",
    ],
)
def test_a_prefix_allows_nothing_that_could_run_something_else(command: str) -> None:
    assert not ToolPattern.parse("Bash(git:*)").permits(BASH, {"command": command})


@pytest.mark.parametrize(("command", "fits"), [("npm run test", True), ("npm run test:all", False), ("npm", False)])
def test_without_a_star_the_whole_command_is_meant(command: str, fits: bool) -> None:
    assert ToolPattern.parse("Bash(npm run test)").permits(BASH, {"command": command}) is fits


@pytest.mark.parametrize(
    "command",
    ["rm x", "sudo rm x", "/bin/rm x", "ls; rm x", "env A=1 rm x", "ls $(rm x)", "rm 'unclosed", "ls | xargs rm"],
)
def test_a_forbidden_prefix_is_found_wherever_it_may_hide(command: str) -> None:
    assert ToolPattern.parse("Bash(rm:*)").forbids(BASH, {"command": command})


def test_a_forbidden_prefix_leaves_other_commands_alone() -> None:
    assert not ToolPattern.parse("Bash(rm:*)").forbids(BASH, {"command": "ls -l | sort"})


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("Read(src/**)", "src/a/b.py", True),
        ("Read(src/*)", "src/a/b.py", False),
        ("Read(src/)", "src/a.py", True),
        ("Read(src/**)", "src/../etc/passwd", False),
        ("Read(src/**)", "./src/a.py", True),
        ("Read(src/**)", "/etc/src/a.py", False),
        ("Read(**/*.md)", "docs/读我.md", True),
        ("Read(//etc/**)", "/etc/hosts", True),
        ("Read(./docs/?.txt)", "docs/a.txt", True),
    ],
)
def test_paths_are_compared_as_paths(pattern: str, path: str, fits: bool) -> None:
    assert ToolPattern.parse(pattern).permits(READ, {"file_path": path}) is fits


@pytest.mark.parametrize("path", ["secrets/k", "/repo/secrets/k", "a/../secrets/k", "SECRETS/k", "a\\..\\secrets\\k"])
def test_a_forbidden_folder_is_found_in_any_spelling(path: str) -> None:
    assert ToolPattern.parse("Read(secrets/**)").forbids(READ, {"file_path": path})


@pytest.mark.parametrize(
    ("address", "fits"),
    [
        ("https://example.org/a", True),
        ("https://docs.example.org", True),
        ("https://evil.org/example.org", False),
        ("https://example.org@evil.org", False),
        ("https://notexample.org", False),
        ("http://[broken", False),
    ],
)
def test_a_domain_covers_itself_and_what_lies_below_it(address: str, fits: bool) -> None:
    assert ToolPattern.parse("WebFetch(domain:example.org)").permits(FETCH, {"url": address}) is fits


def test_the_only_text_argument_is_looked_at_where_no_usual_one_is_there() -> None:
    pattern = ToolPattern.parse("say(你好*)")
    tool = ToolTraits(name="say")
    assert pattern.permits(tool, {"words": "你好，世界", "loud": True})
    assert not pattern.permits(tool, {"words": "再见"})


def test_what_cannot_be_told_is_not_allowed_and_is_forbidden() -> None:
    pattern = ToolPattern.parse("say(hello)")
    for arguments in ({"a": "hello", "b": "hello"}, {"a": 5}, {}, {"a": [1]}):
        assert not pattern.permits(ToolTraits(name="say"), arguments)
        assert pattern.forbids(ToolTraits(name="say"), arguments)


def test_a_tool_says_which_argument_patterns_look_at() -> None:
    tool = ToolTraits(name="query", pattern_argument="sql")
    pattern = ToolPattern.parse("query(select *)")
    assert pattern.permits(tool, {"sql": "select 1", "note": "x"})
    assert not pattern.permits(tool, {"note": "select 1"})


def test_each_of_several_commands_must_be_covered() -> None:
    pattern = ToolPattern.parse("Bash(git:*)")
    assert pattern.permits(BASH, {"commands": ["git a", "git b"]})
    assert not pattern.permits(BASH, {"commands": ["git a", "rm b"]})
    assert not pattern.permits(BASH, {"command": "git a", "script": "rm b"})


@given(st.text(), st.text())
def test_no_text_makes_a_pattern_or_a_comparison_fail(written: str, value: str) -> None:
    pattern = ToolPattern.parse(written)
    for key in ("command", "path", "url", "words"):
        pattern.permits(BASH, {key: value})
        pattern.forbids(BASH, {key: value})


@given(st.text(alphabet="git rm;&|()<>`$'\"\\\n\t={}*~#!", max_size=40))
def test_a_command_that_is_allowed_consists_of_allowed_commands_only(text: str) -> None:
    if ToolPattern.parse("Bash(git:*)").permits(BASH, {"command": text}):
        commands = simple_commands(text)
        assert commands
        assert all(words[0] == "git" for words in commands)
