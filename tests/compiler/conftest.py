"""A skill of source 002's example, and the knowledge that it needs, written by the tests."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from word_embeddings import WordEmbeddings

from skill_selector.compiler.request import CompileRequest
from skill_selector.knowledge.chunk import Chunk
from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.knowledge.library import KnowledgeLibrary
from skill_selector.knowledge.registry import SkillRegistry, load_registry
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.retrievers.embedder import Embedder

WriteFile = Callable[..., Path]
MakeChunk = Callable[..., Chunk]
MakeRequest = Callable[..., CompileRequest]

SQL_TASK = "找出最近一个月下单金额超过1000元的VIP客户"
SQL_PARAMETERS = {
    "nl_description": SQL_TASK,
    "table_schema": "users表(id, name, vip_level), orders表(order_id, user_id, amount, order_date)",
}
SQL_DEFINITION = {
    "skill_id": "data_query.generate_sql",
    "description": "Write a SQL query from a description in words and the tables. 根据描述和表结构生成查询语句。",
    "input_schema": {
        "type": "object",
        "properties": {
            "nl_description": {"type": "string", "description": "What is wanted, in words."},
            "table_schema": {"type": "string", "description": "The tables concerned."},
        },
        "required": ["nl_description", "table_schema"],
    },
    "metadata": {
        "category": "data_query",
        "preferred_context_types": ["table_schema", "sql_example", "query_pattern"],
        "related_keywords": ["SELECT", "WHERE", "JOIN", "GROUP BY", "aggregate"],
    },
}
SCHEMA = """\
-- Customers
CREATE TABLE users (
  id INT PRIMARY KEY,
  name VARCHAR(80),
  vip_level TINYINT NOT NULL COMMENT 'VIP: 1 and above'
);

-- Orders
CREATE TABLE orders (
  order_id INT PRIMARY KEY,
  user_id INT NOT NULL REFERENCES users (id),
  amount DECIMAL(12,2) NOT NULL,
  order_date DATETIME NOT NULL
);

-- Not about it
CREATE TABLE parking_lots (
  lot_id INT PRIMARY KEY,
  floor_name VARCHAR(10)
);
"""
PATTERNS = """\
# Query patterns

## Join users to their orders 连接用户和订单

```sql
SELECT u.name FROM users u JOIN orders o ON u.id = o.user_id
```

## Rows of the last N days 最近一个月

```sql
SELECT order_id FROM orders WHERE order_date >= DATE_SUB(NOW(), INTERVAL 30 DAY)
```

## Groups above a threshold 金额超过

```sql
SELECT user_id, SUM(amount) AS total FROM orders GROUP BY user_id HAVING total > 1000
```
"""
EXAMPLES = [
    {"description": "每个客户的下单总金额", "sql": "SELECT user_id, SUM(amount) FROM orders GROUP BY user_id"},
    {"description": "Cars by lot", "sql": "SELECT lot_id, COUNT(*) FROM parking_lots GROUP BY lot_id"},
]
NOISE = "# Cluster\n\n## Pods\n\nRestart a pod with `kubectl rollout restart`.\n\n## Tea\n\nWe drink tea at four.\n"


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    """An empty knowledge folder."""
    folder = tmp_path / "knowledge"
    folder.mkdir()
    return folder


@pytest.fixture
def write(knowledge: Path) -> WriteFile:
    """Return a function that writes a file below the knowledge folder."""

    def do(name: str, content: str) -> Path:
        path = knowledge / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    return do


@pytest.fixture
def shop(write: WriteFile, knowledge: Path) -> Path:
    """The knowledge of source 002's example, with some that has nothing to do with it."""
    write("shop/schema.sql", SCHEMA)
    write("shop/patterns.md", PATTERNS)
    write("shop/examples.jsonl", "\n".join(json.dumps(one, ensure_ascii=False) for one in EXAMPLES))
    write("ops/cluster.md", NOISE)
    return knowledge


@pytest.fixture
def define(skills_root: Path) -> Callable[..., Path]:
    """Return a function that writes a skill with a definition beside it, and returns its folder."""

    def do(name: str, definition: dict[str, Any] | None, body: str = "Do it.", description: str = "") -> Path:
        folder = skills_root / name
        folder.mkdir(parents=True)
        about = description or (definition or {}).get("description", "Does something.")
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {about}\n---\n\n{body}\n", encoding="utf-8")
        if definition is not None:
            (folder / "skill.json").write_text(json.dumps(definition, ensure_ascii=False), encoding="utf-8")
        return folder

    return do


@pytest.fixture
def sql_skills(define: Callable[..., Path], skills_root: Path) -> Path:
    """A folder with the skill of source 002's example."""
    define("generate-sql", SQL_DEFINITION)
    return skills_root


@pytest.fixture
def searching(shop: Path, sql_skills: Path, tmp_path: Path) -> KnowledgeSearch:
    """The search over that knowledge."""
    registry = load_registry(sql_skills)
    return KnowledgeLibrary(str(tmp_path / "cache")).open(shop, registry, embedder=Embedder(WordEmbeddings()))


@pytest.fixture
def definition() -> SkillDefinition:
    """A skill that takes anything."""
    return SkillDefinition(
        id="a.b", description="Do b.", category="a", preferred_context_types=("table_schema", "document")
    )


@pytest.fixture
def make_request(definition: SkillDefinition) -> MakeRequest:
    """Return a function that makes a request of the skill."""

    def do(**values: Any) -> CompileRequest:
        values = {"parameters": {}, "task": "", "query": values.get("task", ""), "definition": definition, **values}
        return CompileRequest(**{"words": values["query"], **values})

    return do


@pytest.fixture
def make_chunk() -> MakeChunk:
    """Return a function that makes a chunk."""

    def do(text: str, **values: Any) -> Chunk:
        path = values.get("path", "a.md")
        given = {"id": f"{path}#{abs(hash(text))}", "type": "document", "title": "", "path": path, "start_line": 1}
        return Chunk(**{**given, "end_line": 1, "language": "markdown", **values, "text": text})

    return do


@pytest.fixture
def empty_registry() -> SkillRegistry:
    """No skill."""
    return SkillRegistry()
