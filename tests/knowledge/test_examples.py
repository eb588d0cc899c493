"""The evaluation data is what its README says."""

import json
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from skill_selector.knowledge.library import KnowledgeLibrary
from skill_selector.knowledge.parameters import check_parameters
from skill_selector.knowledge.registry import SkillRegistry, load_registry
from skill_selector.knowledge.search import KnowledgeSearch

EXAMPLES = Path(__file__).parents[2] / "examples" / "knowledge"
TASKS: list[dict[str, Any]] = [
    json.loads(line) for line in (EXAMPLES / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
]


def plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@pytest.fixture(scope="module")
def registry() -> SkillRegistry:
    """The three skills."""
    return load_registry(EXAMPLES / "skills")


@pytest.fixture(scope="module")
def search(registry: SkillRegistry) -> KnowledgeSearch:
    """The base, without vectors."""
    return KnowledgeLibrary("off").open(EXAMPLES / "base", registry)


def test_there_are_three_skills_150_chunks_and_60_tasks(registry: SkillRegistry, search: KnowledgeSearch) -> None:
    assert len({one.category for one in registry}) == 3
    assert not registry.diagnostics
    assert len(search.base) >= 150
    assert not search.base.diagnostics
    assert Counter((one["skill_id"], one["split"]) for one in TASKS) == {
        (one.id, split): 10 for one in registry for split in ("dev", "test")
    }
    assert sum(one["language"] == "zh" for one in TASKS) >= 20


def test_every_chunk_type_and_every_chunk_s_provenance_is_there(search: KnowledgeSearch) -> None:
    assert len({one.type for one in search.base.chunks}) == 10
    assert all(one.date for one in search.base.chunks)


@pytest.mark.parametrize("task", TASKS, ids=[one["id"] for one in TASKS])
def test_a_task_s_parameters_fit_and_its_labels_are_found_in_chunks(
    task: dict[str, Any], registry: SkillRegistry, search: KnowledgeSearch
) -> None:
    assert not check_parameters(registry.get(task["skill_id"]), task["parameters"])
    chunks = [(one.path, plain(one.text)) for one in search.base.chunks]
    for fact in task["facts"]:
        for text in (*fact["any"], *fact["wrong"]):
            forms = (plain(text), plain(json.dumps(text, ensure_ascii=False)[1:-1]))
            assert any(form in held for form in forms for _, held in chunks), text
        for _, held in chunks:
            right = any(plain(one) in held for one in fact["any"])
            assert not (right and any(plain(one) in held for one in fact["wrong"])), fact["what"]
    for entry in task["useful"]:
        path, _, text = entry.partition("#")
        assert any(place == path and plain(text) in held for place, held in chunks), entry
