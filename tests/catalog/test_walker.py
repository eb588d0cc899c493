"""Finding skills: groups, pruned folders, links, bounds, and what cannot be read."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector.catalog.diagnostic import Diagnostic
from skill_selector.catalog.roots import open_roots
from skill_selector.catalog.walker import Found, ScanLimits, walk

Put = Callable[..., Path]


def look(root: Path, limits: ScanLimits | None = None) -> tuple[list[str], list[Diagnostic]]:
    """Return the relative paths of the skills and the diagnostics."""
    [opened] = open_roots(root)
    results = list(walk(opened, limits or ScanLimits(), [opened]))
    found = [one.relative for one in results if isinstance(one, Found)]
    return found, [one for one in results if isinstance(one, Diagnostic)]


def test_skills_are_found_in_groups_at_any_level_and_in_order(skills_root: Path, put: Put) -> None:
    for folder in ("top", "group/two", "group/sub/three", "中文/技能"):
        put(folder)
    assert look(skills_root) == (["group/sub/three", "group/two", "top", "中文/技能"], [])


def test_what_lies_below_a_skill_is_its_own(skills_root: Path, put: Put) -> None:
    put("kite")
    put("kite/examples/inner")
    put("kite/references/guide.md", "text")
    assert look(skills_root) == (["kite"], [])


def test_a_root_with_a_skill_file_is_one_skill(skills_root: Path, put: Put) -> None:
    put("SKILL.md", "Folds kites.")
    put("inner")
    assert look(skills_root) == ([""], [])


@pytest.mark.parametrize("name", [".git", ".trash", ".cache", "node_modules", "__pycache__", "venv", "site-packages"])
def test_hidden_and_cache_folders_are_not_looked_into(skills_root: Path, put: Put, name: str) -> None:
    put("live")
    put(f"{name}/old")
    put(f"group/{name}/deep/old")
    assert look(skills_root) == (["live"], [])


def test_a_folder_tagged_as_a_cache_is_not_looked_into(skills_root: Path, put: Put) -> None:
    put("live")
    put("copies/old")
    put("copies/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55")
    assert look(skills_root) == (["live"], [])


def test_a_skill_about_caches_is_a_skill(skills_root: Path, put: Put) -> None:
    put("cache")
    put("build")
    assert look(skills_root)[0] == ["build", "cache"]


@pytest.mark.parametrize("name", [".agents/skills", ".claude", "node_modules"])
def test_a_root_may_be_hidden_itself(skills_root: Path, put: Put, name: str) -> None:
    put(f"{name}/kite")
    assert look(skills_root / name) == (["kite"], [])


def test_other_files_are_nobodys_fault(skills_root: Path, put: Put) -> None:
    for name in ("README.md", "AGENTS.md", "LICENSE", "notes.txt", "group/README.md", "SKILLS.md"):
        put(name, "text")
    put("kite")
    assert look(skills_root) == (["kite"], [])


@pytest.mark.parametrize("name", ["skill.md", "Skill.md", "SKILL.MD"])
def test_the_files_name_may_have_any_case(skills_root: Path, put: Put, name: str) -> None:
    put(f"kite/{name}", "Folds kites.")
    found, diagnostics = look(skills_root)
    assert found == ["kite"]
    assert [(one.kind, one.severity) for one in diagnostics] == [("file_name", "note")]


def test_of_two_skill_files_the_one_in_capitals_counts(skills_root: Path, put: Put) -> None:
    put("kite/skill.md", "Other.")
    if (skills_root / "kite" / "SKILL.md").exists():
        pytest.skip("the file system does not tell case apart")
    put("kite/SKILL.md", "Folds kites.")
    [opened] = open_roots(skills_root)
    results = list(walk(opened, ScanLimits()))
    assert [Path(one.file).name for one in results if isinstance(one, Found)] == ["SKILL.md"]
    assert [one.kind for one in results if isinstance(one, Diagnostic)] == ["several_skill_files"]


def test_links_in_circles_end_and_each_skill_comes_once(skills_root: Path, put: Put) -> None:
    for name in ("a", "b", "group/c"):
        put(name)
    (skills_root / "group" / "up").symlink_to("..")
    (skills_root / "group" / "self").symlink_to(".")
    (skills_root / "again").symlink_to("group")
    (skills_root / "a" / "other").symlink_to("../b")
    (skills_root / "b" / "other").symlink_to("../a")
    (skills_root / "abc").symlink_to(skills_root / "b")
    assert look(skills_root) == (["a", "b", "group/c"], [])


def test_a_link_to_a_folder_that_is_not_reached_otherwise_is_followed(skills_root: Path, put: Put) -> None:
    put(".store/kite")
    (skills_root / "kite").symlink_to(".store/kite")
    assert look(skills_root) == (["kite"], [])


def test_links_out_of_the_root_are_refused_unless_allowed(skills_root: Path, put: Put, tmp_path: Path) -> None:
    put("kite")
    put("secret.md", "---\nname: x\ndescription: secret\n---\n", root=tmp_path)
    put("elsewhere/far", root=tmp_path)
    (skills_root / "evil").mkdir()
    (skills_root / "evil" / "SKILL.md").symlink_to(tmp_path / "secret.md")
    (skills_root / "far").symlink_to(tmp_path / "elsewhere" / "far")
    found, diagnostics = look(skills_root)
    assert found == ["kite"]
    assert {one.kind for one in diagnostics} == {"link_outside"}
    assert {Path(one.path).relative_to(skills_root).parts[0] for one in diagnostics} == {"evil", "far"}
    found, diagnostics = look(skills_root, ScanLimits(follow_outside=True))
    assert (sorted(found), diagnostics) == (["evil", "far", "kite"], [])


def test_a_neighbour_whose_name_begins_like_the_root_is_outside(skills_root: Path, put: Put, tmp_path: Path) -> None:
    put("skills-private/kite", root=tmp_path)
    (skills_root / "kite").symlink_to(tmp_path / "skills-private" / "kite")
    assert [one.kind for one in look(skills_root)[1]] == ["link_outside"]


def test_a_linked_file_keeps_the_id_of_the_real_one(skills_root: Path, put: Put) -> None:
    put("real")
    (skills_root / "first").mkdir()
    (skills_root / "first" / "SKILL.md").symlink_to("../real/SKILL.md")
    assert look(skills_root) == (["real"], [])


def test_a_linked_root_is_looked_into(skills_root: Path, put: Put, tmp_path: Path) -> None:
    put("kite")
    (tmp_path / "current").symlink_to(skills_root)
    assert look(tmp_path / "current") == (["kite"], [])


def test_a_skill_file_that_links_nowhere_is_reported(skills_root: Path) -> None:
    (skills_root / "kite").mkdir()
    (skills_root / "kite" / "SKILL.md").symlink_to("gone.md")
    (skills_root / "dangling").symlink_to("nowhere")
    found, diagnostics = look(skills_root)
    assert found == []
    assert [(one.kind, one.severity) for one in diagnostics] == [("broken_link", "error")]


def test_a_link_to_itself_is_reported(skills_root: Path) -> None:
    (skills_root / "kite").mkdir()
    (skills_root / "kite" / "SKILL.md").symlink_to("SKILL.md")
    found, diagnostics = look(skills_root)
    assert found == []
    assert [one.severity for one in diagnostics] == ["error"]


def test_folders_and_pipes_named_like_a_skill_file_are_never_opened(skills_root: Path, put: Put) -> None:
    put("kite")
    put("folder/SKILL.md/keep.txt", "x")
    (skills_root / "pipe").mkdir()
    os.mkfifo(skills_root / "pipe" / "SKILL.md")
    found, diagnostics = look(skills_root)
    assert found == ["kite"]
    assert [one.kind for one in diagnostics] == ["not_a_file", "not_a_file"]


def test_the_bound_on_depth_is_reported_when_it_cuts(skills_root: Path, put: Put) -> None:
    put("1/2/3")
    put("1/2/3b/4")
    assert look(skills_root, ScanLimits(depth=4)) == (["1/2/3", "1/2/3b/4"], [])
    found, diagnostics = look(skills_root, ScanLimits(depth=3))
    assert found == ["1/2/3"]
    assert [(one.kind, one.severity) for one in diagnostics] == [("depth_limit", "warning")]
    assert "3b/4" in diagnostics[0].message


def test_the_bound_on_folders_is_reported_when_it_cuts(skills_root: Path, put: Put) -> None:
    for number in range(9):
        put(f"kite-{number}")
    assert look(skills_root, ScanLimits(folders=10))[1] == []
    found, diagnostics = look(skills_root, ScanLimits(folders=5))
    assert found == [f"kite-{number}" for number in range(4)]
    assert [one.kind for one in diagnostics] == ["folder_limit"]


def test_a_folder_that_cannot_be_read_is_reported_and_the_rest_found(
    skills_root: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("closed/x", "gone/y", "open"):
        put(name)
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        if str(path).endswith("gone"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found, diagnostics = look(skills_root)
    assert found == ["open"]
    assert [(one.kind, one.severity) for one in diagnostics] == [("unreadable_folder", "error"), ("vanished", "error")]
    assert "Permission denied" in diagnostics[0].message


def test_size_and_time_of_change_come_with_each_file(skills_root: Path, put: Put) -> None:
    file = put("kite")
    [opened] = open_roots(skills_root)
    [found] = [one for one in walk(opened, ScanLimits()) if isinstance(one, Found)]
    status = file.stat()
    assert (found.size, found.mtime_ns) == (status.st_size, status.st_mtime_ns)


def test_a_folder_name_that_is_no_text_is_reported(skills_root: Path, put: Put) -> None:
    put("kite")
    try:
        os.mkdir(os.fsencode(skills_root) + b"/\xff\xfe")
    except OSError:
        pytest.skip("the file system takes only text as names")
    Path(os.fsdecode(os.fsencode(skills_root) + b"/\xff\xfe/SKILL.md")).write_bytes(b"Folds.")
    found, diagnostics = look(skills_root)
    assert found == ["kite"]
    assert [one.kind for one in diagnostics] == ["path_not_utf8"]
    diagnostics[0].path.encode()
