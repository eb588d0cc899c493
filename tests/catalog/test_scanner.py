"""Whole folders: what is loaded beside what is broken, the bounds, the digest."""

import builtins
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_selector.catalog.scanner import scan
from skill_selector.catalog.walker import ScanLimits
from skill_selector.graph.errors import SkillDirectoryError

Put = Callable[..., Path]


def test_an_empty_folder_is_an_empty_catalogue(skills_root: Path) -> None:
    catalog = scan(skills_root)
    assert (catalog.skills, catalog.diagnostics, catalog.roots) == ((), (), (skills_root.as_posix(),))
    assert len(catalog.digest) == 64


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SkillDirectoryError):
        scan(tmp_path / "nowhere")


def test_ids_and_paths_have_forward_slashes_and_keep_spaces(skills_root: Path, put: Put) -> None:
    put("my group/kite 风筝")
    [skill] = scan(skills_root).skills
    assert skill.id == "my group/kite 风筝"
    assert skill.path == f"{skills_root.as_posix()}/my group/kite 风筝"
    assert skill.file == f"{skill.path}/SKILL.md"
    assert skill.root == skills_root.as_posix()


def test_a_root_that_is_a_skill_has_its_folders_name_as_id(skills_root: Path, put: Put) -> None:
    put("kite")
    [skill] = scan(skills_root / "kite").skills
    assert (skill.id, skill.path) == ("kite", f"{skills_root.as_posix()}/kite")


def test_good_skills_load_beside_every_kind_of_bad_file(skills_root: Path, put: Put) -> None:
    for name in ("good-1", "good-2", "good-3"):
        put(name)
    put("binary/SKILL.md", bytes(range(256)) * 4)
    put("empty/SKILL.md", b"")
    put("list/SKILL.md", "---\n- a\n- b\n---\n")
    put("quote/SKILL.md", '---\nname: quote\ndescription: "open\n---\nBody')
    put("deep/SKILL.md", "---\nname: deep\ndescription: Digs\nx: " + "[" * 9000 + "\n---\nBody")
    put("folder/SKILL.md/x", "y")
    catalog = scan(skills_root)
    assert {"good-1", "good-2", "good-3", "quote", "deep"} <= set(catalog.by_id)
    assert {"binary", "empty", "folder"}.isdisjoint(catalog.by_id)
    faulty = {Path(one.path).parent.name for one in catalog.diagnostics}
    assert faulty == {"binary", "empty", "list", "quote", "deep", "folder"}
    order = ["error", "warning", "note"]
    assert [order.index(one.severity) for one in catalog.diagnostics] == sorted(
        order.index(one.severity) for one in catalog.diagnostics
    )


def test_files_that_cannot_be_read_or_vanish_are_told_apart(
    skills_root: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("closed", "gone", "broken", "good"):
        put(name)
    faults = {"closed": PermissionError(13, "Permission denied"), "gone": FileNotFoundError(2, "No such file"),
              "broken": OSError(5, "Input/output error")}  # fmt: skip
    real = builtins.open

    def refusing(file: Any, *args: Any, **kwargs: Any) -> Any:
        fault = faults.get(Path(str(file)).parent.name)
        if fault:
            raise fault
        return real(file, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", refusing)
    catalog = scan(skills_root)
    assert [skill.id for skill in catalog.skills] == ["good"]
    found = {Path(one.path).parent.name: (one.kind, one.severity) for one in catalog.diagnostics}
    assert found == {
        "closed": ("unreadable_file", "error"),
        "gone": ("vanished", "error"),
        "broken": ("unreadable_file", "error"),
    }
    assert any("Input/output error" in one.message for one in catalog.diagnostics)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_permissions_that_are_taken_away_are_reported(skills_root: Path, put: Put) -> None:
    put("good")
    file, folder = put("closed-file"), put("group/closed-folder").parent.parent
    file.chmod(0)
    folder.chmod(0)
    try:
        catalog = scan(skills_root)
    finally:
        folder.chmod(0o700)
    assert [skill.id for skill in catalog.skills] == ["good"]
    assert sorted(one.kind for one in catalog.diagnostics) == ["unreadable_file", "unreadable_folder"]


def test_of_a_huge_file_only_the_beginning_is_read(skills_root: Path, put: Put) -> None:
    put("huge/SKILL.md", "---\nname: huge\ndescription: Folds\n---\n\n" + "one line more\n" * 100_000)
    catalog = scan(skills_root, limits=ScanLimits(file_bytes=10_000))
    [skill] = catalog.skills
    assert (skill.name, skill.description) == ("huge", "Folds")
    assert 9_000 < len(skill.body) < 10_000
    assert skill.body.endswith("one line more")
    [warning] = [one for one in catalog.diagnostics if one.severity == "warning"]
    assert warning.kind == "file_too_large"
    assert "10,000" in warning.message


def test_by_default_a_large_file_is_read_whole(skills_root: Path, put: Put) -> None:
    put("large/SKILL.md", "---\nname: large\ndescription: Folds\n---\n\n" + "x" * 1_500_000)
    catalog = scan(skills_root)
    assert len(catalog.skills[0].body) == 1_500_000
    assert catalog.diagnostics == ()


def test_the_digest_changes_with_files_ids_and_roots_and_with_nothing_else(skills_root: Path, put: Put) -> None:
    file = put("kite")
    put("boat")
    put("blank/SKILL.md", "")
    digests = [scan(skills_root).digest]
    os.utime(file, (1, 1))
    put("README.md", "text")
    put("kite/notes.md", "text")
    assert scan(skills_root).digest == digests[0]
    for change in (
        lambda: file.write_text(file.read_text(encoding="utf-8") + "More.\n", encoding="utf-8"),
        lambda: (skills_root / "kite").rename(skills_root / "kite-2"),
        (skills_root / "boat" / "SKILL.md").unlink,
        lambda: put("new"),
        lambda: put("blank/SKILL.md", " "),
        lambda: skills_root.rename(skills_root.parent / "moved"),
    ):
        change()
        digests.append(scan(skills_root if skills_root.exists() else skills_root.parent / "moved").digest)
    assert all(one != other for one, other in itertools.combinations(digests, 2))


def test_the_order_of_roots_is_part_of_the_digest(skills_root: Path, put: Put, tmp_path: Path) -> None:
    put("kite")
    put("other/boat", root=tmp_path)
    assert scan([skills_root, tmp_path / "other"]).digest != scan([tmp_path / "other", skills_root]).digest


def test_two_scans_give_the_same_catalogue(skills_root: Path, put: Put) -> None:
    for name in ("b", "a/c", "a/b"):
        put(name)
    first, second = scan(skills_root), scan(skills_root)
    assert first == second
    assert [skill.id for skill in first.skills] == ["a/b", "a/c", "b"]


def test_a_change_shows_at_the_next_scan(skills_root: Path, put: Put) -> None:
    file = put("kite")
    assert scan(skills_root).skills[0].description == "Waters the plants."
    file.write_text("---\nname: kite\ndescription: Folds\n---\nBody", encoding="utf-8")
    put("boat")
    assert [(skill.id, skill.description) for skill in scan(skills_root).skills] == [
        ("boat", "Waters the plants."),
        ("kite", "Folds"),
    ]


def test_progress_counts_the_files(skills_root: Path, put: Put) -> None:
    for number in range(230):
        put(f"kite-{number}")
    counts: list[int] = []
    scan(skills_root, progress=counts.append)
    assert counts == [100, 200, 230]


def test_links_may_lead_from_one_root_into_another(skills_root: Path, put: Put, tmp_path: Path) -> None:
    put("kite", root=tmp_path / "shared")
    (skills_root / "borrowed").symlink_to(tmp_path / "shared" / "kite")
    assert [one.kind for one in scan(skills_root).diagnostics] == ["link_outside"]
    both = scan([tmp_path / "shared", skills_root])
    assert [skill.id for skill in both.skills] == ["borrowed"]
    assert "link_outside" not in {one.kind for one in both.diagnostics}
