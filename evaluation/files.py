"""Files that are written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from skill_selector.graph.errors import EvaluationError


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text so that a reader finds the old file or the whole new one, also after a crash.

    What is no ordinary file, such as `/dev/stdout`, is written to as it is. Half characters, from file names that are
    no UTF-8, become the escapes that JSON has for them.

    Raises:
        EvaluationError: it cannot be written.
    """
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name}.{uuid4().hex[:8]}.part")
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
            return
        with part.open("x", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise EvaluationError(f"{os.fspath(path)} cannot be written: {error.strerror or error}") from error


def check_writable(path: str | os.PathLike[str]) -> None:
    """Find out before a long run that `write_whole` would fail after it.

    Raises:
        EvaluationError: the folder is missing or cannot be written to, or the path is a folder.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise EvaluationError(f"{os.fspath(path)} is a folder; name a file")
    if not target.parent.is_dir():
        raise EvaluationError(f"{os.fspath(path)} cannot be written: there is no folder {target.parent}; make it first")
    if not os.access(target.parent if target.is_file() or not target.exists() else target, os.W_OK):
        raise EvaluationError(f"{os.fspath(path)} cannot be written: permission denied")
