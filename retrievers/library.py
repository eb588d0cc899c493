"""A scanned catalogue with its index, kept in memory between the steps of a run and between runs."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from threading import Lock

from skill_selector.catalog.cache import Cache, code_version, open_cache, sweep_shelf, touch, warn_once
from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.roots import open_roots
from skill_selector.catalog.scanner import scan
from skill_selector.catalog.skill import Skill
from skill_selector.catalog.snapshot import Snapshots, catalog_version
from skill_selector.graph.errors import SkillDirectoryError
from skill_selector.retrievers.embedder import Embedder
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.snapshot import IndexSnapshot
from skill_selector.retrievers.textkind import SUMMARY, TextKind
from skill_selector.retrievers.vectorindex import VectorIndex

Progress = Callable[[str, int], None]
"""Called with what is going on (`scan`, `index` or `embed`) and how many skills or texts are done."""

KEPT = 4
"""How many catalogues stay in memory."""

_TOKENIZERS = ("jieba", "opencc", "pystemmer")
"""The distributions that decide what the tokens of a text are."""


class Library:
    """A catalogue, what may be chosen from it, and the index over that, built when first asked for."""

    def __init__(self, catalog: Catalog, cache: Cache | None = None) -> None:
        self.catalog = catalog
        self.skills: tuple[Skill, ...] = tuple(skill for skill in catalog.skills if not skill.manual_only)
        self._cache = cache
        self._index: SkillIndex | None = None
        self._vectors: dict[tuple[str, str], VectorIndex] = {}
        self._lock = Lock()

    def index(self, progress: Progress | None = None, fields: Collection[str] = ("source",)) -> SkillIndex:
        """Return the index over `skills`, with at least the named fields built."""
        with self._lock:
            if self._index is None:
                self._index = SkillIndex(self.skills, snapshot=self._snapshot())
            report = (lambda done, _total: progress("index", done)) if progress else None
            self._index.prepare(fields, report)
            return self._index

    def vectors(self, embedder: Embedder, kind: TextKind = SUMMARY) -> VectorIndex:
        """Return the vectors of one text of `skills` under an embedder; nothing is read or made yet."""
        with self._lock:
            found = self._vectors.get((embedder.identity, kind.name))
            if found is None:
                name, cache = f"vectors-{embedder.key}", self._cache
                name += "" if kind is SUMMARY else f"-{kind.name}"
                folders = {root: shelf_folder(cache, root, name) for root in self.catalog.roots} if cache else {}
                found = VectorIndex(self.skills, embedder, folders, self._others(), kind)
                self._vectors[embedder.identity, kind.name] = found
            return found

    def _snapshot(self) -> IndexSnapshot | None:
        if self._cache is None:
            return None
        folders = {root: index_folder(self._cache, root) for root in self.catalog.roots}
        return IndexSnapshot(self.skills, folders, self._others())

    def _others(self) -> list[Skill]:
        """Return what other selections over the same roots may take."""
        chosen = {skill.id for skill in self.skills}
        everything = (*self.catalog.skills, *self.catalog.shadowed)
        return [skill for skill in everything if skill.id not in chosen]


class LibraryCache:
    """The libraries of the last few selections, by the digest of their catalogue.

    Scanning looks at the folders anew each time; only files that changed are read, and only their texts are indexed.
    """

    def __init__(self) -> None:
        self._libraries: OrderedDict[str, Library] = OrderedDict()
        self._snapshots: dict[str | None, Snapshots] = {}
        self._scanning: defaultdict[tuple[str, ...], Lock] = defaultdict(Lock)
        self._lock = Lock()

    def load(self, roots: Sequence[str], progress: Progress | None = None, *, cache_dir: str | None = None) -> Library:
        """Scan the roots, lowest precedence first.

        Args:
            roots: the folders.
            progress: called now and then.
            cache_dir: the setting of that name.

        Raises:
            SkillDirectoryError: a root is missing, is not a folder or cannot be read.
        """
        with self._lock:
            snapshots = self._snapshots.get(cache_dir)
            if snapshots is None:
                snapshots = self._snapshots[cache_dir] = Snapshots(open_cache(cache_dir))
            scanning = self._scanning[tuple(roots)]
        # Several threads at once would all read the same files.
        with scanning:
            report = (lambda done: progress("scan", done)) if progress else None
            catalog = scan(roots, progress=report, snapshots=snapshots)
        with self._lock:
            library = self._libraries.get(catalog.digest) or Library(catalog, snapshots.cache)
            self._libraries[catalog.digest] = library
            self._libraries.move_to_end(catalog.digest)
            while len(self._libraries) > KEPT:
                self._libraries.popitem(last=False)
            return library

    def recall(self, roots: Sequence[str], digest: str, *, cache_dir: str | None = None) -> Library:
        """Return the library that an earlier step loaded; after a restart, what its roots hold now."""
        with self._lock:
            library = self._libraries.get(digest)
        return library or self.load(roots, cache_dir=cache_dir)


def index_folder(cache: Cache, root: str) -> Path | None:
    """Return the folder for a root's segments, made where needed; None where that is not possible."""
    tokens = code_version(str(Path(__file__).parent), *_TOKENIZERS)
    return shelf_folder(cache, root, f"index-{tokens}-{catalog_version()}")


def shelf_folder(cache: Cache, root: str, name: str) -> Path | None:
    """Return a folder on a root's shelf, made where needed; None where that is not possible."""
    try:
        [opened] = open_roots(root)
    except SkillDirectoryError:  # it vanished after the scan
        return None
    shelf = cache.shelf(opened)
    if shelf is None:
        return None
    folder = shelf / name
    try:
        if folder.exists():
            touch(folder)
        else:
            sweep_shelf(shelf)
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        warn_once(shelf, error)
        return None
    return folder
