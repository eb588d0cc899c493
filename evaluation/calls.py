"""Tasks at the same time in one process, for reasoners that mostly wait: those that call a model."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from skill_selector.evaluation.prediction import TaskRun
from skill_selector.evaluation.runner import Runner
from skill_selector.evaluation.task import LabelledTask

_T = TypeVar("_T")


def run_concurrently(
    tasks: Sequence[LabelledTask], runner: Runner, concurrency: int, report: Callable[[str, int], None]
) -> list[TaskRun]:
    """Return the tasks' runs, in the order of the tasks. Works inside a running event loop too, which it blocks.

    The first error ends the calls that are under way.

    Args:
        tasks: what to select for.
        runner: prepared.
        concurrency: how many tasks may be under way at once.
        report: called with `evaluate` and the number of tasks done.

    Raises:
        SkillSelectorError: as `Runner.arun`.
    """
    return _complete(_gather(tasks, runner, concurrency, report))


async def _gather(
    tasks: Sequence[LabelledTask], runner: Runner, concurrency: int, report: Callable[[str, int], None]
) -> list[TaskRun]:
    runs: list[TaskRun | None] = [None] * len(tasks)
    gate = asyncio.Semaphore(concurrency)
    done = 0

    async def one(at: int, task: LabelledTask) -> None:
        nonlocal done
        async with gate:
            runs[at] = await runner.arun(task)
        done += 1
        report("evaluate", done)

    try:
        async with asyncio.TaskGroup() as group:
            for at, task in enumerate(tasks):
                group.create_task(one(at, task))
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [run for run in runs if run is not None]


def _complete(coroutine: Coroutine[Any, Any, _T]) -> _T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

    async def note_and_run() -> _T:
        started.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await coroutine

    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(copy_context().run, asyncio.run, note_and_run())
        try:
            return future.result()
        except KeyboardInterrupt:
            # The notebook's stop button reaches this thread only.
            for loop, task in started:
                if task:
                    loop.call_soon_threadsafe(task.cancel)
            raise
