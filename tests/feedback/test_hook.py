from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langsmith import Client

from skill_selector.feedback.counts import Counts, Subject
from skill_selector.feedback.hook import FeedbackHook
from skill_selector.feedback.sqlite import SqliteFeedback
from skill_selector.graph.errors import FeedbackError

RUN = UUID("00000000-0000-4000-8000-000000000001")
KITE = Subject(kind="skill", names=("kite",), label="kite")
BOAT = Subject(kind="skill", names=("boat",), label="boat")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteFeedback]:
    one = SqliteFeedback(tmp_path / "counts.sqlite")
    one.count([KITE, BOAT], injected=1, run_id=str(RUN))
    yield one
    one.close()


@pytest.mark.parametrize(
    ("given", "good", "bad"),
    [
        ({"score": 1}, 1, 0),
        ({"score": 0.5}, 1, 0),
        ({"score": 0.49}, 0, 1),
        ({"score": -1}, 0, 1),
        ({"score": True}, 1, 0),
        ({"score": False}, 0, 1),
        ({"value": "thumbs_up"}, 1, 0),
        ({"value": "没用"}, 0, 1),
        ({"value": 1}, 1, 0),
        ({"value": "hm"}, 0, 0),
        ({"comment": "just saying"}, 0, 0),
    ],
)
def test_a_run_is_credited_to_all_that_was_injected_in_it(
    store: SqliteFeedback, given: dict[str, Any], good: int, bad: int
) -> None:
    FeedbackHook(store).create_feedback(RUN, "user", **given)
    assert store.counts("skill") == dict.fromkeys(("kite", "boat"), Counts(injected=1, good=good, bad=bad))


def test_key_score_and_comment_are_kept(store: SqliteFeedback) -> None:
    more: dict[str, Any] = {"feedback_source_type": "api", "trace_id": RUN}
    FeedbackHook(store).create_feedback(RUN, "helpful", score=0.9, comment="好", **more)
    assert [(one.key, one.score, one.comment) for one in store.notes()] == [("helpful", 0.9, "好")] * 2


def test_keys_that_are_not_asked_for_count_nothing(store: SqliteFeedback) -> None:
    assert FeedbackHook(store, keys=["helpful"]).create_feedback(RUN, "latency", score=0.1) == []
    assert store.counts("skill")["kite"] == Counts(injected=1)


def test_an_unknown_run_and_a_score_that_is_none_are_refused(store: SqliteFeedback) -> None:
    hook = FeedbackHook(store)
    with pytest.raises(FeedbackError, match="record_injection"):
        hook.create_feedback("another run", score=1)
    for score in ("high", float("nan")):
        with pytest.raises(FeedbackError, match="must be a number"):
            hook.create_feedback(RUN, score=score)  # type: ignore[arg-type]


async def test_what_is_judged_may_be_named_itself(store: SqliteFeedback) -> None:
    await FeedbackHook(store).acreate_feedback(key="user", score=1, subjects=[BOAT])
    assert store.counts("skill")["boat"] == Counts(injected=1, good=1)
    assert store.counts("skill")["kite"] == Counts(injected=1)


def test_it_takes_the_arguments_that_a_langsmith_client_takes() -> None:
    import inspect

    theirs = inspect.signature(Client.create_feedback).parameters
    ours = inspect.signature(FeedbackHook.create_feedback).parameters
    assert list(theirs)[:3] == list(ours)[:3] == ["self", "run_id", "key"]
    assert {"score", "value", "comment"} <= set(theirs) & set(ours)
