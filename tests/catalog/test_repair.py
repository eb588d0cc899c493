"""Values that are not valid YAML, and what valid YAML would lose."""

from collections.abc import Callable

import pytest

from skill_selector.catalog.parser import ParsedSkill
from skill_selector.catalog.skill import Skill

Load = Callable[..., ParsedSkill]
LoadSkill = Callable[..., Skill]


def file_with(line: str) -> str:
    return f"---\nname: kite\n{line}\nallowed-tools: Read, Write\n---\n\nFold the paper.\n"


@pytest.mark.parametrize(
    ("value", "expected", "kind"),
    [
        ("Folds kites: use when it is windy", "Folds kites: use when it is windy", "unquoted_colon"),
        ("折纸鹤: 当用户说 fold: now 时", "折纸鹤: 当用户说 fold: now 时", "unquoted_colon"),
        ("Use for:", "Use for:", "unquoted_colon"),
        ("@mentions in chats", "@mentions in chats", "leading_character"),
        ("[beta] Folds kites", "[beta] Folds kites", "leading_character"),
        ("{draft} Folds kites", "{draft} Folds kites", "leading_character"),
        ("% of paper that is left", "% of paper that is left", "leading_character"),
        ("*all* kinds of kites", "*all* kinds of kites", "leading_character"),
        ("& friends fold kites", "& friends fold kites", "leading_character"),
        ("&co folds kites", "&co folds kites", "leading_character"),
        ("!important folds kites", "!important folds kites", "leading_character"),
        ("`fold` runs the folder", "`fold` runs the folder", "leading_character"),
        ("- folds kites", "- folds kites", "leading_character"),
        ("? asks before folding", "? asks before folding", "leading_character"),
        ("| folds kites", "folds kites", "broken_block"),
        ("> folds kites", "folds kites", "broken_block"),
        ("Posts to the #windy channel", "Posts to the #windy channel", "hash_in_text"),
        ("#windy channel posts", "#windy channel posts", "hash_in_text"),
        ('"Fold" - then fly', '"Fold" - then fly', "text_after_quote"),
        ("'Fold' and 'fly'", "'Fold' and 'fly'", "text_after_quote"),
        ('"Say "fold" to start"', 'Say "fold" to start', "text_after_quote"),
        ("'Don't fold wet paper'", "Don't fold wet paper", "text_after_quote"),
        ('"Folds until dusk', "Folds until dusk", "unterminated_quote"),
        ("'Folds until dusk", "Folds until dusk", "unterminated_quote"),
        (r'"Matches \d+ kites in C:\Kites"', r"Matches \d+ kites in C:\Kites", "bad_escape"),
        ("*missing", "*missing", "alias"),
    ],
)
def test_a_broken_value_keeps_its_whole_text(load: Load, value: str, expected: str, kind: str) -> None:
    parsed = load(file_with(f"description: {value}"), "kite")
    assert parsed.skill is not None
    assert parsed.skill.description == expected
    assert parsed.skill.allowed_tools == ("Read", "Write")
    assert parsed.skill.body == "Fold the paper."
    found = [(one.kind, one.severity) for one in parsed.diagnostics]
    assert found == [(kind, "warning")]
    assert "line 3" in parsed.diagnostics[0].message
    assert parsed.diagnostics[0].fix


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("description: Folds kites,\n  not boats.", "Folds kites, not boats."),
        ("description: >-\n  Folds kites,\n  not boats.\n", "Folds kites, not boats."),
        ("description: >\n\n  Folds kites,\n  not boats.", "Folds kites, not boats."),
        ("description: |\n  Folds kites,\n  not boats.", "Folds kites,\nnot boats."),
        ("description: |2-\n    Folds\n  kites", "  Folds\nkites".strip()),
        ('description: "Folds kites,\n  not boats."', "Folds kites, not boats."),
        ("description:\n  Folds kites,\n  not boats.", "Folds kites, not boats."),
        ("description:    Folds kites # made of paper", "Folds kites"),
        ("description: C# and F# code", "C# and F# code"),
        ("description: see https://kites.example/#wind", "see https://kites.example/#wind"),
    ],
)
def test_wrapped_and_block_values_are_read_as_yaml_reads_them(load_skill: LoadSkill, lines: str, expected: str) -> None:
    assert load_skill(file_with(lines)).description == expected


@pytest.mark.parametrize(
    ("lines", "expected", "kind"),
    [
        ("description: Folds: kites,\n  not boats: never.", "Folds: kites, not boats: never.", "unquoted_colon"),
        ("description: Folds kites,\nnot boats.", "Folds kites, not boats.", "unindented_text"),
        ("description: >\nFolds kites,\nnot boats.", "Folds kites, not boats.", "unindented_text"),
        ("description:Folds kites", "Folds kites", "missing_space"),
        ("description：折风筝", "折风筝", "fullwidth_colon"),
        ("description:\u3000折风筝", "折风筝", None),
        (" description: Folds kites", "Folds kites", "bad_indentation"),
        ("\tdescription: Folds kites", "Folds kites", "bad_indentation"),
        ("description:\tFolds kites", "Folds kites", None),
        ("description: Folds\x07 kites", "Folds kites", "control_characters"),
        ("description: Folds kites\u2028not boats: never", "Folds kites not boats: never", "unquoted_colon"),
        ('description: "Kite \\ud83e\\ude81 folder"', "Kite 🪁 folder", "bad_escape"),
    ],
)
def test_odd_layout_is_repaired(load: Load, lines: str, expected: str, kind: str | None) -> None:
    parsed = load(file_with(lines), "kite")
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description) == ("kite", expected)
    assert parsed.skill.allowed_tools == ("Read", "Write")
    assert kind is None or kind in {one.kind for one in parsed.diagnostics}


def test_a_tab_as_indentation_is_replaced_and_its_line_named(load: Load) -> None:
    parsed = load("---\nname: kite\ndescription: Folds\nmetadata:\n\tauthor: Ann\n\ttags: [a, b]\n---\nBody", "kite")
    assert parsed.skill is not None
    assert (parsed.skill.metadata["author"], parsed.skill.tags) == ("Ann", ("a", "b"))
    assert [(one.kind, one.message.split(":")[0]) for one in parsed.diagnostics] == [("tab", "line 5")]


@pytest.mark.parametrize(
    "broken",
    [
        "argument-hint: [file] [folder]",
        "argument-hint: <a> | [b]: c",
        "globs: *.py, *.md",
        "argument-hint: 'x' or 'y'",
        "model: {{model}}",
        "extra: [1, 2",
        "extra: {a: 1",
        "extra: " + "[" * 5000,
        "extra: &a [*a, *a]",
        "extra:\n  one: 1: 2\n  two: 2",
        "extra:\n  - a: b: c\n  - d",
        "<<: *defaults",
    ],
)
def test_a_broken_optional_field_costs_that_field_only(load: Load, broken: str) -> None:
    parsed = load(f"---\nname: kite\ndescription: Folds kites\n{broken}\ntags: [wind]\n---\nBody", "kite")
    skill = parsed.skill
    assert skill is not None
    assert (skill.name, skill.description, skill.tags) == ("kite", "Folds kites", ("wind",))
    assert not skill.inferred
    assert [one.severity for one in parsed.diagnostics] == ["warning"]


def test_what_stands_beside_a_broken_value_below_metadata_is_kept(load_skill: LoadSkill) -> None:
    below = "  note: a: b\n  version: 1.10\n  useWhen: windy #days"
    skill = load_skill(f"---\nname: kite\ndescription: Folds\nmetadata:\n{below}\n---\nBody")
    assert (skill.version, skill.when_to_use, skill.metadata["note"]) == ("1.10", "windy #days", "a: b")


def test_a_text_cut_at_a_comment_sign_is_put_back_below_metadata_too(load: Load) -> None:
    parsed = load("---\nname: kite\ndescription: Folds\nmetadata:\n  useWhen: on #windy days\n---\nBody", "kite")
    assert parsed.skill is not None
    assert parsed.skill.when_to_use == "on #windy days"
    assert [one.kind for one in parsed.diagnostics] == ["hash_in_text"]


def test_a_comment_stays_a_comment_and_is_noted(load: Load) -> None:
    parsed = load("---\nname: kite\ndescription: Folds  # at most 50 words\nversion: 1 # first\n---\nBody", "kite")
    assert parsed.skill is not None
    assert (parsed.skill.description, parsed.skill.version) == ("Folds", "1")
    assert [(one.kind, one.severity) for one in parsed.diagnostics] == [("comment_in_text", "note")]


@pytest.mark.parametrize("value", ["&co folds kites", "!now folds kites", "Posts to the #windy channel"])
def test_what_yaml_would_take_out_of_a_text_is_kept_beside_a_broken_field_too(
    load_skill: LoadSkill, value: str
) -> None:
    skill = load_skill(f"---\nname: kite\ndescription: {value}\nhint: [a] [b]\n---\nBody")
    assert skill.description == value


def test_json_over_several_lines_without_indentation_is_one_value(load_skill: LoadSkill) -> None:
    text = 'name: kite\ndescription: Folds: kites\nmetadata: {\n"host": {\n"emoji": "K"\n}\n}\n---\nBody'
    skill = load_skill(text)
    assert (skill.description, skill.metadata) == ("Folds: kites", {"host": {"emoji": "K"}})


def test_fields_written_as_a_list_are_merged(load: Load) -> None:
    parsed = load("---\n- name: kite\n- description: Folds\n- tags: [a]\n---\nBody", "kite")
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description, parsed.skill.tags) == ("kite", "Folds", ("a",))
    assert [one.kind for one in parsed.diagnostics] == ["list_of_fields"]


@pytest.mark.parametrize("broken", ["", "hint: [a] [b]\n"])
def test_a_key_given_twice_is_named_with_both_lines_and_the_last_counts(load: Load, broken: str) -> None:
    parsed = load(f"---\nname: kite\ndescription: First\ndescription: Second\n{broken}---\nBody", "kite")
    assert parsed.skill is not None
    assert parsed.skill.description == "Second"
    message = next(one.message for one in parsed.diagnostics if one.kind == "duplicate_key")
    assert message.startswith("lines 3 and 4: description")


def test_keys_inside_a_block_of_text_stay_text(load_skill: LoadSkill) -> None:
    text = (
        "---\nname: kite\nhint: [a] [b]\ndescription: |\n  Folds.\n  name: not this\n  description: nor this\n---\nBody"
    )
    skill = load_skill(text)
    assert skill.name == "kite"
    assert skill.description == "Folds.\nname: not this\ndescription: nor this"
