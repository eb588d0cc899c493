"""Ids and precedence among several roots."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector.catalog.scanner import scan

Put = Callable[..., Path]


def skill_file(name: str, description: str = "Folds kites.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\nBody\n"


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, Path]:
    low, high = tmp_path / "base" / "skills", tmp_path / "team"
    low.mkdir(parents=True)
    high.mkdir()
    return low, high


def test_ids_stay_bare_where_nothing_clashes(roots: tuple[Path, Path], put: Put) -> None:
    low, high = roots
    put("group/kite", root=low)
    put("boat", root=high)
    catalog = scan([low, high])
    assert [skill.id for skill in catalog.skills] == ["group/kite", "boat"]
    assert catalog.shadowed == ()


def test_of_two_skills_with_one_name_the_one_of_the_later_root_stands(roots: tuple[Path, Path], put: Put) -> None:
    low, high = roots
    put("a/SKILL.md", skill_file("Kite", "old"), root=low)
    put("b/SKILL.md", skill_file("kite", "new"), root=high)
    catalog = scan([low, high])
    assert [(skill.id, skill.description) for skill in catalog.skills] == [("b", "new")]
    assert [(skill.id, skill.description) for skill in catalog.shadowed] == [("a", "old")]
    [note] = [one for one in catalog.diagnostics if one.kind == "shadowed"]
    assert note.path == catalog.shadowed[0].file
    assert str(high) in note.message
    assert [skill.description for skill in scan([high, low]).skills] == ["old"]


def test_the_same_id_in_two_roots_gets_the_roots_name_before_it(roots: tuple[Path, Path], put: Put) -> None:
    low, high = roots
    put("kite/SKILL.md", skill_file("kite-one"), root=low)
    put("kite/SKILL.md", skill_file("kite-two"), root=high)
    put("boat", root=high)
    catalog = scan([low, high])
    assert [skill.id for skill in catalog.skills] == ["skills/kite", "boat", "team/kite"]
    assert list(catalog.by_id) == [skill.id for skill in catalog.skills]


def test_roots_of_the_same_name_get_as_much_of_their_path_as_it_takes(tmp_path: Path, put: Put) -> None:
    roots = [tmp_path / ".claude" / "skills", tmp_path / ".agents" / "skills"]
    for number, root in enumerate(roots):
        put("kite/SKILL.md", skill_file(f"kite-{number}"), root=root)
    assert [skill.id for skill in scan(roots).skills] == [".claude/skills/kite", ".agents/skills/kite"]


def test_within_one_root_skills_may_share_a_name(skills_root: Path, put: Put) -> None:
    for folder in ("one/report", "two/report"):
        put(f"{folder}/SKILL.md", skill_file("report"))
    catalog = scan(skills_root)
    assert [skill.id for skill in catalog.skills] == ["one/report", "two/report"]
    assert catalog.shadowed == ()
    assert catalog.diagnostics == ()


def test_a_skill_that_two_roots_lead_to_comes_once(skills_root: Path, put: Put, tmp_path: Path) -> None:
    put("group/kite")
    put("boat")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "linked").symlink_to(skills_root / "boat")
    catalog = scan([skills_root, skills_root / "group", tmp_path / "mine"])
    assert sorted(skill.id for skill in catalog.skills) == ["kite", "linked"]
    assert catalog.shadowed == ()
    assert {one.kind for one in catalog.diagnostics} == {"name_differs_from_folder"}
