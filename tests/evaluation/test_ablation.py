import json
from pathlib import Path
from typing import Any

import pytest

from skill_selector.cli import main
from skill_selector.evaluation.ablation import aablate, ablate, acarry_out, carry_out, prompt_bound_model
from skill_selector.evaluation.contexttask import ContextTask, Fact, is_covered, is_noise, load_context_tasks, plain
from skill_selector.graph.errors import TaskFileError
from skill_selector.knowledge.chunk import Chunk

EXAMPLES = Path(__file__).parents[2] / "examples" / "knowledge"
FACT = Fact(what="column", any=("amount DECIMAL(12,2)",), wrong=("total_fee FLOAT",))
TASK = ContextTask(
    id="1",
    split="dev",
    language="zh",
    skill_id="data_query.generate_sql",
    task="查订单",
    parameters={},
    facts=(FACT,),
    useful=("shop/a.md#Join customers",),
)


@pytest.fixture(autouse=True)
def _no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELECTOR_EMBEDDINGS", "none")


def chunk(text: str, path: str = "shop/b.md") -> Chunk:
    return Chunk(id="x", text=text, type="example", title="", language=None, path=path, start_line=1, end_line=2)


def test_texts_are_compared_without_width_case_and_spacing() -> None:
    assert is_covered(FACT, plain("Ａmount   decimal(12,2)\nNOT NULL"))
    assert not is_covered(FACT, plain("amount INT"))


@pytest.mark.parametrize(
    ("text", "path", "noise"),
    [
        ("amount DECIMAL(12,2)", "shop/b.md", False),
        ("amount DECIMAL(12,2), total_fee FLOAT", "shop/b.md", True),
        ("How to join customers to orders", "shop/a.md", False),
        ("How to join customers to orders", "shop/b.md", True),
        ("something else", "shop/a.md", True),
    ],
)
def test_a_chunk_is_noise_when_it_misleads_or_is_beside_the_point(text: str, path: str, noise: bool) -> None:
    assert is_noise(TASK, chunk(text, path)) is noise


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("the column is amount DECIMAL(12,2)", True),
        ("amount DECIMAL(12,2), formerly total_fee FLOAT", True),
        ("total_fee FLOAT, now amount DECIMAL(12,2)", False),
        ("nothing of it", False),
    ],
)
async def test_a_model_that_has_only_its_prompt_takes_what_it_says_first(prompt: str, right: bool) -> None:
    assert carry_out(TASK, prompt, prompt_bound_model()) is right
    assert await acarry_out(TASK, prompt, prompt_bound_model()) is right


async def test_compiled_context_beats_plain_retrieval_and_nothing_on_a_few_tasks() -> None:
    tasks = [one for one in load_context_tasks(EXAMPLES / "tasks.jsonl") if one.split == "dev"][:6]
    given: dict[str, Any] = {"knowledge": EXAMPLES / "base", "skills": [str(EXAMPLES / "skills")]}
    made = ablate(tasks, **given)
    named = made.figures(tasks)["all"]
    assert named["compiled"]["coverage"].mean > named["plain"]["coverage"].mean > named["nothing"]["coverage"].mean
    assert named["compiled"]["noise"].mean < named["plain"]["noise"].mean
    assert all(run.tokens <= 2000 for run in made.runs)
    assert await aablate(tasks, **given) == made


def test_the_command_prints_figures_by_split_and_skill(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = (EXAMPLES / "tasks.jsonl").read_text(encoding="utf-8").splitlines()[:2]
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(lines), encoding="utf-8")
    command = ["ablate", "--knowledge", str(EXAMPLES / "base"), "--skills", str(EXAMPLES / "skills")]
    assert main([*command, "--tasks", str(few), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert set(shown["figures"]["all"]) == {"compiled", "plain", "nothing"}
    assert main([*command, "--tasks", str(few), "--budget", "x"]) == 2
    assert main([*command, "--tasks", str(tmp_path / "none")]) == 2


@pytest.mark.parametrize(
    "text", ["", "{", '{"id": "a"}', '{"id": "a", "skill_id": "b", "task": "c", "parameters": {}, "facts": []}']
)
def test_a_file_that_cannot_be_used_is_a_clear_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TaskFileError, match=r"tasks\.jsonl"):
        load_context_tasks(file)


def test_an_id_that_is_there_twice_is_named(tmp_path: Path) -> None:
    line = (EXAMPLES / "tasks.jsonl").read_text(encoding="utf-8").splitlines()[0]
    file = tmp_path / "tasks.jsonl"
    file.write_text(f"{line}\n{line}\n", encoding="utf-8")
    with pytest.raises(TaskFileError, match="sql-01"):
        load_context_tasks(file)
