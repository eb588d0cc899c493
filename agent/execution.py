"""One execution of a tool, as it is returned and logged (source 004)."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Literal, Self
from uuid import uuid4

from skill_selector.agent.masking import mask

ExecutionOutcome = Literal[
    "success",
    "tool_failure",  # the tool itself said or raised that it did not work
    "host_failure",  # a time-out, a lost server, arguments that do not fit
    "denied",  # the policy, a skill or a person forbade it; the tool did not run
    "aborted",  # cancelled on the way
]
RESULT_LIMIT = 10_000
"""Characters of a result, and of each argument, that are kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """What was called, and what came of it."""

    tool_name: str
    args: Mapping[str, Any]
    outcome: ExecutionOutcome
    result: Any = None
    error: str | None = None
    user_id: str | None = None
    group_id: str | None = None
    duration: float = 0.0
    """Milliseconds."""
    timestamp: str = field(default_factory=lambda: utc_text(datetime.now(UTC)))
    """When it began: UTC, ISO 8601, with milliseconds."""
    id: str = field(default_factory=lambda: str(uuid4()))

    def masked(self, known: Collection[str] = (), limit: int = RESULT_LIMIT) -> "Execution":
        """Return it as it may be kept: plain JSON values, secrets masked, long texts cut and marked so."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        cut = {name: _cut(mask(values[name], known), limit) for name in ("result", "error")}
        args = {name: _cut(value, limit) for name, value in mask(dict(self.args), known).items()}
        return Execution(**{**values, **cut, "args": args})

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read one that was kept; keys of later versions are passed over."""
        return cls(**{one.name: values[one.name] for one in fields(cls) if one.name in values})


def utc_text(moment: datetime) -> str:
    """Return a time as records hold it; one without a time zone is local."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _cut(value: Any, limit: int) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= limit:
        return value
    return f"{text[:limit]}… [{len(text) - limit} more characters]"
