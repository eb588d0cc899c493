"""What a model said of chunks, on disk: by content, so that a moved file is not asked about again."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from skill_selector.catalog.cache import Cache
from skill_selector.catalog.store import Store
from skill_selector.knowledge.base import KnowledgeBase
from skill_selector.knowledge.chunk import Chunk, digest_of
from skill_selector.knowledge.registry import SkillRegistry

Said = Mapping[str, float] | None
"""Confidence by skill id, 0 to 1; None where the model did not answer."""


class TagStore:
    """The file of one folder and one set of definitions; several processes may write to it."""

    def __init__(self, base: KnowledgeBase, file: Path) -> None:
        self.base = base
        self._file = file
        self._store = Store(file)

    @classmethod
    def open(cls, base: KnowledgeBase, registry: SkillRegistry, cache: Cache | None) -> "TagStore | None":
        """Return the store; None where nothing can be kept or no skill is defined."""
        shelf = cache.shelf(base.root) if cache and len(registry) else None
        return cls(base, shelf / f"knowledge-tags-1-{registry.digest}.sqlite") if shelf else None

    @property
    def version(self) -> str:
        """Another one where the file has changed."""
        found = []
        for name in (self._file.name, f"{self._file.name}-wal"):
            try:
                status = self._file.with_name(name).stat()
            except OSError:
                continue
            if status.st_size:
                found.append(f"{status.st_size} {status.st_mtime_ns}")
        return " ".join(found)

    def tags(self) -> dict[str, Said]:
        """Return what was said, by chunk id; chunks that no model was asked about are missing."""
        records = self._store.read()
        found: dict[str, Said] = {}
        for chunk in self.base.chunks if records else ():
            record = records.get(content_key(chunk))
            if record is not None:
                found[chunk.id] = _read(record)
        return found

    def keep(self, said: Iterable[tuple[Chunk, Said, str]]) -> bool:
        """Keep what was said of chunks, with the reason where it is None; tell whether that worked."""
        return self._store.write((content_key(chunk), _write(tags, why)) for chunk, tags, why in said)


def content_key(chunk: Chunk) -> str:
    """Return what a chunk's tags hang on."""
    return digest_of(chunk.type, chunk.title, chunk.text)


def _write(tags: Said, why: str) -> bytes:
    value = {"failed": why} if tags is None else {"tags": dict(tags)}
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _read(record: bytes) -> Said:
    try:
        tags = json.loads(record.decode("utf-8", "surrogatepass")).get("tags")
    except (ValueError, AttributeError):
        return None
    if not isinstance(tags, dict):
        return None
    return {str(name): float(sure) for name, sure in tags.items() if isinstance(sure, int | float)}
