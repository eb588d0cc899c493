"""Which routes a skill's category takes, how much each counts, and which types of chunks come first: one table."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from skill_selector.graph.errors import SettingError
from skill_selector.knowledge.chunk import CHUNK_TYPES
from skill_selector.retrievers.text import normalize

DEFAULT = "default"
FIELDS = ("routes", "first", "categories")


@dataclass(frozen=True, kw_only=True)
class ContextStrategy:
    """How context is looked for."""

    name: str
    routes: Mapping[str, float]
    """Weight of each route, more than 0. Only their proportions count."""
    first: tuple[str, ...] = ()
    """Types of chunks that stand before the skill's own preferences."""
    categories: tuple[str, ...] = ()
    """Other spellings of the category."""

    def to_dict(self) -> dict[str, Any]:
        """Return what results show."""
        return {"name": self.name, "routes": dict(self.routes), "first": list(self.first)}


STRATEGIES: tuple[ContextStrategy, ...] = (
    ContextStrategy(
        name="code_generation",
        routes={"tags": 0.5, "names": 0.3, "semantic": 0.2},
        categories=("code generation", "code_generate", "coding", "代码生成", "编写代码"),
    ),
    ContextStrategy(
        name="fault_finding",
        routes={"error_codes": 0.6, "semantic": 0.4},
        first=("solution_article",),
        categories=("troubleshooting", "debugging", "diagnosis", "incident", "故障排查", "故障诊断", "错误排查"),
    ),
    ContextStrategy(
        name="data_query",
        routes={"tags": 0.4, "keywords": 0.4, "names": 0.2},
        categories=("sql", "data query", "database", "数据查询", "数据库查询"),
    ),
    ContextStrategy(name=DEFAULT, routes={"tags": 0.4, "names": 0.2, "keywords": 0.2, "semantic": 0.2}),
)
"""Source 002: the first two from its rules, `data_query` from its worked example (A, B and C); the last is ours."""


def strategy_table(own: Mapping[str, Any] | None = None, routes: Collection[str] = ()) -> dict[str, ContextStrategy]:
    """Return the strategies by name, with a caller's own in front of or beside ours.

    Args:
        own: by name of a strategy, a mapping of `routes` (name to weight), `first` and `categories`, each optional
            where the strategy is one of ours.
        routes: the names of all routes that there are.

    Raises:
        SettingError: it cannot be used; the message names every fault.
    """
    table = {one.name: one for one in STRATEGIES}
    faults: list[str] = []
    if not isinstance(own, Mapping | None):
        raise SettingError(f"strategies={own!r}: pass a mapping of names to mappings of {', '.join(FIELDS)}")
    for name, value in (own or {}).items():
        found = _read(name, value, table.get(name), routes, faults)
        if found:
            # a caller's own come first, so that they win a category that one of ours has too
            table = {name: found, **{key: one for key, one in table.items() if key != name}}
    if faults:
        raise SettingError("; ".join(faults))
    return table


def strategy_for(category: str, table: Mapping[str, ContextStrategy]) -> ContextStrategy:
    """Return the strategy of a category, however it is spelled; the default where it has none."""
    wanted = _key(category)
    for one in table.values():
        if wanted in {_key(name) for name in (one.name, *one.categories)}:
            return one
    return table[DEFAULT]


def _key(category: str) -> str:
    return " ".join(normalize(category).replace("_", " ").replace("-", " ").split())


def _read(
    name: object, value: Any, known: ContextStrategy | None, routes: Collection[str], faults: list[str]
) -> ContextStrategy | None:
    before = len(faults)
    label = f"strategies[{name!r}]"
    if not isinstance(name, str) or not name.strip() or not isinstance(value, Mapping):
        faults.append(f"{label} is {value!r}: it must be a mapping of {', '.join(FIELDS)} under a name")
        return None
    faults += [f"{label} has {key!r}; there are {', '.join(FIELDS)}" for key in value if key not in FIELDS]
    base = known or ContextStrategy(name=name, routes={})
    weights = value.get("routes", base.routes)
    faults += _weight_faults(label, weights, routes)
    first = _texts(value.get("first", base.first))
    categories = _texts(value.get("categories", base.categories))
    if first is None or categories is None:
        faults.append(f"{label}: first and categories must be lists of texts")
    elif set(first) - set(CHUNK_TYPES):
        unknown = ", ".join(one for one in first if one not in CHUNK_TYPES)
        faults.append(f"{label}['first'] holds {unknown}; the types are {', '.join(CHUNK_TYPES)}")
    if len(faults) > before:
        return None
    return replace(base, routes=dict(weights), first=first or (), categories=categories or ())


def _weight_faults(label: str, weights: Any, routes: Collection[str]) -> list[str]:
    if not isinstance(weights, Mapping) or not weights:
        return [f"{label} needs 'routes', a mapping of names to weights; there are {', '.join(routes)}"]
    faults = []
    for route, weight in weights.items():
        if routes and route not in routes:
            near = get_close_matches(str(route), routes, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(routes)}"
            faults.append(f"{label}: there is no route {route!r}; {hint}")
        number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not number or not 0 < weight < float("inf"):
            faults.append(f"{label}: the weight of {route} is {weight!r}; it must be a number more than 0")
    return faults


def _texts(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return tuple(value)
    return None
