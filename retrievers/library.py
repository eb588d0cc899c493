"""A scanned catalogue with its index, kept in memory between the steps of a run and between runs."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.scanner import scan
from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.index import SkillIndex

Progress = Callable[[str, int], None]
"""Called with what is going on (`scan` or `index`) and how many skills are done."""

KEPT = 4
"""How many catalogues stay in memory."""


class Library:
    """A catalogue, what may be chosen from it, and the index over that, built when first asked for."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.skills: tuple[Skill, ...] = tuple(skill for skill in catalog.skills if not skill.manual_only)
        self._index: SkillIndex | None = None
        self._lock = Lock()

    def index(self, progress: Progress | None = None) -> SkillIndex:
        """Return the index over `skills`."""
        with self._lock:
            if self._index is None:
                report = (lambda done, _total: progress("index", done)) if progress else None
                self._index = SkillIndex.build(self.skills, progress=report)
            return self._index


class LibraryCache:
    """The libraries of the last few selections, by the digest of their catalogue.

    Scanning looks at the folders anew each time; the index is rebuilt only when something in them changed.
    """

    def __init__(self) -> None:
        self._libraries: OrderedDict[str, Library] = OrderedDict()
        self._lock = Lock()

    def load(self, roots: Sequence[str], progress: Progress | None = None) -> Library:
        """Scan the roots, lowest precedence first.

        Raises:
            SkillDirectoryError: a root is missing, is not a folder or cannot be read.
        """
        catalog = scan(roots, progress=(lambda done: progress("scan", done)) if progress else None)
        with self._lock:
            library = self._libraries.get(catalog.digest) or Library(catalog)
            self._libraries[catalog.digest] = library
            self._libraries.move_to_end(catalog.digest)
            while len(self._libraries) > KEPT:
                self._libraries.popitem(last=False)
            return library

    def recall(self, roots: Sequence[str], digest: str) -> Library:
        """Return the library that an earlier step loaded; after a restart, what its roots hold now."""
        with self._lock:
            library = self._libraries.get(digest)
        return library or self.load(roots)
