"""Definitions are read from frontmatter and from files beside it, and can be asked for."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector.graph.errors import DefinitionError
from skill_selector.knowledge.registry import aload_registry, load_registry

FRONT = """---
name: sql
description: 写查询语句。
metadata:
  skill:
    id: data_query.sql
    related_keywords: [查询, GROUP BY]
    input_schema:
      type: object
      properties:
        rows: {type: integer, minimum: 1}
---

Do it.
"""


def put(root: Path, name: str, text: str, **files: str) -> Path:
    folder = root / name
    folder.mkdir()
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    for file, content in files.items():
        (folder / file.replace("_", ".")).write_text(content, encoding="utf-8")
    return folder


def test_a_definition_in_the_frontmatter_is_read_with_numbers_as_numbers(skills_root: Path) -> None:
    put(skills_root, "sql", FRONT)
    [found] = load_registry(skills_root)
    assert (found.id, found.description, found.skill) == ("data_query.sql", "写查询语句。", "sql")
    assert found.input_schema["properties"]["rows"] == {"type": "integer", "minimum": 1}


def test_a_file_beside_it_counts_more_field_by_field(skills_root: Path) -> None:
    put(skills_root, "sql", FRONT, skill_yaml="id: data_query.sql\ncategory: reports\n")
    [found] = load_registry(skills_root)
    assert (found.category, found.related_keywords) == ("reports", ("查询", "GROUP BY"))


def test_a_file_without_an_id_adds_to_the_frontmatter_and_another_id_is_said(skills_root: Path) -> None:
    put(skills_root, "a", FRONT, skill_yaml="related_keywords: [报表]\n")
    put(skills_root, "b", FRONT, skill_yaml="id: data_query.other\n")
    registry = load_registry(skills_root)
    assert [(one.id, one.related_keywords) for one in registry] == [
        ("data_query.sql", ("报表",)),
        ("data_query.other", ()),
    ]
    assert [one.kind for one in registry.diagnostics] == ["definition_clash"]


def test_a_json_file_may_hold_several_definitions(skills_root: Path, write_skill: Callable[..., Path]) -> None:
    folder = write_skill("tools", "Does two things.")
    both = [{"id": "a.one", "description": "x"}, {"id": "a.two"}]
    (folder / "definition.json").write_text(json.dumps(both), encoding="utf-8")
    registry = load_registry(skills_root)
    assert [one.id for one in registry.for_skill("tools")] == ["a.one", "a.two"]
    assert registry.get("a.two").description == "Does two things."


def test_broken_files_are_diagnostics_that_cost_no_other_skill(skills_root: Path) -> None:
    put(skills_root, "a", FRONT)
    put(skills_root, "b", FRONT.replace("metadata", "meta2"), skill_json='{"id": ')
    put(skills_root, "c", FRONT.replace("metadata", "meta2"), skill_yaml="id: nodot\n")
    put(skills_root, "d", FRONT)
    registry = load_registry(skills_root)
    assert [one.id for one in registry] == ["data_query.sql"]
    assert sorted(one.kind for one in registry.diagnostics) == ["bad_definition", "bad_definition", "definition_clash"]


async def test_it_is_asked_by_id_category_and_keyword_in_both_languages(skills_root: Path) -> None:
    put(skills_root, "sql", FRONT)
    registry = await aload_registry(skills_root)
    assert [one.id for one in registry.by_keyword("查询")] == ["data_query.sql"]
    assert [one.id for one in registry.by_keyword("group")] == ["data_query.sql"]
    assert registry.by_keyword("kubernetes") == []
    assert [one.id for one in registry.by_category("Data_Query")] == ["data_query.sql"]
    with pytest.raises(DefinitionError, match=r"no skill is defined as 'data_query\.sq'; there are data_query\.sql"):
        registry.get("data_query.sq")
