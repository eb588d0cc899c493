"""Where snapshots lie, who may read them, and what leaves the folder again."""

import logging
import os
import time
from importlib import metadata
from pathlib import Path

import pytest

from skill_selector.catalog.cache import DAY, GONE, UNUSED, Cache, code_version, open_cache, sweep_shelf
from skill_selector.catalog.roots import Root, open_roots

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")


@pytest.fixture
def root(skills_root: Path) -> Root:
    return open_roots(skills_root)[0]


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "kept")


def age(shelf: Path, seconds: float) -> None:
    """Make a shelf one that was last used so long ago."""
    then = time.time() - seconds
    os.utime(shelf / "folder.txt", (then, then))


def test_a_setting_names_the_folder_and_off_switches_it_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    named = open_cache(str(tmp_path / "here"))
    at_home = open_cache("~/there")
    assert named is not None
    assert at_home is not None
    assert named.folder.parent == tmp_path / "here"
    assert at_home.folder.parent == tmp_path / "there"
    assert open_cache("off") is None
    assert open_cache(" OFF ") is None


def test_without_a_setting_it_is_the_users_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    found = open_cache()
    assert found is not None
    assert found.folder.is_relative_to(tmp_path)
    assert "skill-selector" in found.folder.parts


def test_opening_the_cache_writes_nothing(tmp_path: Path) -> None:
    open_cache(str(tmp_path / "here"))
    assert not (tmp_path / "here").exists()


@posix
def test_only_the_user_may_look_inside(cache: Cache, root: Root) -> None:
    shelf = cache.shelf(root)
    assert shelf is not None
    for folder in (shelf, shelf.parent, shelf.parent.parent):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_each_root_has_a_shelf_of_its_own_whatever_link_leads_to_it(cache: Cache, skills_root: Path) -> None:
    other = skills_root.parent / "other"
    (other / "skills").mkdir(parents=True)
    link = skills_root.parent / "link"
    link.mkdir()
    (link / "skills").symlink_to(skills_root)
    first, second, linked = (
        cache.shelf(open_roots(one)[0]) for one in (skills_root, other / "skills", link / "skills")
    )
    assert first == linked
    assert first != second


def test_a_folder_that_cannot_be_made_is_said_once_and_is_no_error(
    tmp_path: Path, root: Root, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    cache = Cache(tmp_path / "file")
    with caplog.at_level(logging.WARNING):
        assert cache.shelf(root) is None
        assert cache.shelf(root) is None
    [record] = caplog.records
    assert str(tmp_path / "file") in record.getMessage()
    assert "SELECTOR_CACHE_DIR" in record.getMessage()


@posix
def test_another_users_folder_is_not_used(cache: Cache, root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.shelf(root) is not None
    monkeypatch.setattr(os, "getuid", lambda: 4321)
    assert cache.shelf(root) is None


def test_shelves_that_nobody_uses_go_when_a_new_one_comes(cache: Cache, root: Root, tmp_path: Path) -> None:
    shelf = cache.shelf(root)
    assert shelf is not None
    (shelf / "index").mkdir()
    age(shelf, UNUSED - DAY)
    cache.sweep()
    assert shelf.exists()
    age(shelf, UNUSED + DAY)
    (tmp_path / "new").mkdir()
    assert cache.shelf(open_roots(tmp_path / "new")[0]) is not None
    assert not shelf.exists()


def test_shelves_of_folders_that_are_gone_go_sooner(cache: Cache, root: Root, skills_root: Path) -> None:
    shelf = cache.shelf(root)
    assert shelf is not None
    age(shelf, GONE + DAY)
    cache.sweep()
    assert shelf.exists()
    skills_root.rmdir()
    cache.sweep()
    assert not shelf.exists()


def test_using_a_shelf_keeps_it(cache: Cache, root: Root) -> None:
    shelf = cache.shelf(root)
    assert shelf is not None
    age(shelf, UNUSED - DAY)
    cache.shelf(root)
    assert time.time() - (shelf / "folder.txt").stat().st_mtime < DAY


def test_what_older_code_kept_on_a_shelf_goes_when_it_is_no_longer_used(cache: Cache, root: Root) -> None:
    shelf = cache.shelf(root)
    assert shelf is not None
    old, new = shelf / "catalog-old.sqlite", shelf / "index-new"
    old.write_text("", encoding="utf-8")
    new.mkdir()
    then = time.time() - UNUSED - DAY
    os.utime(old, (then, then))
    sweep_shelf(shelf)
    assert sorted(path.name for path in shelf.iterdir()) == ["folder.txt", "index-new"]


def test_the_version_of_code_changes_with_its_text_and_with_what_it_builds_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "module.py"
    source.write_text("a = 1\n", encoding="utf-8")
    versions = {code_version(str(tmp_path)), code_version(str(tmp_path), "numpy")}
    source.write_text("a = 2\n", encoding="utf-8")
    code_version.cache_clear()
    versions |= {code_version(str(tmp_path)), code_version(str(tmp_path), "numpy")}
    monkeypatch.setattr(metadata, "version", lambda name: "0.0.0")
    code_version.cache_clear()
    versions |= {code_version(str(tmp_path), "numpy")}
    code_version.cache_clear()
    assert len(versions) == 5


def test_code_without_sources_has_the_version_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = code_version(str(tmp_path))
    monkeypatch.setattr(metadata, "version", lambda name: "99")
    code_version.cache_clear()
    assert code_version(str(tmp_path)) != first
    code_version.cache_clear()
