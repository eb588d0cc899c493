"""The folders that a scan is asked to look into."""

import errno
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from skill_selector.graph.errors import SkillDirectoryError

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Root:
    """One folder to scan."""

    path: str
    """Absolute, links not resolved, in the system's own form."""
    real: str
    """The same with every link resolved."""
    shown: str
    """The path with forward slashes."""

    @property
    def name(self) -> str:
        """The folder's own name."""
        return os.path.basename(self.path) or "root"


def forward(path: str) -> str:
    """Return a path with forward slashes, bytes in it that are not UTF-8 replaced."""
    if not path.isascii():
        path = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return path if os.sep == "/" else path.replace(os.sep, "/")


def open_roots(paths: AnyPath | Sequence[AnyPath]) -> list[Root]:
    """Check the folders and return them in the given order; of a folder given twice, the last place counts.

    Raises:
        SkillDirectoryError: some are missing, are not folders, or cannot be read; the message names every one of them.
    """
    given = _several(paths)
    roots: dict[str, Root] = {}
    faults = []
    for path in given:
        try:
            root = _open_root(path)
        except SkillDirectoryError as error:
            faults.append(str(error))
        else:
            roots.pop(root.real, None)
            roots[root.real] = root
    if faults:
        raise SkillDirectoryError("; ".join(faults))
    return list(roots.values())


def list_paths(paths: object) -> list[str]:
    """Return one path or several as a list of text, without a look at the disk.

    Raises:
        SkillDirectoryError: none is given, or some are no paths.
    """
    return [_text(path) for path in _several(paths)]


def _several(paths: object) -> list[Any]:
    if paths is None:
        paths = ()
    if isinstance(paths, str | os.PathLike):
        return [paths]
    if isinstance(paths, bytes | bytearray | Mapping) or not isinstance(paths, Iterable):
        raise SkillDirectoryError(f"skills folders must be given as a path or a list of paths, not as {paths!r}")
    given = list(paths)
    if not given:
        raise SkillDirectoryError("no skills folder is given; pass at least one")
    return given


def _text(given: object) -> str:
    text = os.fspath(given) if isinstance(given, str | os.PathLike) else given
    if not isinstance(text, str):
        raise SkillDirectoryError(f"a skills folder must be given as a path, not as {given!r}")
    if not text.strip():
        raise SkillDirectoryError(f"{text!r} is no path of a skills folder; pass the path of one")
    return text


def _open_root(given: object) -> Root:
    text = _text(given)
    try:
        path = os.path.abspath(os.path.expanduser(text))
    except FileNotFoundError:
        # only the lookup of the working folder can fail here
        raise SkillDirectoryError(
            f"{text} cannot be found: the working folder has been deleted; change to another one, or pass a whole path"
        ) from None
    fault = _fault(path)
    if fault:
        raise SkillDirectoryError(fault)
    return Root(path, os.path.realpath(path), forward(path))


def _fault(path: str) -> str | None:
    """Return what keeps a folder from being scanned, and the way out."""
    try:
        if not stat.S_ISDIR(os.stat(path).st_mode):
            return f"{path} is a file, not a skills folder; pass the folder that holds the skills"
        os.scandir(path).close()
    except (FileNotFoundError, NotADirectoryError):
        return f"there is no skills folder {path}; {_way_out(path)}"
    except OSError as error:
        if error.errno == errno.ELOOP:
            return f"the skills folder {path} is a link that leads back to itself; correct it or pass another folder"
        reason = error.strerror or error
        return f"the skills folder {path} cannot be read ({reason}); check its permissions or pass another one"
    except ValueError as error:
        return f"{path!r} is no path ({error}); pass the path of a skills folder"
    return None


def _way_out(path: str) -> str:
    """Return what to try instead of a path that does not exist."""
    if os.path.islink(path):
        return f"it is a link to {os.readlink(path)}, which is missing; correct the link or pass another folder"
    missing = path
    parent = os.path.dirname(path)
    while parent != os.path.dirname(parent) and not os.path.exists(parent):
        missing, parent = parent, os.path.dirname(parent)
    if not os.path.isdir(parent):
        return f"{parent} is a file"
    try:
        with os.scandir(parent) as entries:
            names = [entry.name for entry in entries if entry.is_dir()]
    except OSError:
        names = []
    wanted = os.path.basename(missing)
    near = get_close_matches(wanted.lower(), [name.lower() for name in names], n=1)
    if near:
        name = next(name for name in names if name.lower() == near[0])
        return f"did you mean {os.path.join(parent, name)}?"
    if missing != path:
        return f"{parent} exists, but holds no {wanted}"
    return "check the path, or create the folder"
