"""Knowledge folders and definitions made by the tests."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from word_embeddings import WordEmbeddings

from skill_selector.knowledge.chunk import Chunk
from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.knowledge.folder import KnowledgeLimits
from skill_selector.knowledge.intake import Intake, take_in
from skill_selector.knowledge.library import KnowledgeLibrary
from skill_selector.knowledge.registry import SkillRegistry
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.retrievers.embedder import Embedder

WriteFile = Callable[..., Path]
Cut = Callable[..., Intake]
Open = Callable[..., KnowledgeSearch]


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    """An empty knowledge folder."""
    folder = tmp_path / "knowledge"
    folder.mkdir()
    return folder


@pytest.fixture
def write(knowledge: Path) -> WriteFile:
    """Return a function that writes a file below the knowledge folder."""

    def do(name: str, content: str | bytes | list[Any] | dict[str, Any]) -> Path:
        path = knowledge / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list | dict):
            content = json.dumps(content, ensure_ascii=False, indent=1)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return do


@pytest.fixture
def cut() -> Cut:
    """Return a function that cuts a text as a file of that format."""

    def do(text: str | bytes, format_name: str, path: str = "a.x", **rules: Any) -> Intake:
        data = text.encode() if isinstance(text, str) else text
        return take_in(
            data, path=path, file=f"/k/{path}", format_name=format_name, rules=rules, limits=KnowledgeLimits()
        )

    return do


@pytest.fixture
def sql_skill() -> SkillDefinition:
    """The skill of source 002's example."""
    return SkillDefinition(
        id="data_query.generate_sql",
        description="Generate a SQL query from words. 根据描述生成查询语句。",
        category="data_query",
        preferred_context_types=("table_schema", "sql_example", "query_pattern"),
        related_keywords=("SELECT", "JOIN", "查询"),
    )


@pytest.fixture
def registry(sql_skill: SkillDefinition) -> SkillRegistry:
    """Two skills."""
    other = SkillDefinition(
        id="fault_finding.diagnose",
        description="Find the cause of an error.",
        category="fault_finding",
        preferred_context_types=("error_log", "solution_article"),
        related_keywords=("timeout", "故障"),
    )
    return SkillRegistry([sql_skill, other])


@pytest.fixture
def open_base(knowledge: Path, tmp_path: Path, registry: SkillRegistry) -> Open:
    """Return a function that opens the knowledge folder in a library of its own, as a new process would."""

    def do(embeddings: WordEmbeddings | None = None, library: KnowledgeLibrary | None = None) -> KnowledgeSearch:
        library = library or KnowledgeLibrary(str(tmp_path / "cache"))
        return library.open(knowledge, registry, embedder=Embedder(embeddings or WordEmbeddings()))

    return do


def titles(search: KnowledgeSearch, hits: list[Any]) -> list[str]:
    """Return the titles of hits, best first."""
    return [search.base.get(hit.chunk_id).title for hit in hits]


def names_of(chunk: Chunk, kind: str) -> set[str]:
    """Return the names of a chunk's entities of a kind."""
    return {one.name for one in chunk.entities if one.kind == kind}
