"""Parts of runner-up skills come in for what nothing else covers, and for nothing else."""

from pathlib import Path
from typing import Any

import pytest

from skill_selector.compiler.needs import Need
from skill_selector.compiler.rescue import MOST_RESCUED, rescue

PARQUET = Need("to_parquet", "to_parquet", True)


@pytest.fixture
def runner_up(tmp_path: Path) -> tuple[str, str]:
    folder = tmp_path / "export"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: export\ndescription: Export tables.\n---\n\n# Export\n\n## Excel\n\nUse openpyxl.\n\n"
        "## Parquet\n\nCall `frame.to_parquet(path)` with snappy.\n",
        encoding="utf-8",
    )
    (folder / "scripts" / "upload.py").write_text(
        'def upload_blob(path):\n    """Send a file to the bucket."""\n    return path\n', encoding="utf-8"
    )
    return "export", str(folder)


def test_the_section_that_covers_a_parameter_is_rescued_with_that_reason(make_request: Any, runner_up: Any) -> None:
    request = make_request(task="write a parquet file", candidates=(runner_up,))
    [one] = rescue(request, [PARQUET], ["nothing of it"])
    assert "to_parquet" in one.chunk.text
    assert "openpyxl" not in one.chunk.text
    assert one.covers == ("to_parquet",)
    assert one.skill == "export"
    assert one.chunk.path == "export/SKILL.md"


def test_scripts_are_rescued_by_function(make_request: Any, runner_up: Any) -> None:
    request = make_request(task="upload", candidates=(runner_up,))
    [one] = rescue(request, [Need("upload_blob", "upload_blob", True)], [])
    assert one.chunk.language == "python"
    assert one.chunk.path == "export/scripts/upload.py"


def test_nothing_is_rescued_that_the_context_covers_or_nobody_does(make_request: Any, runner_up: Any) -> None:
    request = make_request(task="x", candidates=(runner_up,))
    assert rescue(request, [PARQUET], ["we call to_parquet already"]) == []
    assert rescue(request, [Need("nowhere", "nowhere", True)], []) == []
    assert rescue(make_request(task="x"), [PARQUET], []) == []


def test_a_word_of_the_task_alone_rescues_only_what_speaks_of_the_task(make_request: Any, runner_up: Any) -> None:
    need = Need("snappy", "snappy", False)
    assert rescue(make_request(task="a snappy title", candidates=(runner_up,)), [need], []) == []
    request = make_request(task="a parquet file with snappy", candidates=(runner_up,))
    assert len(rescue(request, [need], [])) == 1


def test_at_most_so_many_parts_are_rescued(make_request: Any, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    names = [f"name_{at}" for at in range(MOST_RESCUED + 3)]
    body = "\n".join(f"## {name}\n\nAbout `{name}`.\n" for name in names)
    (folder / "SKILL.md").write_text(f"---\nname: m\ndescription: d\n---\n\n{body}", encoding="utf-8")
    request = make_request(task="x", candidates=(("many", str(folder)),))
    assert len(rescue(request, [Need(name, name, True) for name in names], [])) == MOST_RESCUED


def test_a_folder_that_has_gone_rescues_nothing(make_request: Any, tmp_path: Path) -> None:
    request = make_request(task="x", candidates=(("gone", str(tmp_path / "gone")),))
    assert rescue(request, [PARQUET], []) == []
