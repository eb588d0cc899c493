"""The files that a skill brings along."""

import os
from collections import deque
from dataclasses import dataclass

from skill_selector.catalog.roots import forward
from skill_selector.catalog.walker import PRUNED, SKILL_FILE
from skill_selector.injection.confinement import MOST_PATH, is_inside
from skill_selector.prompts.fencing import clean, fence
from skill_selector.prompts.shortening import estimate_tokens

MOST_LISTED = 60
MOST_SEEN = 2_000
"""Files and folders that are looked at."""
MOST_DEPTH = 6
_BRACKETS = set("<>＜＞﹤﹥")


@dataclass(frozen=True, slots=True)
class Resources:
    """The files below a skill's folder besides its SKILL.md, by path, those further up first."""

    files: tuple[tuple[str, int], ...]
    """Each path, relative and with forward slashes, with the file's size in bytes."""
    more: int
    """Files that are there besides: beyond the bound, or with names that cannot be shown."""
    complete: bool
    """False where there may be further ones still, beyond what was looked at."""

    def render(self, tokens: int) -> str:
        """Return the `<skill_resources>` block with as many files as fit; empty where there are none."""
        lines: list[str] = []
        for path, size in self.files:
            line = f'<file bytes="{size}">{path}</file>'
            tokens -= estimate_tokens(line) + 1
            if tokens < 0:
                break
            lines.append(line)
        left = len(self.files) - len(lines) + self.more
        if left or not self.complete:
            lines.append(f"<left_out>{'at least ' if not self.complete else ''}{left:,} more files</left_out>")
        return fence("skill_resources", "\n".join(lines)) if lines else ""


def list_resources(folder: str) -> Resources:
    """Return the files that can be read on demand. Links, hidden files and other people's packages are not among them.

    Blocks. A folder that cannot be read counts as empty.

    Args:
        folder: the skill's folder, with every link resolved.
    """
    files: list[tuple[str, int]] = []
    hidden_names = seen = 0
    waiting = deque([("", 0)])
    while waiting and seen < MOST_SEEN:
        relative, depth = waiting.popleft()
        for entry in _entries(os.path.join(folder, *relative.split("/")) if relative else folder):
            seen += 1
            if seen > MOST_SEEN:
                break
            path = f"{relative}/{entry.name}" if relative else entry.name
            if entry.name.startswith(".") or path == SKILL_FILE:
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in PRUNED and depth < MOST_DEPTH:
                    waiting.append((path, depth + 1))
                continue
            size = _size(entry, folder)
            if size is not None and _can_be_shown(path):
                files.append((path, size))
            elif size is not None:
                hidden_names += 1
    more = max(0, len(files) - MOST_LISTED) + hidden_names
    return Resources(tuple(files[:MOST_LISTED]), more, seen <= MOST_SEEN and not waiting)


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as listing:
            return sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return []


def _size(entry: os.DirEntry[str], folder: str) -> int | None:
    """Return the size of a regular file, also behind a link that stays inside; None for everything else."""
    try:
        if not entry.is_file() or (entry.is_symlink() and not is_inside(os.path.realpath(entry.path), folder)):
            return None
        return entry.stat().st_size
    except OSError:
        return None


def _can_be_shown(path: str) -> bool:
    """Tell whether a path can stand in a prompt as it is, and can be asked for again."""
    plain = clean(path) == path == forward(path) and path.isprintable() and "\\" not in path
    return plain and len(path) <= MOST_PATH and not _BRACKETS & set(path)
