"""Running a coroutine to its end from synchronous code, whatever its threads are stuck in."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from threading import Thread
from typing import Any, TypeVar

_T = TypeVar("_T")


def run_apart(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Return what the coroutine returns. Works inside a running event loop too, which it blocks.

    Ctrl-C cancels it. A thread that never comes back, as that of a model without an async half, keeps neither this
    call nor the process from ending.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(coroutine)
    result: Future[_T] = Future()
    context = copy_context()
    _in_thread(result, lambda: context.run(_run, coroutine))
    return result.result()


def _run(coroutine: Coroutine[Any, Any, _T]) -> _T:
    async def with_daemons() -> _T:
        asyncio.get_running_loop().set_default_executor(_DaemonExecutor())
        return await coroutine

    return asyncio.run(with_daemons())


def _in_thread(future: "Future[Any]", work: Callable[[], Any]) -> None:
    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = work()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    Thread(target=run, daemon=True).start()


class _DaemonExecutor(ThreadPoolExecutor):
    """A thread for each call, for which nobody waits in the end. The loop takes subclasses of this class only."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        _in_thread(future, lambda: fn(*args, **kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=cancel_futures)
