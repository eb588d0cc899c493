"""What a compilation ends with: the prompt, and what became of every chunk that came into question."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

from skill_selector.graph.records import Degradation, TraceEntry

Fate = Literal[
    "kept",
    "shortened",  # kept, but not the whole text
    "rescued",  # kept: from a skill that was not chosen, for a need that nothing else covers
    "duplicate",  # dropped, as are the rest: its text stands in another chunk, which names it in `merged`
    "conflict",  # another chunk gives another value, and has more authority or is newer
    "below_floor",  # too little relevance beside the best
    "over_limit",  # more chunks than are reranked
    "over_budget",  # no room in the token budget
    "gone",  # the knowledge folder changed meanwhile
]
"""Why a chunk was kept or dropped."""

CompileReason = Literal[
    "compiled",
    "fallback",  # every route failed; plain semantic search answered
    "nothing_found",  # the knowledge folder holds nothing on it; the context is empty, as for the rest
    "search_failed",  # the plain semantic search failed as well
    "no_skill",  # the selection before it chose none
]


@dataclass(frozen=True, kw_only=True)
class ManifestEntry:
    """What became of one chunk."""

    chunk_id: str
    source: str
    """Path and lines, as citations show them."""
    title: str
    type: str
    kept: bool
    reason: Fate
    detail: str = ""
    """The reason in words, such as what it duplicates or which need it covers."""
    score: float = 0.0
    """After reranking, 0 to 1; what decides."""
    fused: float = 0.0
    """The weighted mean of the routes, 0 to 1."""
    routes: Mapping[str, float] = field(default_factory=dict)
    """What each route that found it gave, 0 to 1, before weighing."""
    weight: float = 1.0
    """What recorded outcomes multiplied its score by; see `learning.weight_of`."""
    tokens: int = 0
    """What it costs, its citation included; for a dropped chunk what its text would cost."""
    citation: int | None = None
    """Its number in the prompt; None where it was dropped."""
    touches_parameters: bool = False
    """It holds a name, a code or a value of the parameters."""
    merged: tuple[str, ...] = ()
    """Sources of the duplicates that it stands for."""
    merged_ids: tuple[str, ...] = ()
    """Their chunk ids."""
    skill: str | None = None
    """The skill of the catalogue that it was rescued from."""
    date: str | None = None
    authority: float = 0.5

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        # a hundred a run: `dataclasses.asdict` copies each deeply
        values = {name: getattr(self, name) for name in _ENTRY_FIELDS}
        return {**values, "routes": dict(self.routes), "merged": [*self.merged], "merged_ids": [*self.merged_ids]}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Return the entry that `to_dict`, or JSON made of that, gives."""
        return cls(**_known(cls, value, tuples=("merged", "merged_ids")))


_ENTRY_FIELDS = tuple(one.name for one in fields(ManifestEntry))


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Two values for the same thing."""

    subject: str
    """What they are values of, such as `orders.amount` or `gateway.deadline_ms`."""
    chosen: str
    """Chunk id of the side that counts; where it is unresolved, of the one that is shown first."""
    chosen_source: str
    chosen_value: str
    other: str
    other_source: str
    other_value: str
    resolved_by: Literal["authority", "date", "unresolved"]
    """`unresolved`: neither tells them apart, so both stay, and the prompt says that they disagree."""

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Return the conflict that `dataclasses.asdict`, or JSON made of that, gives."""
        return cls(**_known(cls, value))


@dataclass(frozen=True, kw_only=True)
class CompiledContext:
    """A compiled context. `to_dict` gives plain JSON, which the graph's state carries."""

    prompt: str
    """For the model: the pieces with their sources, the skill, its parameters and the task. Never over the budget."""
    reason: CompileReason
    message: str = ""
    """The reason in words, where the context is empty or not what the strategy wanted."""
    skill_id: str | None = None
    """Of the definition, such as `data_query.generate_sql`."""
    skill: str | None = None
    """Id of the skill in the catalogue, where it belongs to one."""
    task: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Validated, with the defaults of the schema."""
    category: str = ""
    strategy: Mapping[str, Any] = field(default_factory=dict)
    """Name, weights of the routes, types that come first."""
    manifest: tuple[ManifestEntry, ...] = ()
    """The kept chunks in the order of the prompt, then the dropped ones, the best first."""
    conflicts: tuple[Conflict, ...] = ()
    tokens: int = 0
    """Of the prompt, as `prompts.shortening.estimate_tokens` counts."""
    budget: int = 0
    parameter_digest: str = ""
    knowledge_digest: str = ""
    cached: bool = False
    """It was compiled by an earlier run of this process."""
    degraded: tuple[Degradation, ...] = ()
    trace: tuple[TraceEntry, ...] = ()

    @property
    def kept(self) -> tuple[ManifestEntry, ...]:
        """The chunks that are in the prompt, in its order."""
        return tuple(one for one in self.manifest if one.kept)

    @property
    def dropped(self) -> tuple[ManifestEntry, ...]:
        """The chunks that came into question and are not in the prompt."""
        return tuple(one for one in self.manifest if not one.kept)

    @property
    def empty(self) -> bool:
        """Whether no chunk is in the prompt."""
        return not self.kept

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        listed = ("manifest", "conflicts", "degraded", "trace")
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in listed}
        return {
            **values,
            "parameters": dict(self.parameters),
            "strategy": dict(self.strategy),
            "manifest": [one.to_dict() for one in self.manifest],
            "conflicts": [asdict(one) for one in self.conflicts],
            "degraded": list(self.degraded),
            "trace": list(self.trace),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Return the context that `to_dict`, or JSON made of that, gives."""
        known = _known(cls, value, tuples=("degraded", "trace"))
        known["manifest"] = tuple(ManifestEntry.from_dict(one) for one in value.get("manifest", ()))
        known["conflicts"] = tuple(Conflict.from_dict(one) for one in value.get("conflicts", ()))
        return cls(**known)


def _known(cls: type[Any], value: Mapping[str, Any], tuples: tuple[str, ...] = ()) -> dict[str, Any]:
    names = {one.name for one in fields(cls)}
    return {name: tuple(one) if name in tuples else one for name, one in value.items() if name in names}
