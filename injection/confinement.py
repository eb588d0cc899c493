"""Opening a file that somebody else names, inside a folder and nowhere else.

The name is checked, links are resolved, and then every part of the resolved path is opened below its parent without
following links: what changes between the check and the opening is refused as well.
"""

import os
import re
import stat
from collections.abc import Sequence

from skill_selector.graph.errors import SkillAccessError

MOST_PATH = 1024
"""Characters of a path."""

_DRIVE = re.compile(r"[A-Za-z]:")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0) | _NO_LINK
# Without O_NONBLOCK the opening of a pipe would wait for ever.
_FILE = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | _NO_LINK
)


def split_path(path: str) -> tuple[str, ...]:
    """Return the parts of a relative path with forward slashes.

    Raises:
        SkillAccessError: it is empty, absolute, too long, leads upwards, names something hidden, or is no path.
    """
    parts = tuple(part for part in path[: MOST_PATH + 1].split("/") if part not in ("", "."))
    faults = (
        (len(path) > MOST_PATH, f"it has more than {MOST_PATH:,} characters"),
        ("\\" in path, "it has a backslash; write forward slashes"),
        (path.startswith(("/", "~")) or bool(_DRIVE.match(path)), "it is not relative to the skill's folder"),
        (".." in parts, "it leads out of the skill's folder"),
        (any(part.startswith(".") for part in parts), "it names something hidden"),
        (not path.isprintable(), "it has characters that cannot be seen"),
        (not parts, "it names no file"),
    )
    for wrong, why in faults:
        if wrong:
            raise SkillAccessError(f"the path {path[:100]!r} is refused: {why}")
    return parts


def open_inside(folder: str, parts: Sequence[str], base: str) -> int:
    """Return a descriptor of a regular file, open for reading. Blocks.

    Args:
        folder: the folder to stay in, with every link resolved.
        parts: the file's place in it.
        base: `folder` or one above it, with every link resolved: from here on no link is followed.

    Raises:
        SkillAccessError: the file lies outside, or is not a regular file.
        OSError: it cannot be opened.
    """
    shown = "/".join(parts)
    real = os.path.realpath(os.path.join(folder, *parts))
    if not is_inside(real, folder):
        raise SkillAccessError(f"{shown!r} is refused: it is a link that leads out of the skill's folder")
    below = os.path.relpath(real, base).split(os.sep)
    descriptor = _open_below(base, below) if os.open in os.supports_dir_fd else _open_checked(real)
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
    except BaseException:
        os.close(descriptor)
        raise
    if not regular:
        os.close(descriptor)
        raise _not_regular(shown)
    return descriptor


def is_inside(path: str, folder: str) -> bool:
    """Tell whether a path lies below a folder; both with every link resolved."""
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _open_below(base: str, parts: Sequence[str]) -> int:
    descriptor = os.open(base, _FOLDER)
    try:
        for part in parts[:-1]:
            below = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        # A device may do something when it is opened, so it must not be.
        if not stat.S_ISREG(os.stat(parts[-1], dir_fd=descriptor, follow_symlinks=False).st_mode):
            raise _not_regular(parts[-1])
        return os.open(parts[-1], _FILE, dir_fd=descriptor)
    finally:
        os.close(descriptor)


def _open_checked(real: str) -> int:
    # Windows opens nothing below a descriptor; whoever can swap folders there can do more than read a file.
    if not stat.S_ISREG(os.lstat(real).st_mode):
        raise _not_regular(os.path.basename(real))
    return os.open(real, _FILE)


def _not_regular(shown: str) -> SkillAccessError:
    return SkillAccessError(f"{shown!r} is refused: it is a folder, a device or a pipe, not a file")
