"""One process at a time makes what several want: a lock on a file, which the system ends with its process."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

PATIENCE = 120.0
"""Seconds without any progress of the others after which one goes on beside them: all that costs is work done twice."""
INTERVAL = 0.2
"""Seconds between two looks."""

NAME = "making.lock"


@contextmanager
def claimed(folders: Iterable[Path], progress: Callable[[], int], *, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the folders' locks, waiting for whoever has one as long as that comes forward.

    Where a system or folder has no locks, nothing is waited for.

    Args:
        folders: where the locks lie.
        progress: looks what the others have made, and returns how much is still missing; 0 ends the waiting.
        patience: seconds to wait without progress.
    """
    with ExitStack() as held:
        # in one order for all, so that no two wait for each other
        for folder in sorted(folders):
            descriptor = _open(folder / NAME)
            if descriptor is None:
                continue
            held.callback(os.close, descriptor)
            missing, since = progress(), time.monotonic()
            while missing and not _lock(descriptor) and time.monotonic() - since < patience:
                time.sleep(INTERVAL)
                left = progress()
                if left != missing:
                    missing, since = left, time.monotonic()
        yield


def _open(path: Path) -> int | None:
    with suppress(OSError):
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    return None


def _lock(descriptor: int) -> bool:
    """Try to take the lock, and tell whether it was free or cannot be had at all."""
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a folder on a network, for one
        return True
    return True
