"""The rules of the Agent Skills format, as notes."""

from collections.abc import Callable

import pytest

from skill_selector.catalog.parser import ParsedSkill

Load = Callable[..., ParsedSkill]


def notes(load: Load, name: str, folder: str | None = None, more: str = "", body: str = "Body") -> list[str]:
    parsed = load(f"---\nname: {name}\ndescription: Folds\n{more}---\n{body}", folder or name)
    assert parsed.skill is not None
    assert all(one.severity == "note" and one.fix for one in parsed.diagnostics)
    return [one.kind for one in parsed.diagnostics]


@pytest.mark.parametrize("name", ["kite", "kite-2", "a", "x" * 64, "风筝", "café", "数据-分析", "हिन्दी"])
def test_names_within_the_rules_are_not_noted(load: Load, name: str) -> None:
    assert notes(load, name) == []


@pytest.mark.parametrize(
    "name", ["Kite", "my kite", "kite_2", "-kite", "kite-", "ki--te", "🪁-kite", "kite.md", "Éclair"]
)
def test_names_outside_the_rules_are_noted(load: Load, name: str) -> None:
    assert notes(load, name) == ["name_format"]


def test_a_long_name_is_noted(load: Load) -> None:
    assert notes(load, "x" * 65) == ["name_too_long"]


def test_a_name_that_is_not_the_folders_is_noted_and_stands(load: Load) -> None:
    parsed = load("---\nname: kite\ndescription: Folds\n---\nBody", "paper")
    assert parsed.skill is not None
    assert parsed.skill.name == "kite"
    assert [one.kind for one in parsed.diagnostics] == ["name_differs_from_folder"]


def test_composed_and_decomposed_letters_are_the_same_name(load: Load) -> None:
    assert notes(load, "caf\u00e9", "cafe\u0301") == []


def test_lengths_are_noted(load: Load) -> None:
    assert notes(load, "kite", more=f"compatibility: {'x' * 501}\n") == ["compatibility_too_long"]
    assert notes(load, "kite", body="line\n" * 500) == ["body_too_long"]
    assert notes(load, "kite", body="line\n" * 400, more=f"compatibility: {'x' * 500}\n") == []
    long = load(f"---\nname: kite\ndescription: {'x' * 1025}\n---\nBody", "kite")
    assert [one.kind for one in long.diagnostics] == ["description_too_long"]


def test_a_name_guessed_from_the_folder_is_not_held_to_the_rules(load: Load) -> None:
    parsed = load("# Kites\n\nThey fly.", "My Kites")
    assert [one.kind for one in parsed.diagnostics] == ["no_frontmatter"]
