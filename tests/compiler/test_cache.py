"""Compiled contexts are kept within bounds, and only whole ones."""

from skill_selector.compiler.cache import ContextCache

WHOLE = {"reason": "compiled", "degraded": [], "manifest": []}


def test_what_was_put_comes_back_and_cannot_be_changed_from_outside() -> None:
    cache = ContextCache()
    cache.put("k", WHOLE)
    found = cache.get("k")
    assert found == WHOLE
    found["manifest"].append(1)
    assert cache.get("k") == WHOLE
    assert cache.get("other") is None


def test_the_oldest_goes_first() -> None:
    cache = ContextCache(2)
    for key in "ab":
        cache.put(key, WHOLE)
    cache.get("a")
    cache.put("c", WHOLE)
    assert cache.get("b") is None
    assert cache.get("a") and cache.get("c")  # noqa: PT018
    assert len(cache) == 2


def test_what_something_was_missing_from_is_not_kept() -> None:
    cache = ContextCache()
    cache.put("k", {**WHOLE, "degraded": [{"what": "route names"}]})
    cache.put("k", {**WHOLE, "reason": "fallback"})
    assert cache.get("k") is None
