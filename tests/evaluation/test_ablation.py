"""The ablation, end to end on a small folder, and what it is made of."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_selector.cli import main
from skill_selector.evaluation.ablation import CONDITIONS, aablate, ablate
from skill_selector.evaluation.bound_model import PromptBoundModel, asucceeds, succeeds
from skill_selector.evaluation.context_score import Piece, comparable, score_context
from skill_selector.evaluation.context_task import ContextTask, Fact, load_context_tasks
from skill_selector.graph.errors import DefinitionError, TaskFileError
from skill_selector.knowledge.chunk import Chunk

SKILL = {
    "id": "fault_finding.diagnose",
    "category": "fault_finding",
    "description": "Find the cause of an error of the gateway from its error code. 按错误码排查网关故障。",
    "input_schema": {"type": "object", "properties": {"error_code": {"type": "string"}}, "required": ["error_code"]},
}
ROWS: list[dict[str, Any]] = [
    {
        **{"id": "one", "split": "dev", "language": "en", "skill_id": SKILL["id"]},
        **{"task": "The gateway answers GW-5021, what do I do?", "parameters": {"error_code": "GW-5021"}},
        "facts": [{"what": "the repair", "any": ["set `keep_alive` to 4s"], "wrong": ["set `keep_alive` to 90s"]}],
        "useful": ["fix.md#Reload the gateway"],
    },
    {
        **{"id": "two", "split": "test", "language": "zh", "skill_id": SKILL["id"]},
        **{"task": "登录报 AUTH-17 怎么办？", "parameters": {"error_code": "AUTH-17"}},
        "facts": [{"what": "密钥", "any": ["轮换签名密钥"]}, {"what": "nobody knows", "any": ["no such text"]}],
    },
]
FIX = """\
# Repairs

## GW-5021

The upstream closed the connection: set `keep_alive` to 4s. Reload the gateway.

## AUTH-17 登录失败

原因是签名过期，请轮换签名密钥。
"""
NOISE = "\n".join(
    f"## Gateway release {n}\n\nThe gateway got feature {n}, with what to do for it.\n" for n in range(40)
)


@pytest.fixture(autouse=True)
def no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the encoder takes a second."""
    monkeypatch.setenv("SELECTOR_EMBEDDINGS", "none")


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    folder = tmp_path / "knowledge"
    folder.mkdir()
    (folder / "fix.md").write_text(FIX, encoding="utf-8")
    (folder / "releases.md").write_text(f"# Gateway releases\n\n{NOISE}", encoding="utf-8")
    return folder


@pytest.fixture
def skills(write_skill: Callable[..., Path], skills_root: Path) -> Path:
    folder = write_skill("diagnose", str(SKILL["description"]))
    (folder / "skill.json").write_text(json.dumps(SKILL, ensure_ascii=False), encoding="utf-8")
    return skills_root


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in ROWS) + "\n", encoding="utf-8")
    return path


def chunk(text: str, path: str = "a.md") -> Chunk:
    more: dict[str, Any] = {"type": "document", "title": "", "start_line": 1, "end_line": 1, "language": "markdown"}
    return Chunk(id=f"{path}#{text[:9]}", text=text, path=path, **more)


def task(*facts: Fact, **more: Any) -> ContextTask:
    values: dict[str, Any] = {"id": "t", "split": "dev", "language": "en", "skill_id": "a.b", "task": "do"}
    return ContextTask(**{**values, "parameters": {}, "facts": facts, **more})


def test_compiled_beside_plain_and_nothing(knowledge: Path, skills: Path, file: Path) -> None:
    made = ablate(load_context_tasks(file), knowledge, skills, budget=600)
    rows = {(row.id, row.condition): row for row in made.rows}
    assert {condition for _, condition in rows} == set(CONDITIONS)
    first = rows["one", "compiled"]
    assert (first.coverage, first.noise, first.success) == (1.0, 0.0, 1.0)
    assert rows["one", "nothing"].coverage == rows["one", "nothing"].success == rows["one", "nothing"].noise == 0
    assert rows["one", "plain"].noise > 0.5
    assert all(row.tokens <= 600 for row in made.rows)
    assert rows["one", "plain_as_long"].tokens <= first.tokens
    second = rows["two", "compiled"]
    assert (second.coverage, second.success, second.missed) == (0.5, 0.0, ("nobody knows",))
    figures = made.figures()
    assert list(figures)[:2] == ["dev", "test"]
    assert figures["test/zh"]["compiled"]["coverage"].mean == 0.5
    assert figures["dev/fault_finding"]["compiled"]["tokens"].mean == pytest.approx(first.tokens)
    assert json.loads(json.dumps(made.to_dict()))["rows"][0]["id"] == "one"


async def test_the_async_run_gives_the_same(knowledge: Path, skills: Path, file: Path) -> None:
    tasks = load_context_tasks(file)
    done: list[int] = []
    made = await aablate(tasks, knowledge, [skills], budget=600, advance=done.append)
    assert made == ablate(tasks, knowledge, skills, budget=600)
    assert done == [1, 2]


def test_what_was_learnt_on_this_machine_changes_no_figure(knowledge: Path, skills: Path, file: Path) -> None:
    from skill_selector import compile_context, record_outcome

    tasks = load_context_tasks(file)
    before = ablate(tasks, knowledge, skills, budget=600)
    one = tasks[0]
    context = compile_context(one.skill_id, one.parameters, knowledge=knowledge, skills=skills, task=one.task)
    for _ in range(30):
        record_outcome(context, worked=False)
    assert ablate(tasks, knowledge, skills, budget=600) == before


def test_an_unknown_skill_is_named(knowledge: Path, skills: Path) -> None:
    with pytest.raises(DefinitionError, match=r"a\.b"):
        ablate([task(Fact(what="x", any=("x",)))], knowledge, skills)


def test_the_command_prints_splits_apart(
    knowledge: Path, skills: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["ablate", "--knowledge", str(knowledge), "--skills", str(skills), "--tasks", str(file)]
    assert main([*given, "--budget", "600"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[1:5]] == [["dev", "1", name] for name in CONDITIONS]
    assert main([*given, "--split", "test", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert {row["split"] for row in made["rows"]} == {"test"}
    assert made["budget"] == 2000
    assert main([*given, "--budget", "12"]) == 2
    assert "300 at least" in capsys.readouterr().err


def test_noise_by_hand() -> None:
    one = task(Fact(what="limit", any=("limit is 5",), wrong=("limit is 9",)), useful=(("b.md", "how limits work"),))
    pieces = [
        Piece(chunks=(chunk("The limit\nis 5."),), tokens=40),
        Piece(chunks=(chunk("The limit is 5, it was: limit is 9"),), tokens=30),
        Piece(chunks=(chunk("How Limits work", "b.md"),), tokens=10),
        Piece(chunks=(chunk("How limits work", "c.md"),), tokens=15),
        Piece(chunks=(chunk("a copy"), chunk("how limits work", "b.md")), tokens=5),
    ]
    found = score_context(one, "\n".join(piece.chunks[0].text for piece in pieces), pieces)
    assert found.coverage == 1
    assert found.noise == pytest.approx((30 + 15) / 100)
    assert found.noisy == ("a.md:1", "c.md:1")
    # of a shortened piece only what is shown counts
    assert score_context(one, "nothing of it", pieces[:1]).noise == 1
    assert score_context(one, "", []).noise == 0


def test_wordings_are_compared_whatever_their_width_case_spaces_bold_and_escapes() -> None:
    assert comparable('Ｖ＝"１"  **Orders**\n(x)') == comparable('v="1" orders (X)')
    assert comparable(r'{"a": "say \"x\""}') == comparable('{"a": "say "x""}')


async def test_the_model_knows_its_prompt_alone_and_believes_what_comes_first() -> None:
    one = task(Fact(what="vip", any=("级别大于 2", "vip > 2"), wrong=("vip > 1",)))
    prompts = {"": False, "so VIP > 2, once vip > 1": True, "vip > 1, now vip > 2": False, "会员级别大于 2": True}
    for prompt, right in prompts.items():
        assert succeeds(one, prompt) is right
        assert await asucceeds(one, prompt) is right
    assert json.loads(PromptBoundModel(one.facts).invoke("nothing").text) == [""]


def test_every_fault_of_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "任务.jsonl"
    wrong = {**ROWS[0], "split": "train", "facts": [{"what": "x", "any": []}], "useful": ["no hash"]}
    path.write_text("\n".join(["{", "[]", json.dumps(wrong), json.dumps(ROWS[0]), json.dumps(ROWS[0])]), "utf-8")
    with pytest.raises(TaskFileError) as caught:
        load_context_tasks(path)
    for said in ("line 1: ", "line 2: it holds a list", "split must be dev or test; facts must", "useful must"):
        assert said in str(caught.value)
    assert "line 5: the id 'one' is that of an earlier line" in str(caught.value)
    path.write_text("\n", "utf-8")
    with pytest.raises(TaskFileError, match="holds no task"):
        load_context_tasks(path)
    with pytest.raises(TaskFileError, match="cannot be read"):
        load_context_tasks(tmp_path / "none.jsonl")
