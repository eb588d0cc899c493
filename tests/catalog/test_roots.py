"""The folders that a scan is given: what can be wrong with them, in one clear line each."""

import os
from pathlib import Path
from typing import Any

import pytest

from skill_selector.catalog.roots import open_roots
from skill_selector.graph.errors import SkillDirectoryError


def message(paths: Any) -> str:
    with pytest.raises(SkillDirectoryError) as caught:
        open_roots(paths)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_one_path_or_several_are_taken(skills_root: Path) -> None:
    assert [root.path for root in open_roots(str(skills_root))] == [str(skills_root)]
    assert [root.path for root in open_roots(skills_root)] == [str(skills_root)]
    assert [root.path for root in open_roots([str(skills_root), skills_root.parent])] == [
        str(skills_root),
        str(skills_root.parent),
    ]


def test_a_relative_path_and_the_home_sign_are_resolved(skills_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(skills_root.parent))
    monkeypatch.setenv("USERPROFILE", str(skills_root.parent))
    monkeypatch.chdir(skills_root.parent)
    assert open_roots("skills")[0].path == str(skills_root)
    assert open_roots("~/skills/")[0].path == str(skills_root)


def test_of_a_folder_given_twice_the_last_place_counts(skills_root: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to(skills_root)
    roots = open_roots([skills_root, tmp_path / "other", tmp_path / "link"])
    assert [root.name for root in roots] == ["other", "link"]


def test_a_missing_folder_is_named_with_its_nearest_neighbour(skills_root: Path) -> None:
    missing = skills_root.parent / "skils"
    assert message(missing) == f"there is no skills folder {missing}; did you mean {skills_root}?"


def test_a_missing_folder_with_no_neighbour_is_named_with_the_way_out(tmp_path: Path) -> None:
    assert "check the path, or create the folder" in message(tmp_path / "zzz")
    deep = message(tmp_path / "zzz" / "a" / "b")
    assert str(tmp_path / "zzz" / "a" / "b") in deep
    assert f"{tmp_path} exists, but holds no zzz" in deep


def test_a_file_is_named_as_one(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("x", encoding="utf-8")
    assert message(file) == f"{file} is a file, not a skills folder; pass the folder that holds the skills"
    assert f"{file} is a file" in message(file / "below")


def test_an_unreadable_folder_is_named_with_the_reason(skills_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", refuse)
    text = message(skills_root)
    assert str(skills_root) in text
    assert "Permission denied" in text
    assert "check its permissions" in text


@pytest.mark.parametrize("paths", [[], (), None, "", "  ", [""], 5, [None], b"skills", "a\0b", ["x" * 5000]])
def test_what_is_no_path_is_refused_in_words(paths: Any) -> None:
    assert message(paths)


def test_every_faulty_folder_is_named(skills_root: Path, tmp_path: Path) -> None:
    text = message([tmp_path / "one-missing", skills_root, tmp_path / "two-missing"])
    assert "one-missing" in text
    assert "two-missing" in text


def test_a_link_that_leads_nowhere_is_named_with_its_target(tmp_path: Path) -> None:
    (tmp_path / "broken").symlink_to("nowhere")
    text = message(tmp_path / "broken")
    assert "it is a link to nowhere, which is missing; correct the link" in text
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    assert "a link that leads back to itself" in message(tmp_path / "one")


def test_a_relative_path_in_a_deleted_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "the working folder has been deleted" in message("skills")
