"""Ctrl-C that ends the command soon, whatever its threads wait for.

A model call that blocks runs in a thread of the graph's, and the interrupted main thread waits for it: for every retry
of a silent endpoint.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

STOPPED = 130
"""Exit status of a command that was stopped."""
GRACE = 1.5
"""Seconds that the command has to end by itself."""


@contextmanager
def stops_soon() -> Iterator[None]:
    """Give what runs inside `GRACE` seconds to end after Ctrl-C, then end the process with one line on stderr.

    Does nothing outside the main thread, or where somebody else takes care of Ctrl-C.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    timers: list[threading.Timer] = []

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if not timers:
            timer = threading.Timer(GRACE, _end)
            timer.daemon = True
            timer.start()
            timers.append(timer)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for timer in timers:
            timer.cancel()


def _end() -> None:
    multiprocessing = sys.modules.get("multiprocessing")
    for child in multiprocessing.active_children() if multiprocessing else ():
        child.terminate()
    with suppress(OSError, ValueError, AttributeError):
        if sys.stderr.isatty():
            # a spinner that is still on has hidden the cursor
            sys.stderr.write("\r\x1b[K\x1b[?25h")
        sys.stderr.write("skill-selector: stopped\n")
        sys.stderr.flush()
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    os._exit(STOPPED)
