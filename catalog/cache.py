"""The user's cache folder: where it lies, one shelf in it for every scanned folder, and what leaves it again.

On a shelf lie `catalog-<version of the code>…` and `index-<versions>`. What else is worth keeping of a root, such as
vectors by content digest, gets a name of its own there (`vectors-<embedder>`), so that new code leaves it alone.
"""

import logging
import os
import shutil
import time
import unicodedata
from functools import lru_cache
from hashlib import blake2b, sha256
from importlib import metadata
from pathlib import Path
from threading import Lock

from skill_selector.catalog.roots import Root

OFF = "off"
"""The value of SELECTOR_CACHE_DIR that works without a snapshot on disk."""
LAYOUT = "snapshots-1"
"""The folder inside the cache folder; another way to lay out shelves takes another name."""

DAY = 86_400.0
UNUSED = 60 * DAY
"""Seconds without use after which a snapshot is removed."""
GONE = 7 * DAY
"""The same where the scanned folder is no longer there; it may be on a drive that comes back."""

_MARKER = "folder.txt"
"""Holds the path of the scanned folder; its time says when the shelf was last used."""

_logger = logging.getLogger(__name__)
_warned: set[str] = set()
_warning = Lock()


class Cache:
    """The folder that holds the snapshots, of this user only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / LAYOUT

    def shelf(self, root: Root) -> Path | None:
        """Return the folder for what is kept of a root, made where needed; None where that is not possible."""
        # The name belongs to the key, since a root that is a skill itself may take its name from it.
        key = blake2b(f"{root.real}\0{root.name}".encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        shelf = self.folder / key
        try:
            _make_private(self.folder)
            marker = shelf / _MARKER
            if not marker.exists():
                self.sweep()
                shelf.mkdir(mode=0o700, exist_ok=True)
                marker.write_text(root.real, encoding="utf-8", errors="surrogateescape")
            touch(marker)
        except OSError as error:
            warn_once(self.folder, error)
            return None
        return shelf

    def sweep(self) -> None:
        """Remove the shelves that nobody used for `UNUSED` seconds, or for `GONE` where their folder is gone."""
        for marker in self.folder.glob(f"*/{_MARKER}"):
            try:
                idle = time.time() - marker.stat().st_mtime
                gone = idle > GONE and not os.path.exists(marker.read_text(encoding="utf-8", errors="surrogateescape"))
            except OSError:  # another process is removing it
                continue
            if gone or idle > UNUSED:
                shutil.rmtree(marker.parent, ignore_errors=True)


def open_cache(setting: str | None = None) -> Cache | None:
    """Return the cache in the folder that SELECTOR_CACHE_DIR names, by default the user's own; None where it is off."""
    if setting is not None and setting.strip().lower() == OFF:
        return None
    if setting is not None:
        return Cache(Path(os.path.abspath(os.path.expanduser(setting))))
    from platformdirs import user_cache_path  # noqa: PLC0415 - not needed where the folder is named

    folder = user_cache_path("skill-selector", appauthor=False)
    return Cache(folder) if folder.is_absolute() else None


def touch(path: Path) -> None:
    """Mark a file or folder as used, at most once a day."""
    if time.time() - path.stat().st_mtime > DAY:
        os.utime(path)


def sweep_shelf(shelf: Path) -> None:
    """Remove what earlier versions of the code kept on a shelf and nobody used for `UNUSED` seconds."""
    for path in shelf.iterdir():
        if path.name != _MARKER and time.time() - path.stat().st_mtime > UNUSED:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def warn_once(folder: Path, error: Exception) -> None:
    """Say once in the life of a process that a folder cannot hold snapshots."""
    with _warning:
        if str(folder) in _warned:
            return
        _warned.add(str(folder))
    _logger.warning(
        "snapshots cannot be kept in %s (%s): every start reads all skills anew; set SELECTOR_CACHE_DIR to a folder "
        "that can be written, or to %s",
        folder,
        error,
        OFF,
    )


@lru_cache(maxsize=8)
def code_version(folder: str, *distributions: str) -> str:
    """Return a short digest of the modules and word lists in a folder and of the versions of what they build on.

    What was kept by other code is then never believed, without a number that somebody has to remember to raise.
    """
    digest = sha256(unicodedata.unidata_version.encode())
    sources = sorted(Path(folder).glob("*.py"))
    for source in [*sources, *sorted(Path(folder).glob("data/*.txt"))]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    for name in distributions if sources else ("skill-selector", *distributions):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            version = "none"
        digest.update(f"\0{name} {version}".encode())
    return digest.hexdigest()[:16]


def _make_private(folder: Path) -> None:
    if not folder.exists():
        folder.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    owner = folder.stat().st_uid
    if hasattr(os, "getuid") and owner != os.getuid():
        raise PermissionError(f"it belongs to user {owner}")
