"""Which definition a run is about."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_selector.catalog.scanner import scan
from skill_selector.compiler.definitions import RegistryCache, find_definition
from skill_selector.graph.errors import DefinitionError

Define = Callable[..., Path]


def definition(identity: str, **more: Any) -> dict[str, Any]:
    return {"id": identity, "description": f"Does {identity}.", **more}


def find(root: Path, wanted: str, task: str = "", **parameters: Any) -> Any:
    catalog = scan([str(root)])
    return find_definition(wanted, RegistryCache().of(catalog), catalog, parameters=parameters, task=task)


def test_by_its_own_id_and_by_that_of_its_skill(define: Define, skills_root: Path) -> None:
    define("one", definition("a.one"))
    assert find(skills_root, "a.one").definition.id == "a.one"
    assert find(skills_root, "one").definition.id == "a.one"
    assert not find(skills_root, "one").guessed


def test_of_several_the_one_that_the_parameters_fit(define: Define, skills_root: Path) -> None:
    folder = define("both", None)
    schema = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
    several = [definition("a.first", input_schema=schema), definition("a.second", related_keywords=["parcel"])]
    (folder / "skill.json").write_text(json.dumps(several), encoding="utf-8")
    assert find(skills_root, "both", code="x").definition.id == "a.first"
    assert find(skills_root, "both").definition.id == "a.second"
    assert find(skills_root, "both", task="a parcel", code="x").definition.id == "a.second"


def test_a_skill_without_one_gets_a_guess_that_requires_nothing(define: Define, skills_root: Path) -> None:
    define("bare", None, "Run `scripts/x.py --input FILE`.", "Convert a PDF file into text.")
    found = find(skills_root, "bare")
    assert found.guessed
    assert found.definition.skill == "bare"
    assert "required" not in found.definition.input_schema


def test_an_unknown_id_names_the_nearest(define: Define, skills_root: Path) -> None:
    define("one", definition("a.one"))
    with pytest.raises(DefinitionError, match=r"no skill is defined as 'a\.on'; there are a\.one"):
        find(skills_root, "a.on")


def test_an_edited_definition_is_read_again_and_an_unchanged_one_is_not(define: Define, skills_root: Path) -> None:
    folder = define("one", definition("a.one"))
    cache = RegistryCache()
    first = cache.of(scan([str(skills_root)]))
    assert cache.of(scan([str(skills_root)])) is first
    (folder / "skill.json").write_text(json.dumps(definition("a.renamed")), encoding="utf-8")
    assert [one.id for one in cache.of(scan([str(skills_root)]))] == ["a.renamed"]
    (folder / "skill.json").write_text("{", encoding="utf-8")
    assert len(cache.of(scan([str(skills_root)]))) == 0
    (folder / "skill.json").write_text(json.dumps(definition("a.repaired")), encoding="utf-8")
    assert [one.id for one in cache.of(scan([str(skills_root)]))] == ["a.repaired"]
    (define("two", None) / "skill.yaml").write_text("id: a.two\n", encoding="utf-8")
    assert [one.id for one in cache.of(scan([str(skills_root)]))] == ["a.repaired", "a.two"]
