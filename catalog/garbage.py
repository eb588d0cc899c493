"""Holding Python's search for cyclic garbage back while many objects are made that all stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_holders = 0
_resume = False


@contextmanager
def paused_collection() -> Iterator[None]:
    """Make tens of thousands of lasting objects in half the time: the collector goes through all of them repeatedly.

    It is the whole process's, so this is for seconds, and for code that makes no cycles. Several threads may be inside.
    """
    global _holders, _resume  # noqa: PLW0603 - the collector is global itself
    with _lock:
        if not _holders:
            _resume = gc.isenabled()
            gc.disable()
        _holders += 1
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            if not _holders and _resume:
                if not gc.get_freeze_count():
                    # Moves what is there to the oldest generation, which else takes a search through all of it.
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()
