"""What was wrong with a file or folder, and what to do about it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
"""error: something was not loaded; warning: loaded, but repaired or incomplete; note: loaded as it is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnostic:
    """One fault of one file or folder.

    `kind` is a stable code in snake case, such as `unquoted_colon`; `message` says what was found, with line numbers
    where there are any; `fix` says in a few words what the author can do.
    """

    path: str
    kind: str
    severity: Severity
    message: str
    fix: str

    def to_dict(self) -> dict[str, str]:
        """Return the fields as a JSON object."""
        return asdict(self)


class Report:
    """Collects what is wrong with one file or folder."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.diagnostics: list[Diagnostic] = []

    def error(self, kind: str, message: str, fix: str) -> None:
        """Add a fault that keeps something from being loaded."""
        self._add(kind, "error", message, fix)

    def warning(self, kind: str, message: str, fix: str) -> None:
        """Add a fault that was repaired, or that costs a part."""
        self._add(kind, "warning", message, fix)

    def note(self, kind: str, message: str, fix: str) -> None:
        """Add something that hosts may mind and that changed nothing here."""
        self._add(kind, "note", message, fix)

    def _add(self, kind: str, severity: Severity, message: str, fix: str) -> None:
        self.diagnostics.append(Diagnostic(path=self.path, kind=kind, severity=severity, message=message, fix=fix))


def count_kinds(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    """Return how many diagnostics there are of each kind, the most frequent first."""
    return dict(Counter(diagnostic.kind for diagnostic in diagnostics).most_common())
