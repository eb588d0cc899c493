"""Which key means what, in all spellings, at the top and below `metadata`."""

import json
from collections.abc import Callable

import pytest

from skill_selector.catalog.parser import ParsedSkill
from skill_selector.catalog.skill import Skill

Load = Callable[..., ParsedSkill]
LoadSkill = Callable[..., Skill]


def file_with(lines: str, *, below: bool = False) -> str:
    if below:
        lines = "metadata:\n" + "\n".join("  " + line for line in lines.split("\n"))
    return f"---\nname: kite\ndescription: Folds kites\n{lines}\n---\n\nFold the paper.\n"


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize(
    ("lines", "field", "expected"),
    [
        ("version: 1.10", "version", "1.10"),
        ("category: crafts", "category", "crafts"),
        ("categories: [crafts, paper]", "category", "crafts; paper"),
        ("language: C/C++", "language", "C/C++"),
        ("languages:\n  - python\n  - rust", "language", "python; rust"),
        ("compatibility: needs scissors", "compatibility", "needs scissors"),
        ("when_to_use: it is windy", "when_to_use", "it is windy"),
        ("when-to-use: it is windy", "when_to_use", "it is windy"),
        ("whenToUse: it is windy", "when_to_use", "it is windy"),
        ("useWhen: 起风时", "when_to_use", "起风时"),
        ("use-when: it is windy", "when_to_use", "it is windy"),
        ("适用场景: 起风时", "when_to_use", "起风时"),
        ("triggers:\n  - fold it\n  - kite", "triggers", ("fold it", "kite")),
        ("trigger: fold it, kite", "triggers", ("fold it", "kite")),
        ('triggers: "fold it", "kite"', "triggers", ("fold it", "kite")),
        ("触发词: 折纸、风筝", "triggers", ("折纸", "风筝")),
        ("triggers:\n  keywords: [kite]\n  phrases: [fold it]", "triggers", ("kite", "fold it")),
        ("tags: [paper, wind]", "tags", ("paper", "wind")),
        ("tags: paper, wind", "tags", ("paper", "wind")),
        ("keywords: paper; wind", "tags", ("paper", "wind")),
        ("tags: [paper, paper]", "tags", ("paper",)),
        ("disable-model-invocation: true", "manual_only", True),
        ("disableModelInvocation: yes", "manual_only", True),
        ("disable_model_invocation: false", "manual_only", False),
        ("user-invocable: false", "user_invocable", False),
        ("userInvocable: no", "user_invocable", False),
        ("user-invocable: true", "user_invocable", True),
        ("allowed-tools: Read Write", "allowed_tools", ("Read", "Write")),
        ("allowed_tools: Read, Write", "allowed_tools", ("Read", "Write")),
        ("allowedTools: [Read, Write]", "allowed_tools", ("Read", "Write")),
        ("Allowed Tools: Read", "allowed_tools", ("Read",)),
        ("allowed-tools: *", "allowed_tools", ("*",)),
        ("allowed-tools: []", "allowed_tools", ()),
        ("allowed-tools:", "allowed_tools", None),
        ("disallowed-tools: Bash", "disallowed_tools", ("Bash",)),
        ("disallowed_tools:\n  - Bash\n  - Write", "disallowed_tools", ("Bash", "Write")),
        ("disallowedTools: Bash", "disallowed_tools", ("Bash",)),
    ],
)
def test_every_spelling_gives_its_field(
    load_skill: LoadSkill, lines: str, field: str, expected: object, below: bool
) -> None:
    skill = load_skill(file_with(lines, below=below))
    assert getattr(skill, field) == expected
    assert not skill.metadata


def test_tools_at_the_top_name_the_allowed_ones_only_where_nothing_else_does(load_skill: LoadSkill) -> None:
    assert load_skill(file_with("tools: Read, Bash(git log:*)")).allowed_tools == ("Read", "Bash(git log:*)")
    both = load_skill(file_with("tools: [hammer]\nallowed-tools: Read"))
    assert both.allowed_tools == ("Read",)
    assert both.metadata == {"tools": ["hammer"]}


def test_a_map_of_tools_says_which_are_on_and_off(load_skill: LoadSkill) -> None:
    skill = load_skill(file_with("tools:\n  read: true\n  write: false\n  bash: off"))
    assert (skill.allowed_tools, skill.disallowed_tools) == (("read",), ("write", "bash"))
    skill = load_skill(file_with("tools:\n  allowed: [read]\n  disallowed: write, bash"))
    assert (skill.allowed_tools, skill.disallowed_tools) == (("read",), ("write", "bash"))


def test_the_top_beats_metadata_and_what_lost_is_kept(load_skill: LoadSkill) -> None:
    skill = load_skill(file_with("version: 2\nauthor: Ann\nmetadata:\n  version: 1\n  author: Bob\n  team: blue"))
    assert skill.version == "2"
    assert skill.metadata["author"] == "Ann"
    assert skill.metadata["team"] == "blue"
    assert skill.metadata["version"] == "1"
    assert skill.metadata["metadata"] == {"author": "Bob"}


def test_the_plain_spelling_beats_the_odd_one(load_skill: LoadSkill) -> None:
    skill = load_skill(
        "---\nName: Odd\nname: kite\nDescription: Odd\ndescription: Folds\nVersion: 1\nversion: 2\n---\nB"
    )
    assert (skill.name, skill.description, skill.version) == ("kite", "Folds", "2")
    assert skill.metadata == {"Name": "Odd", "Description": "Odd", "Version": "1"}


def test_a_name_below_metadata_only_is_not_the_skills_own(load_skill: LoadSkill) -> None:
    assert load_skill("---\ndescription: Folds\nmetadata:\n  name: host\n---\nBody", "kite").name == "kite"


def test_unknown_fields_are_kept_whatever_they_hold(load_skill: LoadSkill) -> None:
    skill = load_skill(
        file_with(
            "license: MIT\nhooks:\n  stop: [{run: x}]\nargument-hint: file\nreleased: 2026-02-30\nmetadata:\n  on: 1.0"
        )
    )
    assert skill.metadata == {
        "license": "MIT",
        "hooks": {"stop": [{"run": "x"}]},
        "argument-hint": "file",
        "released": "2026-02-30",
        "on": "1.0",
    }
    assert json.loads(json.dumps(dict(skill.metadata))) == skill.metadata


def test_metadata_that_is_no_map_is_kept(load_skill: LoadSkill) -> None:
    assert load_skill(file_with("metadata: just text")).metadata == {"metadata": "just text"}


def test_names_and_descriptions_further_down_are_not_the_skills_own(load_skill: LoadSkill) -> None:
    lines = "metadata:\n  name: inner\n  description: inner\n  env:\n    - name: HOST\n      description: where"
    skill = load_skill(file_with(lines))
    assert (skill.name, skill.description) == ("kite", "Folds kites")
    assert skill.metadata["env"] == [{"name": "HOST", "description": "where"}]


@pytest.mark.parametrize("name", ["007", "12:30", "1.10", "on", "2026-02-30", "12306", "风筝", "0x1F"])
def test_a_name_stays_the_text_that_was_written(load_skill: LoadSkill, name: str) -> None:
    assert load_skill(f"---\nname: {name}\ndescription: Folds\n---\nBody").name == name


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("true", "true"),
        ("42", "42"),
        ("\n  - folds\n  - flies", "folds; flies"),
        ("\n  en: folds\n  zh: 折", "folds; 折"),
        ("[folds, flies]", "folds; flies"),
        ("\n  - en: folds\n  - [flies]", "folds; flies"),
        ("{folds, flies}", "folds; flies"),
    ],
)
def test_a_description_that_is_no_text_becomes_one(load: Load, value: str, expected: str) -> None:
    parsed = load(f"---\nname: kite\ndescription: {value}\n---\nBody", "kite")
    assert parsed.skill is not None
    assert parsed.skill.description == expected
    assert ("description_not_text" in {one.kind for one in parsed.diagnostics}) == (";" in expected)


@pytest.mark.parametrize("value", ["", "{}", "[]", "~", "null", '""', "  ", "\n  -\n"])
def test_an_empty_description_is_a_missing_one(load: Load, value: str) -> None:
    parsed = load(f"---\nname: kite\ndescription: {value}\n---\n# Kites\n\nThey fly.", "kite")
    assert parsed.skill is not None
    assert (parsed.skill.description, parsed.skill.inferred) == ("They fly.", True)
    assert [one.kind for one in parsed.diagnostics] == ["missing_description"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [("summary: Folds", "Folds"), ("metadata:\n  description: Folds", "Folds"), ("short-description: Folds", "Folds")],
)
def test_another_key_stands_in_for_the_description(load: Load, lines: str, expected: str) -> None:
    parsed = load(f"---\nname: kite\n{lines}\n---\nOther text.", "kite")
    assert parsed.skill is not None
    assert (parsed.skill.description, parsed.skill.inferred) == (expected, False)
    assert [one.kind for one in parsed.diagnostics] == ["description_elsewhere"]


@pytest.mark.parametrize("line", ["", "name:", "name: ''", "name: ~"])
def test_a_missing_name_is_that_of_the_folder(load: Load, line: str) -> None:
    parsed = load(f"---\n{line}\ndescription: Folds\n---\nBody", "风筝")
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.inferred) == ("风筝", False)
    assert [(one.kind, one.severity) for one in parsed.diagnostics] == [("missing_name", "warning")]


def test_a_name_that_is_no_text_is_that_of_the_folder(load: Load) -> None:
    parsed = load("---\nname: [kite]\ndescription: Folds\n---\nBody", "paper")
    assert parsed.skill is not None
    assert parsed.skill.name == "paper"
    assert {one.kind for one in parsed.diagnostics} == {"field_not_usable", "missing_name"}


@pytest.mark.parametrize("keys", [("Name", "Description"), ("NAME", "DESCRIPTION"), ("名称", "描述")])
def test_odd_spellings_of_the_two_main_keys_are_read_with_a_warning(load: Load, keys: tuple[str, str]) -> None:
    parsed = load(f"---\n{keys[0]}: kite\n{keys[1]}: Folds\n---\nBody", "kite")
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description) == ("kite", "Folds")
    assert [one.kind for one in parsed.diagnostics] == ["key_spelling", "key_spelling"]


def test_quoted_keys_are_keys(load: Load) -> None:
    parsed = load("---\n\"name\": kite\n'description': Folds\n---\nBody", "kite")
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description) == ("kite", "Folds")
    assert parsed.diagnostics == ()


def test_a_switch_that_is_neither_on_nor_off_is_kept_with_a_warning(load: Load) -> None:
    parsed = load(file_with("disable-model-invocation: maybe"), "kite")
    assert parsed.skill is not None
    assert parsed.skill.manual_only is False
    assert parsed.skill.metadata == {"disable-model-invocation": "maybe"}
    assert [one.kind for one in parsed.diagnostics] == ["field_not_usable"]


def test_tools_in_an_unknown_shape_are_kept_with_a_warning(load: Load) -> None:
    parsed = load(file_with("allowed-tools:\n  read: {deep: [x]}"), "kite")
    assert parsed.skill is not None
    assert parsed.skill.allowed_tools is None
    assert parsed.skill.metadata == {"allowed-tools": {"read": {"deep": ["x"]}}}
    assert [one.kind for one in parsed.diagnostics] == ["field_not_usable"]
