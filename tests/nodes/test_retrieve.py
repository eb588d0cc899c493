"""Act: the candidates, and the order of retrieval that they were cut from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langgraph.checkpoint.memory import InMemorySaver
from word_embeddings import WordEmbeddings

from skill_selector.graph.context import SelectorContext
from skill_selector.graph.selector import SelectorGraph, build_selector
from skill_selector.graph.state import SelectorOutput
from skill_selector.reasoners.scripted import ScriptedReasoner

WriteSkill = Callable[..., Path]

ASKED = 3
"""Texts of a task of one sentence that are embedded: the task, its intent, its sentence."""
LOCAL = SelectorContext(reasoner="local", top_k=2)


def last_state(selector: SelectorGraph, root: Path, task: str, context: SelectorContext = LOCAL) -> dict[str, Any]:
    given: Any = {"task": task, "skill_directory": str(root)}
    config: Any = {"configurable": {"thread_id": "t"}}
    states: list[Any] = list(selector.stream(given, config, context=context, stream_mode="values"))
    return dict(states[-1])


def test_the_candidates_are_the_first_of_what_was_retrieved(pdf_skills: Path, write_skill: WriteSkill) -> None:
    for number in range(6):
        write_skill(f"pdf-{number}", f"Split a PDF file into {number + 2} parts.")
    state = last_state(build_selector(), pdf_skills, "merge several PDF files")
    assert len(state["candidates"]) == 2
    assert [one["id"] for one in state["candidates"]] == state["retrieved"][:2]
    assert state["retrieved"][0] == "pdf-merge"
    assert len(set(state["retrieved"])) == len(state["retrieved"]) == 9


def test_more_than_fifty_are_not_kept_and_copies_leave_room_for_others(
    skills_root: Path, write_skill: WriteSkill
) -> None:
    for number in range(70):
        write_skill(f"pdf-{number}", f"Merge PDF files, number {number}.")
    for number in range(20):
        write_skill(f"copy-{number}/pdf-copy", "Merge PDF files.")
    state = last_state(build_selector(), skills_root, "merge PDF files")
    assert len(state["retrieved"]) == 50
    assert sum("pdf-copy" in one for one in state["retrieved"]) == 1


def test_what_an_own_retriever_found_is_kept_too(pdf_skills: Path) -> None:
    class Fixed(BaseRetriever):
        def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
            return [Document(name, metadata={"id": name}) for name in ("csv-chart", "pdf-merge", "meeting-notes")]

    state = last_state(build_selector(retriever=Fixed()), pdf_skills, "merge PDF files")
    assert [one["id"] for one in state["candidates"]] == ["csv-chart", "pdf-merge"]
    assert state["retrieved"] == ["csv-chart", "pdf-merge", "meeting-notes"]


def test_the_next_task_of_a_thread_starts_without_it(pdf_skills: Path, tmp_path: Path) -> None:
    selector = build_selector(checkpointer=InMemorySaver())
    assert last_state(selector, pdf_skills, "merge PDF files")["retrieved"]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert last_state(selector, empty, "merge PDF files")["retrieved"] == []


def test_it_is_no_part_of_the_result() -> None:
    assert "retrieved" not in SelectorOutput.__annotations__


def test_of_a_few_skills_all_are_ranked_also_those_that_no_word_finds(pdf_skills: Path) -> None:
    context = SelectorContext(reasoner="local", embeddings="none", top_k=3)
    state = last_state(build_selector(), pdf_skills, "merge several PDF files", context)
    assert [one["id"] for one in state["candidates"]] == ["pdf-merge", "csv-chart", "meeting-notes"]
    assert [one["fallback"] for one in state["candidates"]] == [False, True, True]
    assert (state["best"]["id"], [one["score"] for one in state["ranked"][1:]]) == ("pdf-merge", [0, 0])


def test_of_more_skills_than_are_ranked_only_what_was_found_is(pdf_skills: Path) -> None:
    context = SelectorContext(reasoner="local", embeddings="none", top_k=2)
    state = last_state(build_selector(), pdf_skills, "merge several PDF files", context)
    assert [one["id"] for one in state["candidates"]] == ["pdf-merge"]


@pytest.mark.parametrize("attempts", [1, 2])
def test_a_round_with_the_same_analysis_does_not_search_again(pdf_skills: Path, attempts: int) -> None:
    embeddings, reasoner = WordEmbeddings(), ScriptedReasoner({"pdf-merge": 80.0, "csv-chart": 79.0})
    context = SelectorContext(max_attempts=attempts)
    selector = build_selector(reasoner=reasoner, embeddings=embeddings)
    state = last_state(selector, pdf_skills, "merge PDF files and chart CSV tables", context)
    found = [entry["output"] for entry in state["selector_trace"] if entry["step"] == "retrieve"]

    assert len(reasoner.rankings) == len(found) == attempts
    assert all(one == found[0] for one in found)
    assert reasoner.rankings[-1].candidates == reasoner.rankings[0].candidates
    assert len(embeddings.queries) == ASKED
