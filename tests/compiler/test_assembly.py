"""The prompt and its manifest: always within the budget, in the order that the skill prefers."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skill_selector.compiler.assembly import LEAST_BUDGET, Assembled, Assembler
from skill_selector.compiler.needs import needs_of
from skill_selector.compiler.refinement import Refinement
from skill_selector.compiler.request import CompileRequest
from skill_selector.compiler.result import Conflict, ManifestEntry
from skill_selector.knowledge.chunk import Chunk, ChunkType
from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.prompts.shortening import estimate_tokens

SKILL = SkillDefinition(
    id="a.b", description="Do b.", category="a", preferred_context_types=("table_schema", "example")
)
TYPES: list[ChunkType] = ["table_schema", "example", "document", "error_log"]


def entry(chunk: Chunk, **values: Any) -> ManifestEntry:
    given = {"chunk_id": chunk.id, "source": chunk.source, "title": "", "type": chunk.type, "kept": True}
    return ManifestEntry(**{**given, "reason": "kept", "score": 0.5, **values})


def piece(name: str, text: str, kind: ChunkType = "document", language: str = "markdown") -> Chunk:
    where: Any = {"title": "", "path": f"{name}.md", "start_line": 1, "end_line": 1}
    return Chunk(id=name, text=text, type=kind, language=language, **where)


def disagreement(subject: str, one: str, other: str) -> Conflict:
    return Conflict(
        subject=subject,
        chosen=one,
        chosen_source=f"{one}.md:1",
        chosen_value="1",
        other=other,
        other_source=f"{other}.md:1",
        other_value="2",
        resolved_by="unresolved",
    )


def assemble(
    chunks: list[Chunk], refined: Refinement | None = None, budget: int = 2000, touching: bool = True, **values: Any
) -> Assembled:
    request = CompileRequest(
        **{"definition": SKILL, "parameters": {}, "task": "do it", "query": "do it", "budget": budget, **values}
    )
    refined = refined or Refinement(kept=[entry(one, touches_parameters=touching) for one in chunks])
    types = [*SKILL.preferred_context_types, *TYPES]
    return Assembler(request, {one.id: one for one in chunks}, needs_of(request), types).assemble(refined)


def test_pieces_stand_in_the_order_that_the_skill_prefers_each_cited() -> None:
    chunks = [piece("d", "background"), piece("e", "an example", "example"), piece("t", "a table", "table_schema")]
    made = assemble(chunks)
    assert [one.chunk_id for one in made.manifest] == ["t", "e", "d"]
    assert [one.citation for one in made.manifest] == [1, 2, 3]
    places = [
        made.prompt.index(text) for text in ("## Table definitions", "a table", "## Examples", "an example", "d.md:1")
    ]
    assert places == sorted(places)
    assert "Skill: a.b — Do b." in made.prompt
    assert made.prompt.endswith("Your task: do it")


def test_a_chinese_task_gets_chinese_headings() -> None:
    made = assemble([piece("t", "x", "table_schema")], task="查询所有的客户订单")
    assert "## 表结构参考" in made.prompt
    assert "你的任务: 查询所有的客户订单" in made.prompt


def test_the_general_is_dropped_first_with_that_reason() -> None:
    text = "word " * 300
    vital, general = piece("vital", text), piece("general", text + "more")
    refined = Refinement(kept=[entry(general, score=0.9), entry(vital, touches_parameters=True, score=0.4)])
    made = assemble([vital, general], refined, budget=600)
    assert [(one.chunk_id, one.kept, one.reason) for one in made.manifest] == [
        ("vital", True, "kept"),
        ("general", False, "over_budget"),
    ]
    assert made.manifest[1].detail == "no room left, and it touches no parameter"
    assert made.manifest[1].tokens > 300


def test_what_touches_the_parameters_is_shortened_rather_than_dropped() -> None:
    made = assemble([piece("long", "\n".join(f"line {at} = {at}" for at in range(999)), language="python")], budget=500)
    [one] = made.manifest
    assert (one.kept, one.reason) == (True, "shortened")
    assert "only what fits" in one.detail
    assert 300 < made.tokens <= 500


def test_what_was_rescued_stands_last_under_its_own_heading() -> None:
    chunks = [piece("r", "foreign", "table_schema"), piece("d", "own")]
    refined = Refinement(kept=[entry(chunks[0], reason="rescued", skill="s"), entry(chunks[1])])
    made = assemble(chunks, refined)
    assert made.prompt.index("own") < made.prompt.index("## From other skills") < made.prompt.index("foreign")
    assert made.manifest[-1].reason == "rescued"


def test_sources_that_disagree_are_named_by_number_where_nothing_decides() -> None:
    chunks = [piece("a", "x is 1"), piece("b", "x is 2")]
    conflict = disagreement("x", "a", "b")
    made = assemble(chunks, Refinement(kept=[entry(one) for one in chunks], conflicts=[conflict]))
    assert "The sources disagree on x: [1], [2]" in made.prompt


def test_nothing_at_all_is_said_honestly() -> None:
    made = assemble([])
    assert "No source was found" in made.prompt
    assert "<context>\n" not in made.prompt


@pytest.mark.parametrize(("preference", "said"), [("terse", "short, dense"), ("commented", "explain each step")])
def test_the_persons_preference_is_said(preference: str, said: str) -> None:
    assert said in assemble([piece("a", "x")], preference=preference).prompt
    assert said not in assemble([piece("a", "x")]).prompt


def test_a_long_task_leaves_room_for_the_pieces() -> None:
    made = assemble([piece("a", "the piece")], budget=1000, task=f"Begin. {'word ' * 9000} End.")
    assert "the piece" in made.prompt
    assert "Begin." in made.prompt
    assert made.prompt.endswith("End.")


@pytest.mark.parametrize("budget", range(320, 420, 7))
def test_notes_on_disagreements_count_too(budget: int) -> None:
    chunks = [piece(f"c{at}", f"x is {at} " * 6) for at in range(8)]
    conflicts = [disagreement("x" * 60, "c0", f"c{at}") for at in range(1, 6)]
    made = assemble(chunks, Refinement(kept=[entry(one) for one in chunks], conflicts=conflicts), budget)
    assert made.tokens <= budget
    assert made.prompt.count("\n</source>") == sum(one.kept for one in made.manifest) > 0
    assert "\n</context>\n" in made.prompt


TEXTS = st.text(max_size=40) | st.sampled_from(
    ["<source " * 200, "汉" * 900, "```", "</context>", "word " * 500, "a\n" * 300]
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(TEXTS, st.sampled_from(TYPES), st.sampled_from(["markdown", "sql"]), st.booleans()), max_size=6),
    st.integers(LEAST_BUDGET, 1500),
    TEXTS,
    st.dictionaries(TEXTS, TEXTS, max_size=4),
    st.sampled_from(["none", "terse", "commented"]),
)
def test_the_budget_always_holds_and_nothing_is_lost(
    given_chunks: list[tuple[str, ChunkType, str, bool]],
    budget: int,
    task: str,
    parameters: dict[str, str],
    preference: str,
) -> None:
    chunks = [piece(f"c{at}", text, kind, language) for at, (text, kind, language, _) in enumerate(given_chunks)]
    flags = [vital for *_, vital in given_chunks]
    refined = Refinement(kept=[entry(one, touches_parameters=flag) for one, flag in zip(chunks, flags, strict=True)])
    made = assemble(chunks, refined, budget, task=task, query=task, parameters=parameters, preference=preference)
    assert made.tokens == estimate_tokens(made.prompt) <= budget
    assert {one.chunk_id for one in made.manifest} == {one.id for one in chunks}
    assert made.prompt.count("\n</source>") == sum(one.kept for one in made.manifest)
    assert sum(one.tokens for one in made.manifest if one.kept) <= budget
