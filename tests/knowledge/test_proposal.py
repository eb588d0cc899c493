"""A definition is proposed from instructions, scripts and comments, and says what it was guessed from."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector.catalog.reader import read
from skill_selector.graph.errors import DefinitionError
from skill_selector.knowledge.definition import read_definition
from skill_selector.knowledge.proposal import Proposal, apropose_definition, propose_definition
from skill_selector.testing import ScriptedChatModel

WriteSkill = Callable[..., Path]

BODY = """# 清洗

## 参数

- `input_path` (string): 要清洗的文件
- `drop_empty` (bool, optional): 是否删除空行

## Output

| field | type | meaning |
|---|---|---|
| `rows` | integer | how many are left |
"""
SCRIPT = '''"""Clean a table."""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("input_path", help="file: with # and a colon")
parser.add_argument("--encoding", choices=["utf-8", "gb18030"], default="utf-8")
parser.add_argument("--max-rows", type=int, default=100)
parser.add_argument("--tag", action="append")
raise SystemExit("running this would end the test")
'''


@pytest.fixture
def folder(write_skill: WriteSkill) -> Path:
    """A skill with instructions in Chinese and a script."""
    path = write_skill("csv-clean", "清洗 CSV 表格并统计缺失值。", BODY)
    (path / "scripts").mkdir()
    (path / "scripts" / "clean.py").write_text(SCRIPT, encoding="utf-8")
    return path


def test_parameters_come_from_lists_and_argparse_and_name_their_place(folder: Path) -> None:
    found = propose_definition(folder)
    properties = found.values["input_schema"]["properties"]
    assert properties["input_path"] == {"type": "string", "description": "要清洗的文件"}
    assert properties["drop_empty"]["type"] == "boolean"
    assert properties["encoding"] == {"type": "string", "enum": ["utf-8", "gb18030"], "default": "utf-8"}
    assert properties["max_rows"] == {"type": "integer", "default": 100}
    assert properties["tag"] == {"type": "array", "items": {"type": "string"}}
    assert found.values["input_schema"]["required"] == ["input_path"]
    assert found.values["output_schema"]["properties"]["rows"]["type"] == "integer"
    assert found.origins["input_schema.encoding"] == "scripts/clean.py:6"
    assert found.values["id"] == "data_analysis.csv_clean"


def test_the_yaml_reads_back_as_the_same_definition_with_comments(folder: Path) -> None:
    found = propose_definition(folder)
    text = found.to_yaml()
    assert "# from scripts/clean.py:6\n    encoding:" in text
    definition, faults = read_definition(read(text).value)
    assert not faults
    assert definition == found.to_definition()


def test_functions_and_shell_usage_are_read_where_there_are_no_options(write_skill: WriteSkill) -> None:
    path = write_skill("deploy-it", "Deploy a service to the server.")
    (path / "lib.py").write_text(
        "def push(host: str, port: int = 22, *, tags: list[str] | None = None) -> None:\n"
        '    """Push.\n\n    Args:\n        host: where to\n    """\n',
        encoding="utf-8",
    )
    (path / "run.sh").write_text("#!/bin/sh\n# Usage: run.sh <target> [--fast] [--level LEVEL]\n", encoding="utf-8")
    (path / "stop.sh").write_text('#!/bin/sh\nunit="${1:?which unit}"\nwait=${2:-30}\n', encoding="utf-8")
    schema = propose_definition(path).values["input_schema"]
    assert schema["properties"]["host"] == {"type": "string", "description": "where to"}
    assert schema["properties"]["port"] == {"type": "integer", "default": 22}
    assert schema["properties"]["tags"]["type"] == "array"
    assert schema["properties"]["fast"] == {"type": "boolean"}
    assert schema["properties"]["unit"]["description"] == "which unit"
    assert schema["properties"]["wait"]["default"] == "30"
    assert schema["required"] == ["host", "target", "unit"]


def test_broken_scripts_cost_nothing_else(folder: Path) -> None:
    (folder / "scripts" / "broken.py").write_text("def (:\n", encoding="utf-8")
    (folder / "scripts" / "binary.py").write_bytes(bytes(range(256)) * 10)
    assert "encoding" in propose_definition(folder).values["input_schema"]["properties"]


def test_a_model_improves_the_proposal_and_what_it_changed_says_so(folder: Path) -> None:
    better = {
        "id": "data_analysis.clean_csv",
        "description": "Clean a CSV file.",
        "category": "data_analysis",
        "preferred_context_types": ["example"],
        "related_keywords": ["csv", "missing values"],
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    }
    model = ScriptedChatModel(['{"id": "bad"}', json.dumps(better)])
    found = propose_definition(folder, model=model)
    assert found.to_definition().id == "data_analysis.clean_csv"
    assert found.origins["id"] == "the model"
    assert found.origins["category"] != "the model"
    assert "'id' is 'bad'" in model.prompts[1]


async def test_without_an_answer_the_rules_stand_and_say_so(folder: Path) -> None:
    found = await apropose_definition(folder, model=ScriptedChatModel(lambda _messages: TimeoutError("slow")))
    assert found.values["id"] == "data_analysis.csv_clean"
    assert "by rules alone" in found.notes[0]
    assert "by rules alone" in found.to_yaml()


def test_a_folder_without_or_with_several_skills_is_an_error(skills_root: Path, write_skill: WriteSkill) -> None:
    with pytest.raises(DefinitionError, match="there is no skill in"):
        propose_definition(skills_root)
    write_skill("a", "One.")
    write_skill("b", "Two.")
    with pytest.raises(DefinitionError, match="holds 2 skills"):
        propose_definition(skills_root)


def test_a_proposal_with_faults_names_them() -> None:
    with pytest.raises(DefinitionError, match="'id' is missing"):
        Proposal(values={"description": "x"}).to_definition()
