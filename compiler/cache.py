"""Compiled contexts of this process, by skill, parameters and knowledge (source 002)."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

KEPT = 128
"""Contexts."""


class ContextCache:
    """The contexts that were compiled last. Threads may share it."""

    def __init__(self, size: int = KEPT) -> None:
        self._size = size
        self._known: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> dict[str, Any] | None:
        """Return a copy of what is kept under a key."""
        with self._lock:
            found = self._known.get(key)
            if found is None:
                return None
            self._known.move_to_end(key)
        copy: dict[str, Any] = json.loads(found)
        return copy

    def put(self, key: str, context: Mapping[str, Any]) -> None:
        """Keep a context; one that something was missing from is not kept, so that the next run tries again."""
        if context.get("degraded") or context.get("reason") != "compiled" or self._size < 1:
            return
        text = json.dumps(context, ensure_ascii=False)
        with self._lock:
            self._known[key] = text
            self._known.move_to_end(key)
            while len(self._known) > self._size:
                self._known.popitem(last=False)

    def __len__(self) -> int:
        return len(self._known)
