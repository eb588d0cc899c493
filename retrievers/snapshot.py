"""The index on disk: for every root a folder of segments, whose documents are known by what they hold.

Segments are added and never changed. Which of their documents count follows from the catalogue at hand, so that no
list of segments has to be kept right: several processes may add and merge at once, and one that stops in the middle
leaves nothing behind that another one would believe.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np

from skill_selector.catalog.cache import warn_once
from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.arrayfile import sweep_unfinished, worth_merging
from skill_selector.retrievers.blocks import DamagedError
from skill_selector.retrievers.merged import MergedPostings, Part, merge
from skill_selector.retrievers.postings import Postings
from skill_selector.retrievers.segment import KEY_LENGTH, SUFFIX, Segment, write_segment

Build = Callable[[Sequence[Skill]], tuple[Postings, Collection[int]]]
"""Makes the postings of some skills, and says which of them were read from files that changed since the scan."""

TRIES = 3
"""How often another process may remove, or something damage, what is about to be read."""


class _Root(NamedTuple):
    """The skills of one root."""

    folder: Path | None
    positions: dict[bytes, int]
    """Where in the index each key's skill is, in order."""
    alive: tuple[bytes, ...]
    """The keys of all skills of the root, those last that the index leaves out."""


class IndexSnapshot:
    """What is on disk of an index over the skills of some roots."""

    def __init__(
        self, skills: Sequence[Skill], folders: Mapping[str, Path | None], others: Sequence[Skill] = ()
    ) -> None:
        """Take the skills that an index is over.

        Args:
            skills: those skills, in order.
            folders: by root, the folder of its segments; None where nothing can be kept.
            others: skills of the same roots that this index leaves out, but that one over fewer roots may hold.
        """
        self._skills = tuple(skills)
        self._roots = [self._root(root, folders.get(root), others) for root in dict.fromkeys(s.root for s in skills)]

    def _root(self, root: str, folder: Path | None, others: Sequence[Skill]) -> _Root:
        places = [at for at, skill in enumerate(self._skills) if skill.root == root]
        own = [self._skills[at] for at in places]
        left_out = [skill for skill in others if skill.root == root]
        positions = dict(zip(document_keys(own), places, strict=True))
        return _Root(folder, positions, tuple(dict.fromkeys([*positions, *document_keys([*own, *left_out])])))

    def open(self, field: str, build: Build) -> Postings | MergedPostings:
        """Return the postings of a field, making and keeping those that are not there yet."""
        parts = [part for root in self._roots for part in self._parts(field, root, build)]
        size = len(self._skills)
        if len(parts) == 1 and np.array_equal(parts[0].places, np.arange(size)):
            return parts[0].postings
        return MergedPostings(parts, size)

    def drop(self, path: Path) -> None:
        """Remove a segment that turned out to be damaged."""
        _remove([path])

    def _parts(self, field: str, root: _Root, build: Build) -> list[Part]:
        for _ in range(TRIES):
            try:
                return self._parts_with(_open_all(root.folder, field), field, root, build)
            except DamagedError as error:
                _remove([error.path])
        return self._parts_with([], field, root._replace(folder=None), build)

    def _parts_with(self, segments: list[Segment], field: str, root: _Root, build: Build) -> list[Part]:
        missing = _assign(segments, root.positions)[1]
        built = None
        if missing:
            built, unsure = build([self._skills[at] for at in missing.values()])
            if root.folder:
                segments += _keep(root.folder, field, built, [*missing], unsure)
        if root.folder:
            segments = _tidy(segments, field, root.folder, root.alive)
        parts, left = _assign(segments, root.positions)
        if built is not None and left:
            parts.append(Part(built, _places(missing, left)))
        return parts


def document_keys(skills: Iterable[Skill]) -> Iterator[bytes]:
    """Yield a key for each skill, `KEY_LENGTH` bytes, another one where its texts are.

    Those follow from the file's content and from the name, which may be the folder's. Copies are counted.
    """
    seen: Counter[str] = Counter()
    for skill in skills:
        content = f"{skill.digest}\0{skill.name}"
        number = seen[content]
        seen[content] = number + 1
        text = f"{content}\0{number}".encode("utf-8", "surrogatepass")
        yield blake2b(text, digest_size=KEY_LENGTH).digest()


def _open_all(folder: Path | None, field: str) -> list[Segment]:
    """Return the segments of a field, the largest first: of documents that several hold, the first one's counts."""
    for _ in range(TRIES if folder else 0):
        assert folder is not None  # noqa: S101 - for the type checker
        try:
            segments = [Segment.open(path) for path in sorted(folder.glob(f"{field}-*{SUFFIX}"))]
        except FileNotFoundError:  # merged by another process, which wrote the merged one before
            continue
        except OSError as error:
            warn_once(folder, error)
            break
        return sorted(segments, key=lambda one: -one.size)
    return []


def _assign(segments: Sequence[Segment], positions: Mapping[bytes, int]) -> tuple[list[Part], dict[bytes, int]]:
    """Return the segments that hold any of the keys, with their places, and the keys that none of them holds."""
    left = dict(positions)
    parts = []
    for segment in segments:
        places = np.fromiter((left.pop(key, -1) for key in segment.keys), dtype=np.int32, count=segment.size)
        if (places >= 0).any():
            parts.append(Part(segment, places))
    return parts, left


def _places(keys: Collection[bytes], positions: Mapping[bytes, int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.fromiter((positions.get(key, -1) for key in keys), dtype=np.int32, count=len(keys))


def _keep(
    folder: Path, field: str, postings: Postings, keys: Sequence[bytes], unsure: Collection[int] = ()
) -> list[Segment]:
    """Write postings, without the unsure documents, and return the segment; none where that is not possible."""
    if unsure:
        sure = [at for at in range(len(keys)) if at not in unsure]
        keys = [keys[at] for at in sure]
        places = np.full(postings.size, -1, dtype=np.int32)
        places[sure] = np.arange(len(sure))
        postings = merge([Part(postings, places)], len(sure))
    if not keys:
        return []
    name = blake2b(b"".join(sorted(keys)), digest_size=8).hexdigest()
    path = folder / f"{field}-{name}{SUFFIX}"
    try:
        sweep_unfinished(folder)
        write_segment(path, postings, b"".join(keys))
    except OSError as error:
        warn_once(folder, error)
        return []
    try:
        return [Segment.open(path)]
    except (OSError, DamagedError):  # another process has merged it already
        return []


def _tidy(segments: list[Segment], field: str, folder: Path, alive: Sequence[bytes]) -> list[Segment]:
    """Remove and merge segments where that pays, and return those that are left, the largest first.

    A segment without a document that counts goes; which of the others are merged, `worth_merging` says.
    """
    segments = sorted(segments, key=lambda one: -one.size)
    if len(segments) <= 1 and sum(one.size for one in segments) <= 2 * len(alive):
        return segments
    parts, _ = _assign(segments, {key: at for at, key in enumerate(alive)})
    used = [part.postings for part in parts]
    idle = [one for one in segments if one not in used]
    sizes = [(int((part.places >= 0).sum()), part.postings.size) for part in parts]
    merging = [parts[at] for at in worth_merging(sizes)]
    merged = _merge(merging, field, folder, alive) if merging else []
    if merged:
        idle += [part.postings for part in merging if isinstance(part.postings, Segment)]
    written = {one.path for one in merged}
    _remove(one.path for one in idle if one.path not in written)
    left = [one for one in segments if one not in idle]
    return sorted([*left, *merged], key=lambda one: -one.size)


def _merge(parts: Sequence[Part], field: str, folder: Path, alive: Sequence[bytes]) -> list[Segment]:
    """Write one segment of all documents that count, in the order of the catalogue, so that it may serve by itself."""
    for part in parts:
        if isinstance(part.postings, Segment):
            part.postings.check()
    positions = np.sort(np.concatenate([part.places[part.places >= 0] for part in parts]))
    numbers = np.full(len(alive) + 1, -1, dtype=np.int32)  # the last one serves the documents without a place
    numbers[positions] = np.arange(len(positions))
    renumbered = [Part(part.postings, numbers[part.places]) for part in parts]
    return _keep(folder, field, merge(renumbered, len(positions)), [alive[at] for at in positions.tolist()])


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)
