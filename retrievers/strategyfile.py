"""Ways to choose of a user's own: a YAML file with one entry a strategy.

mine:
  like: detect              # start from a known one; left out: from nothing
  routes:                   # name: weight, or a map with weight, builder, fields and the builder's options
    triggers: 0.5
    similarity: {weight: 0.5, rescale: true}
  combine: mean             # sum, mean or product
  steps: [collapse_copies]
  judge: score              # or rubric: Reason #2
  threshold: 40             # 0 to 100
  gap: 5
  top: 2                    # how many a hit selects
  top_k: 6                  # how many candidates there are
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from skill_selector.graph.errors import SettingError
from skill_selector.retrievers.strategy import RouteSpec, Strategy, get_strategy, strategy_names

LARGEST_FILE = 1_000_000
"""Bytes."""

_KEYS = {
    "combine": "combine",
    "judge": "judge",
    "threshold": "threshold",
    "gap": "gap",
    "top": "take",
    "above": "above",
}
_OTHERS = ("like", "routes", "steps", "top_k")
_KINDS: dict[str, type | tuple[type, ...]] = {
    "combine": str,
    "judge": str,
    "threshold": (int, float),
    "gap": (int, float),
    "top": int,
    "above": bool,
    "top_k": int,
    "like": str,
    "routes": dict,
    "steps": list,
}
_ROUTE_KEYS = ("weight", "builder", "fields")


def load_strategies(path: str) -> Mapping[str, Strategy]:
    """Return the strategies of a file by name, which counts in lower case.

    Raises:
        SettingError: the file cannot be read or used; the message names the entry and what it must be.
    """
    try:
        stat = os.stat(os.path.expanduser(path))
    except OSError as error:
        raise SettingError(f"SELECTOR_STRATEGIES_FILE {path}: {error.strerror or error}") from error
    return _load(os.path.abspath(os.path.expanduser(path)), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4)
def _load(path: str, _mtime: int, size: int) -> Mapping[str, Strategy]:
    import yaml  # noqa: PLC0415 - most runs have no such file

    if size > LARGEST_FILE:
        raise SettingError(f"SELECTOR_STRATEGIES_FILE {path} is larger than {LARGEST_FILE:,} bytes")
    try:
        with open(path, encoding="utf-8-sig") as file:
            given = yaml.safe_load(file)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SettingError(f"SELECTOR_STRATEGIES_FILE {path} cannot be read as YAML: {error}") from error
    if not isinstance(given, dict) or not given:
        raise SettingError(f"SELECTOR_STRATEGIES_FILE {path} must hold names with their strategies")
    try:
        return {str(name).strip().lower(): strategy_of(str(name).strip(), value) for name, value in given.items()}
    except SettingError as error:
        raise SettingError(f"{path}: {error}") from None


def strategy_of(name: str, given: object) -> Strategy:
    """Return the strategy that a mapping describes; its keys are those of the file.

    Raises:
        SettingError: it cannot be used; the message names every fault of its keys.
    """
    if not isinstance(given, Mapping):
        raise SettingError(f"strategy {name!r} must be a map with routes, not {given!r}")
    known = (*_OTHERS, *_KEYS)
    faults = [f"there is no key {key!r}, known are {', '.join(known)}" for key in given if key not in known]
    faults += [f"{key} is {given[key]!r}" for key in given if key in known and not _is_of_kind(key, given[key])]
    if faults:
        raise SettingError(f"strategy {name!r}: {'; '.join(faults)}")
    values = {field: given[key] for key, field in _KEYS.items() if key in given}
    if "steps" in given:
        values["post"] = tuple(map(str, given["steps"]))
    if "routes" in given:
        values["routes"] = tuple(_route(str(one), value) for one, value in given["routes"].items())
    like = _like(name, given["like"]) if "like" in given else None
    if "top_k" in given:
        values["defaults"] = {**(like.defaults if like else {}), "top_k": given["top_k"]}
    # The fused scores are then no longer those that the local rubric was fitted to; Reason #1 may be needed.
    if like:
        changed = {"calibrated": False, "reads_analysis": True} if "routes" in given or "combine" in given else {}
        return replace(like, name=name, **{**changed, **values})
    return Strategy(name=name, routes=values.pop("routes", ()), **values)


def _like(name: str, wanted: str) -> Strategy:
    if wanted.strip().lower() not in strategy_names():
        raise SettingError(f"strategy {name!r}: like is {wanted!r}, which is none of {', '.join(strategy_names())}")
    return get_strategy(wanted)


def _route(name: str, given: object) -> RouteSpec:
    if isinstance(given, Mapping):
        options = {str(key): value for key, value in given.items() if key not in _ROUTE_KEYS}
        own = {key: given[key] for key in _ROUTE_KEYS if key in given}
    else:
        options, own = {}, {"weight": given}
    weight, scored = own.get("weight", 1.0), own.get("fields", {"source": 1.0})
    wrong = isinstance(weight, bool) or not isinstance(weight, int | float | str)
    if wrong or not isinstance(scored, Mapping) or not isinstance(own.get("builder", ""), str):
        raise SettingError(f"route {name!r}: {given!r} cannot be used; give a weight, or a map with weight and options")
    return RouteSpec(name, weight, builder=own.get("builder"), fields=_numbers(name, scored), options=options)


def _numbers(name: str, scored: Mapping[Any, Any]) -> dict[str, float]:
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in scored.values()):
        raise SettingError(f"route {name!r}: fields must be names with numbers, not {dict(scored)!r}")
    return {str(field): float(weight) for field, weight in scored.items()}


def _is_of_kind(key: str, value: object) -> bool:
    return isinstance(value, _KINDS[key]) and (isinstance(value, bool) == (_KINDS[key] is bool))
