"""Files that are written whole or not at all."""

import os
from pathlib import Path

import pytest

from skill_selector.evaluation.files import check_writable, write_whole
from skill_selector.graph.errors import EvaluationError


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write_whole(path, "一\n")
    write_whole(str(path), "二\n")
    assert path.read_bytes() == "二\n".encode()
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["out.jsonl"]


def test_the_old_file_stays_whole_when_the_new_one_cannot_be_put_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old", encoding="utf-8")

    def refuse(_self: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(EvaluationError, match=r"out\.jsonl cannot be written: No space left"):
        write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["out.jsonl"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link = tmp_path / "latest.jsonl"
    link.symlink_to("real.jsonl")
    write_whole(link, "x")
    assert link.is_symlink()
    assert (tmp_path / "real.jsonl").read_text(encoding="utf-8") == "x"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no such device here")
def test_a_device_is_written_to_and_not_replaced() -> None:
    check_writable("/dev/null")
    write_whole("/dev/null", "x")
    assert not Path("/dev/null").is_file()


def test_half_characters_become_escapes(tmp_path: Path) -> None:
    write_whole(tmp_path / "out", "caf\udce9")
    assert (tmp_path / "out").read_text(encoding="utf-8") == r"caf\udce9"


def test_what_could_not_be_written_is_known_before(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(EvaluationError, match=r"no folder .*gone; make it first"):
        check_writable(tmp_path / "gone" / "out.jsonl")
    check_writable(tmp_path / "out.jsonl")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_must_not_be_written_to_is_known_before(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(EvaluationError, match="permission denied"):
        check_writable(tmp_path / "out.jsonl")
