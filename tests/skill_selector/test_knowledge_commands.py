"""`define` and `knowledge` on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small knowledge folder."""
    path = tmp_path / "knowledge"
    path.mkdir()
    (path / "schema.sql").write_text("CREATE TABLE orders (id INT, amount INT);", encoding="utf-8")
    (path / "fix.md").write_text("# 处理\n\n## GW-5021\n\n解决：缩短 `keep_alive`。\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the encoder takes a second."""
    monkeypatch.setenv("SELECTOR_EMBEDDINGS", "none")


def test_index_counts_and_reads_only_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "index", str(folder), "--offline", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["files"], first["chunks"], first["read"]) == (2, 2, 2)
    assert first["types"] == {"solution_article": 1, "table_schema": 1}
    assert main(["knowledge", "index", str(folder), "--offline"]) == 0
    assert "2 chunks of 2 files" in capsys.readouterr().out


def test_strict_fails_on_a_diagnostic(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.json").write_text("{", encoding="utf-8")
    assert main(["knowledge", "index", str(folder), "--offline", "--strict"]) == 1
    assert "bad.json: warning" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "source"),
    [
        (["--name", "orders"], "schema.sql:1"),
        (["--code", "GW-5021"], "fix.md:3-5"),
        (["--query", "缩短"], "fix.md:3-5"),
    ],
)
def test_show_searches_in_every_way(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], source: str
) -> None:
    assert main(["knowledge", "show", str(folder), *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["chunks"][0]["source"] == source


def test_show_finds_nothing_and_refuses_a_strange_type(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "show", str(folder), "--code", "XX-1111"]) == 1
    assert main(["knowledge", "show", str(folder), "--type", "poem"]) == 2
    assert "--type poem: the types are" in capsys.readouterr().err


def test_a_missing_folder_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "index", "nowhere", "--offline"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_define_writes_a_file_once(
    write_skill: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = write_skill("csv-chart", "Draw charts from CSV tables."), tmp_path / "skill.yaml"
    assert main(["define", str(path), "--offline", "--out", str(out)]) == 0
    assert "id: data_analysis.csv_chart" in out.read_text(encoding="utf-8")
    assert main(["define", str(path), "--offline", "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err


def test_model_without_a_key_is_an_error_and_contradicts_offline(write_skill: Callable[..., Path]) -> None:
    path = write_skill("csv-chart", "Draw charts from CSV tables.")
    assert main(["define", str(path), "--model"]) == 2
    with pytest.raises(SystemExit):
        main(["define", str(path), "--model", "--offline"])
