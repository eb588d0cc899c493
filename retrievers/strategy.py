"""Ways to choose, by name: which routes search, how their scores combine, what happens next, what decides."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from threading import Lock
from types import MappingProxyType
from typing import Any, Literal, get_args

from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError
from skill_selector.graph.settings import Settings, resolve_settings
from skill_selector.retrievers.fields import FIELDS
from skill_selector.retrievers.textkind import DESCRIBED, STARTED, SUMMARY, TextKind, text_kind

SEMANTIC, SIMILARITY = "semantic", "similarity"
"""The builders of the routes over vectors."""

Combine = Literal["sum", "mean", "product"]
"""In a mean, a route that cannot say anything of a skill hands its weight to the others."""
Judge = Literal["rubric", "score"]

MOST_CANDIDATES = 50
"""What a strategy takes that takes all candidates: `top_k` can be no more."""

WITHOUT_FIELDS = frozenset({SIMILARITY, "triggers", "context", "effectiveness"})
"""Builders of routes that look at no field of the index."""

_SETTING_NAMES = frozenset(one.name for one in fields(Settings))


@dataclass(frozen=True)
class RouteSpec:
    """One route of a strategy.

    `weight` is a number of 0 or more, or the name of the setting that holds it. In a product it is the exponent.
    `builder` names an entry of `routes.ROUTES`; None stands for the route's own name. `fields` are the fields of the
    index that a text route scores, with their weights. `options` are for the builder.
    """

    name: str
    weight: float | str = 1.0
    builder: str | None = None
    fields: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({"source": 1.0}), hash=False)
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), hash=False)

    def __post_init__(self) -> None:
        strangers = [name for name in self.fields if name not in FIELDS]
        if strangers:
            known = ", ".join(FIELDS)
            raise SettingError(f"route {self.name!r}: the index has no field {strangers[0]!r}; its fields are {known}")
        if isinstance(self.weight, str):
            if self.weight not in _SETTING_NAMES:
                raise SettingError(f"route {self.name!r}: its weight is no setting's name: {self.weight!r}")
        elif not (isfinite(self.weight) and self.weight >= 0):
            raise SettingError(f"route {self.name!r}: its weight is {self.weight}; it must be a number of 0 or more")

    def weight_in(self, settings: Settings) -> float:
        """Return the weight that holds in a run with these settings."""
        return float(getattr(settings, self.weight)) if isinstance(self.weight, str) else float(self.weight)


@dataclass(frozen=True)
class Strategy:
    """A way to choose. None stands for the run's own setting.

    `post` names steps of `steps.POST_STEPS`, in order. `judge` is what decides: Reason #2's rubric, or the fused score
    itself, 0 to 1, shown as 0 to 100. `threshold` and `gap` are on that scale of 0 to 100, and beat the run's settings;
    `above` asks for more than the threshold instead of reaching it. `take` is how many skills a hit selects at most.
    `defaults` are settings that hold where the run sets none. `reads_analysis` is False where no route looks at what
    Reason #1 made of the task, which is then left to the local reasoner.
    `calibrated`: the fused scores are on the scale of those that the local rubric was fitted to, so that candidates get
    a standing.
    """

    name: str
    routes: tuple[RouteSpec, ...]
    combine: Combine = "sum"
    post: tuple[str, ...] = ("collapse_copies",)
    judge: Judge = "rubric"
    threshold: float | None = None
    gap: float | None = None
    above: bool = False
    take: int = 1
    defaults: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    reads_analysis: bool = True
    calibrated: bool = False

    def __post_init__(self) -> None:
        names = [route.name for route in self.routes]
        faults = [
            (not self.name.strip(), "it needs a name"),
            (not names, "it needs at least one route"),
            (len(set(names)) < len(names), f"its routes need different names, not {', '.join(names)}"),
            (self.combine not in get_args(Combine), f"combine is {self.combine!r}; it must be sum, mean or product"),
            (self.judge not in get_args(Judge), f"judge is {self.judge!r}; it must be rubric or score"),
            (self.take < 1, f"take is {self.take}; it must be 1 or more"),
            (len(self._texts) > 1, f"its routes embed different texts, {', '.join(sorted(self._texts))}; use one"),
            *((name not in _SETTING_NAMES, f"its default {name!r} is no setting's name") for name in self.defaults),
        ]
        found = [message for wrong, message in faults if wrong]
        if found:
            raise SettingError(f"strategy {self.name!r}: {'; '.join(found)}")

    @property
    def semantic(self) -> bool:
        """Whether one of its routes needs vectors."""
        return any((route.builder or route.name) in (SEMANTIC, SIMILARITY) for route in self.routes)

    @property
    def text(self) -> TextKind:
        """Which text of a skill its routes over vectors embed."""
        return text_kind(next(iter(self._texts), SUMMARY.name))

    @property
    def _texts(self) -> set[str]:
        vectors = {SEMANTIC: SUMMARY.name, SIMILARITY: DESCRIBED.name}
        built = [(route.builder or route.name, route.options) for route in self.routes]
        return {str(options.get("text", vectors[name])) for name, options in built if name in vectors}

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the index that its routes score, so that they can be built ahead."""
        scoring = [route for route in self.routes if (route.builder or route.name) not in WITHOUT_FIELDS]
        return tuple(dict.fromkeys(name for route in scoring for name in route.fields))


TASK_FIELDS: Mapping[str, float] = MappingProxyType({"source": 0.6, "body": 0.4, "name": 0.2, "description": 0.2})
"""Fields with their weights for the routes over the whole task."""
GLOSS_WEIGHT = 0.4
"""How much of a word its translation counts."""

REACT = Strategy(
    name="react",
    routes=(
        *(
            RouteSpec(kind, weight=f"weight_{kind}", builder="task", fields=TASK_FIELDS, options={"kind": kind})
            for kind in ("action", "domain", "raw")
        ),
        RouteSpec("dictionary", weight=GLOSS_WEIGHT, fields=TASK_FIELDS),
        RouteSpec(SEMANTIC),
    ),
    calibrated=True,
)
"""The default: the words of the task over four fields, apart by kind; what they are called in the other language; and,
where vectors are at hand, how near the skill is in meaning."""

SOURCE = Strategy(
    name="source",
    routes=(
        RouteSpec(name="action", weight="weight_action"),
        RouteSpec(name="domain", weight="weight_domain"),
        RouteSpec(name="raw", weight="weight_raw"),
    ),
    post=("name_bonus", "collapse_copies"),
)
"""Source 000: three routes over one text, a weighted sum, then the rubric."""

DETECT = Strategy(
    name="detect",
    routes=(
        RouteSpec("triggers", 0.4),
        RouteSpec(SIMILARITY, 0.4, options={"rescale": True}),
        RouteSpec("context", 0.2),
    ),
    combine="mean",
    judge="score",
    above=True,
    take=3,
    defaults={"hit_threshold": 50.0, "min_gap": 0.0},
    reads_analysis=False,
)
"""Source 001: 0.4 triggers + 0.4 similarity + 0.2 project context, over 0.5, the best three."""

TEMPLATE = Strategy(
    name="template",
    routes=(RouteSpec("effectiveness"),),
    judge="score",
    take=MOST_CANDIDATES,
    defaults={"top_k": 6, "hit_threshold": 0.0, "min_gap": 0.0},
    reads_analysis=False,
)
"""Source 003's default: the most effective skills, whatever the task is; as many as `top_k`."""

EMBEDDING = Strategy(
    name="embedding",
    routes=(
        RouteSpec(SIMILARITY, options={"text": STARTED.name}),
        RouteSpec("effectiveness", options={"floor": 0.3}),
    ),
    combine="product",
    post=("near_duplicates",),
    judge="score",
    take=MOST_CANDIDATES,
    defaults={"top_k": 6, "hit_threshold": 0.0, "min_gap": 0.0},
    reads_analysis=False,
)
"""Source 003: similarity · (0.3 + 0.7 · effectiveness) without near-duplicates; as many as `top_k`."""

_registry: dict[str, Strategy] = {one.name: one for one in (REACT, SOURCE, DETECT, TEMPLATE, EMBEDDING)}
_registering = Lock()


def settings_with_defaults(context: SelectorContext | None, calibrated: Mapping[str, Any] | None = None) -> Settings:
    """Return the settings of a run, with a calibration's values, then its strategy's, where it sets none itself.

    Raises:
        SettingError: as `resolve_settings`, or there is no such strategy.
    """
    return resolve_settings(
        context, defaults=lambda settings: {**choose_strategy(settings).defaults, **(calibrated or {})}
    )


def choose_strategy(settings: Settings) -> Strategy:
    """Return the strategy that a run's settings name: one of their own file, else a registered one.

    Raises:
        SettingError: there is none of that name, or the file cannot be used.
    """
    if settings.strategies_file is not None:
        from skill_selector.retrievers.strategyfile import load_strategies  # noqa: PLC0415 - it imports this module

        own = load_strategies(settings.strategies_file)
        if settings.strategy.strip().lower() in own:
            return own[settings.strategy.strip().lower()]
        if settings.strategy.strip().lower() not in _registry:
            known = ", ".join(sorted({*own, *_registry}))
            raise SettingError(f"there is no strategy {settings.strategy!r}; known are {known}")
    return get_strategy(settings.strategy)


def strategy_names() -> tuple[str, ...]:
    """Return the names of the known strategies."""
    return tuple(sorted(_registry))


def get_strategy(name: str) -> Strategy:
    """Return the strategy of that name.

    Raises:
        SettingError: there is none; the message lists the known ones.
    """
    found = _registry.get(name.strip().lower())
    if found is None:
        raise SettingError(f"there is no strategy {name!r}; known are {', '.join(strategy_names())}")
    return found


def register_strategy(strategy: Strategy, *, replace: bool = False) -> None:
    """Make a strategy known by its name, which counts in lower case.

    Raises:
        SettingError: the name is taken and `replace` is not given.
    """
    name = strategy.name.strip().lower()
    with _registering:
        if name in _registry and not replace:
            raise SettingError(f"there is a strategy {name!r} already; pass replace=True to take its place")
        _registry[name] = strategy
