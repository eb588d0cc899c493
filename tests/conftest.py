"""Fixtures for every folder: no settings of the developer's own, and skills written by the tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer

from skill_selector.graph.settings import ENVIRONMENT_NAMES

WriteSkill = Callable[..., Path]


@pytest.fixture(autouse=True)
def clean_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the developer's environment, `.env` and caches out."""
    for name in ENVIRONMENT_NAMES.values():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    monkeypatch.setenv("SELECTOR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SELECTOR_FEEDBACK_FILE", str(tmp_path / "feedback.sqlite"))
    home = tmp_path / "working-folder"
    home.mkdir()
    monkeypatch.chdir(home)


@pytest.fixture
def skills_root(tmp_path: Path) -> Path:
    """An empty folder for skills."""
    root = tmp_path / "skills"
    root.mkdir()
    return root


@pytest.fixture
def write_skill(skills_root: Path) -> WriteSkill:
    """Return a function that writes `<root>/<name>/SKILL.md` and returns the folder."""

    def write(
        name: str, description: str, body: str = "Do it step by step.", root: Path | None = None, **more: str
    ) -> Path:
        folder = (root or skills_root) / name
        folder.mkdir(parents=True)
        fields = {"name": folder.name, "description": description, **more}
        head = "\n".join(f"{key}: {value}" for key, value in fields.items())
        (folder / "SKILL.md").write_text(f"---\n{head}\n---\n\n{body}\n", encoding="utf-8")
        return folder

    return write


@pytest.fixture
def pdf_skills(skills_root: Path, write_skill: WriteSkill) -> Path:
    """Three skills that a task about PDF files tells apart."""
    write_skill("pdf-merge", "Merge several PDF files into one document and reorder their pages.")
    write_skill("csv-chart", "Draw line and bar charts from CSV tables.")
    write_skill("meeting-notes", "把会议录音整理成会议纪要,列出决定和待办事项。")
    return skills_root


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    """A chat endpoint without a script yet."""
    server = ChatServer()
    yield server
    server.close()
