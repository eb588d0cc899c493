"""Routes side by side: a late, hanging or failing one costs no more than its limit and spoils nothing."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from skill_selector.compiler.retrieval import MOST_HANGING, Outcomes, RouteRunner
from skill_selector.graph.errors import EmbedderError
from skill_selector.knowledge.search import Hit

Runs = Callable[[dict[str, Callable[[], list[Hit]]], float], Outcomes]


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Runs:
    """Either half of a runner."""
    runner = RouteRunner()
    if request.param == "sync":
        return runner.run
    return lambda work, limit: asyncio.run(runner.arun(work, limit))


@pytest.fixture
def stuck() -> Iterator[Callable[[], list[Hit]]]:
    """A route that does not come back before the test ends."""
    gate = threading.Event()

    def route() -> list[Hit]:
        gate.wait(30)
        return [Hit("late", 1.0)]

    yield route
    gate.set()


def test_routes_run_at_the_same_time(run: Runs) -> None:
    meeting = threading.Barrier(3, timeout=5)

    def route() -> list[Hit]:
        meeting.wait()
        return [Hit("a", 0.5)]

    outcomes = run(dict.fromkeys("xyz", route), 10)
    assert outcomes.hits == {name: [Hit("a", 0.5)] for name in "xyz"}


def test_a_route_that_hangs_costs_its_limit_and_is_reported(run: Runs, stuck: Callable[[], list[Hit]]) -> None:
    start = time.perf_counter()
    outcomes = run({"good": lambda: [Hit("a", 1.0)], "bad": stuck}, 0.2)
    assert 0.2 <= time.perf_counter() - start < 2
    assert outcomes.hits == {"good": [Hit("a", 1.0)]}
    assert outcomes.failures == {"bad": "no answer within 0.2 s"}


def test_a_route_that_hangs_again_and_again_is_not_called_any_more(run: Runs, stuck: Callable[[], list[Hit]]) -> None:
    for _ in range(MOST_HANGING):
        run({"bad": stuck}, 0.01)
    before = threading.active_count()
    start = time.perf_counter()
    outcomes = run({"bad": stuck}, 5)
    assert time.perf_counter() - start < 1
    assert "still hang" in outcomes.failures["bad"]
    assert threading.active_count() == before


def test_a_failing_route_is_left_out_with_its_reason(run: Runs) -> None:
    def own() -> list[Hit]:
        raise EmbedderError("the endpoint\ndoes not answer")

    def strange() -> list[Hit]:
        raise KeyError("x")

    outcomes = run({"good": lambda: [], "own": own, "strange": strange}, 5)
    assert outcomes.hits == {"good": []}
    assert outcomes.failures == {"own": "the endpoint does not answer", "strange": "KeyError: 'x'"}


@pytest.mark.parametrize("found", [None, 7, [("a",)], [("a", "much")], [(1, 0.5)], [("a", float("nan"))]])
def test_what_is_no_list_of_hits_is_a_failure(run: Runs, found: object) -> None:
    outcomes = run({"odd": lambda: found}, 5)  # type: ignore[dict-item,return-value]
    assert "no list of hits" in outcomes.failures["odd"]
    assert not outcomes.hits


def test_scores_are_brought_between_0_and_1_and_repeats_joined(run: Runs) -> None:
    outcomes = run({"odd": lambda: [Hit("a", 7), Hit("b", -1), Hit("c", 0.2), Hit("c", 0.4)]}, 5)
    assert outcomes.hits["odd"] == [Hit("a", 1.0), Hit("c", 0.4)]


async def test_the_event_loop_goes_on_meanwhile(stuck: Callable[[], list[Hit]]) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await RouteRunner().arun({"bad": stuck}, 0.2)
    ticking.cancel()
    assert ticks >= 5
