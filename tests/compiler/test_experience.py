import asyncio
import inspect
from pathlib import Path
from typing import Any

import pytest

from skill_selector.compiler.experience import ChunkExperience, arecord_outcome, record_outcome
from skill_selector.compiler.fusion import weighed
from skill_selector.compiler.result import CompiledContext, ManifestEntry
from skill_selector.feedback.sqlite import SqliteFeedback
from skill_selector.graph.errors import FeedbackError
from skill_selector.knowledge.runs import RunStore

SKILL = "data_query.generate_sql"


def entry(chunk_id: str, *, kept: bool = True) -> ManifestEntry:
    return ManifestEntry(
        chunk_id=chunk_id,
        source=f"{chunk_id}.md:1-2",
        title="",
        type="example",
        kept=kept,
        reason="kept" if kept else "over_budget",
    )


CONTEXT = CompiledContext(
    prompt="…",
    reason="compiled",
    skill_id=SKILL,
    task="最近一个月的VIP客户",
    parameters={"table": "orders"},
    manifest=(entry("a"), entry("b"), entry("c", kept=False)),
)


@pytest.fixture
def store(tmp_path: Path) -> SqliteFeedback:
    return SqliteFeedback(tmp_path / "feedback.sqlite")


@pytest.fixture(params=["sync", "async"])
def record(request: pytest.FixtureRequest) -> Any:
    def run(*args: Any, **options: Any) -> Any:
        found = (record_outcome if request.param == "sync" else arecord_outcome)(*args, **options)
        return asyncio.run(found) if inspect.iscoroutine(found) else found

    return run


def test_what_helped_counts_more_and_what_did_not_counts_less(record: Any, store: SqliteFeedback) -> None:
    for _ in range(4):
        assert record(CONTEXT, store, outcome="worked") == 2
    # (4 + 2) / (4 + 4) = 0.75, so 1 + 0.3 · 0.5
    factors = ChunkExperience(store, prior=4)(SKILL, ["a", "b", "c"])
    assert factors == {"a": pytest.approx(1.15), "b": pytest.approx(1.15)}
    record(CONTEXT, store, outcome="failed")
    # (4 + 2) / (5 + 4) = 2/3
    assert ChunkExperience(store, prior=4)(SKILL, ["a"])["a"] == pytest.approx(1.1)


def test_without_a_prior_one_outcome_decides_and_a_factor_stays_within_its_bounds(
    record: Any, store: SqliteFeedback
) -> None:
    record(CONTEXT, store, outcome="failed")
    assert ChunkExperience(store, prior=0)(SKILL, ["a"])["a"] == pytest.approx(0.7)
    assert ChunkExperience(store, prior=1000)(SKILL, ["a"])["a"] == pytest.approx(1, abs=0.001)


def test_a_chunk_is_known_under_the_skill_that_it_was_used_for_only(record: Any, store: SqliteFeedback) -> None:
    record(CONTEXT, store, outcome="worked")
    assert ChunkExperience(store)("other.skill", ["a"]) == {}


def test_the_factors_change_the_order_of_what_was_found(record: Any, store: SqliteFeedback) -> None:
    record(CONTEXT, store, outcome="failed")
    found: Any = [{"id": "a", "score": 0.5, "routes": {}}, {"id": "c", "score": 0.45, "routes": {}}]
    factors = ChunkExperience(store, prior=1)(SKILL, ["a", "c"])
    assert [one["id"] for one in weighed(found, factors)] == ["c", "a"]


def test_what_was_learnt_changes_the_digest(record: Any, store: SqliteFeedback) -> None:
    before = ChunkExperience(store).digest
    record(CONTEXT, store, outcome="worked")
    assert ChunkExperience(store).digest != before


@pytest.mark.parametrize(
    ("scores", "good", "bad"),
    [
        ({"relevance": 5, "completeness": 4, "usability": 4}, 1, 0),
        ({"relevance": 1, "completeness": 2}, 0, 1),
        ({"usability": 3}, 0, 0),
    ],
)
def test_a_persons_scores_count_by_their_mean(
    record: Any, store: SqliteFeedback, scores: dict[str, int], good: int, bad: int
) -> None:
    record(CONTEXT, store, note="很好用", **scores)
    [skill] = store.records("definition")
    assert (skill.counts.injected, skill.counts.good, skill.counts.bad) == (1, good, bad)
    assert "很好用" in store.notes("definition")[0].comment


def test_runs_are_kept_with_what_they_were_given(record: Any, store: SqliteFeedback, tmp_path: Path) -> None:
    runs = RunStore(str(tmp_path / "runs.sqlite"))
    record(CONTEXT, store, outcome="worked", runs=runs)
    [run] = runs.runs(SKILL)
    assert (run.task, run.parameters, run.worked) == (CONTEXT.task, {"table": "orders"}, True)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "worked"),
        ({"outcome": "fine"}, "fine"),
        ({"relevance": 6}, "relevance"),
        ({"relevance": True}, "relevance"),
        ({"speed": 5}, "speed"),
    ],
)
def test_what_cannot_be_counted_is_a_clear_error(
    record: Any, store: SqliteFeedback, given: dict[str, Any], named: str
) -> None:
    with pytest.raises(FeedbackError, match=named):
        record(CONTEXT, store, **given)
    assert store.records() == []
