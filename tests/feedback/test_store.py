"""What both places for counts do alike."""

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from skill_selector.feedback.basestore import LangGraphFeedback
from skill_selector.feedback.counts import Counts, Subject
from skill_selector.feedback.exchange import export_feedback, import_feedback
from skill_selector.feedback.place import open_feedback
from skill_selector.feedback.sqlite import SqliteFeedback
from skill_selector.feedback.store import LONGEST_COMMENT, FeedbackStore
from skill_selector.graph.errors import FeedbackError, SettingError

Make = Callable[[], FeedbackStore]

KITE = Subject(kind="skill", names=("kite-1", "kite-2"), label="kite")
BOAT = Subject(kind="skill", names=("boat",), label="boat")


@pytest.fixture(params=["sqlite", "langgraph"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    made: list[FeedbackStore] = []

    def build() -> FeedbackStore:
        one: FeedbackStore
        if request.param == "sqlite":
            one = SqliteFeedback(tmp_path / f"counts-{len(made)}.sqlite")
        else:
            one = LangGraphFeedback(InMemoryStore())
        made.append(one)
        return one

    yield build
    for one in made:
        if isinstance(one, SqliteFeedback):
            one.close()


@pytest.fixture
def store(make: Make) -> FeedbackStore:
    return make()


def test_nothing_counted_is_no_counts_and_not_zero(store: FeedbackStore) -> None:
    assert store.counts("skill") == {}
    assert store.counts_of(KITE) is None
    store.count([KITE])
    assert store.counts_of(KITE) == Counts()
    assert store.counts_of(BOAT) is None


def test_counts_add_up_under_every_name(store: FeedbackStore) -> None:
    store.count([KITE, BOAT], injected=1)
    store.count([KITE], injected=2, good=1)
    store.count([BOAT], bad=1)
    assert store.counts("skill") == {
        "kite-1": Counts(injected=3, good=1),
        "kite-2": Counts(injected=3, good=1),
        "boat": Counts(injected=1, bad=1),
    }


def test_a_record_is_found_by_any_name_and_learns_the_new_ones(store: FeedbackStore) -> None:
    [first] = store.count([KITE], injected=1)
    [second] = store.count([Subject(kind="skill", names=("kite-3", "kite-2"), label="kite 2")], injected=1)
    [third] = store.count([Subject(kind="skill", names=("kite-3",))], injected=1)
    assert first == second == third
    [record] = store.records()
    assert record.counts.injected == 3
    assert record.label == "kite 2"
    assert set(record.names) == {"kite-1", "kite-2", "kite-3"}


def test_kinds_are_apart(store: FeedbackStore) -> None:
    store.count([Subject(kind="chunk", names=("boat",), label="a chunk")], good=5)
    store.count([BOAT], bad=1)
    assert store.counts("skill") == {"boat": Counts(bad=1)}
    assert [one.kind for one in store.records()] == ["chunk", "skill"]
    assert [one.label for one in store.records("chunk")] == ["a chunk"]


def test_two_hundred_and_fifty_runs_count_as_such(store: FeedbackStore) -> None:
    for number in range(250):
        store.count([BOAT], injected=1, good=number % 2, run_id=f"run {number}")
    assert store.counts_of(BOAT) == Counts(injected=250, good=125)
    assert [one.label for one in store.injected_in("run 249")] == ["boat"]


def test_times_are_utc_and_the_first_stays(store: FeedbackStore) -> None:
    store.count([BOAT], injected=1)
    first = store.records()[0].first_at
    store.count([BOAT], injected=1)
    [record] = store.records()
    assert first == record.first_at
    assert record.last_at is not None
    assert abs((datetime.now(UTC) - datetime.fromisoformat(record.last_at)).total_seconds()) < 60
    assert record.last_at.endswith("+00:00")


def test_notes_come_in_order_and_long_ones_are_cut_visibly(store: FeedbackStore) -> None:
    store.count([BOAT], good=1, note=("user", 1.0, "很好用"))
    store.count([BOAT], bad=1, note=("user", None, "x" * 5000))
    notes = store.notes()
    assert [(one.key, one.score) for one in notes] == [("user", 1.0), ("user", None)]
    assert notes[0].comment == "很好用"
    assert len(notes[1].comment) == LONGEST_COMMENT
    assert notes[1].comment.endswith("…")


def test_threads_lose_no_count(store: FeedbackStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.count([KITE], injected=1, good=1), range(200)))
    assert store.counts_of(KITE) == Counts(injected=200, good=200)
    assert len(store.records()) == 1


async def test_the_async_half_does_the_same(store: FeedbackStore) -> None:
    await asyncio.gather(*[store.acount([KITE], injected=1, run_id="r") for _ in range(20)])
    assert (await store.acounts("skill"))["kite-1"] == Counts(injected=20)
    assert [one.label for one in await store.arecords()] == ["kite"]
    assert [one.label for one in await store.ainjected_in("r")] == ["kite"]
    assert await store.anotes() == []


def test_an_export_brings_back_counts_names_times_and_fields_of_the_future(make: Make) -> None:
    one, other = make(), make()
    one.count([KITE], injected=3, good=2, note=("user", 1, "nice"))
    exported = export_feedback(one)
    exported["records"][0]["latency"] = {"p50": None}
    exported["version"] = 7
    assert exported["notes"][0]["comment"] == "nice"
    for _ in range(2):
        assert import_feedback(other, json.dumps(exported)) == 1
    other.count([KITE], injected=1)
    [record] = other.records()
    assert record.counts == Counts(injected=4, good=2)
    assert record.more == {"latency": {"p50": None}}
    assert export_feedback(other)["records"][0]["latency"] == {"p50": None}
    assert record.first_at == exported["records"][0]["first_at"]


def test_an_import_may_add_what_another_machine_counted(make: Make) -> None:
    one, other = make(), make()
    one.count([BOAT], injected=3)
    text = json.dumps(export_feedback(one))
    import_feedback(other, text)
    import_feedback(other, text, "add")
    assert other.counts_of(BOAT) == Counts(injected=6)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "no JSON"),
        ("[]", "no export"),
        ('{"format": "skill-selector feedback", "records": [3]}', "record 1 is no JSON object"),
        ('{"format": "skill-selector feedback", "records": [{"kind": "skill", "good": -1}]}', "record 1: id, good"),
        (
            '{"format": "skill-selector feedback", "records": [{"kind": "s", "id": "i", "names": [1], "bad": true}]}',
            "record 1: bad, names",
        ),
    ],
)
def test_what_is_no_export_is_refused_and_keeps_nothing(store: FeedbackStore, text: str, fault: str) -> None:
    with pytest.raises(FeedbackError, match=fault):
        import_feedback(store, text)
    assert store.records() == []


def test_a_langgraph_store_is_taken_as_it_is_and_anything_else_is_refused(tmp_path: Path) -> None:
    memory = InMemoryStore()
    open_feedback(memory).count([BOAT], good=1)
    assert open_feedback(memory).counts_of(BOAT) == Counts(good=1)
    own = SqliteFeedback(tmp_path / "x.sqlite")
    assert open_feedback(own) is own
    with pytest.raises(SettingError, match="BaseStore"):
        open_feedback("here.sqlite")  # type: ignore[arg-type]


def test_a_store_that_fails_says_so_in_one_error() -> None:
    class Broken(InMemoryStore):
        def batch(self, ops: object) -> list[object]:  # type: ignore[override]
            raise ConnectionError("gone")

    with pytest.raises(FeedbackError, match=r"Broken.*gone"):
        LangGraphFeedback(Broken()).count([BOAT], good=1)
