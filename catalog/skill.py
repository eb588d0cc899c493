"""What is known of one skill."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Skill:
    """One SKILL.md, read.

    `id` is the folder's path relative to the scanned root, with forward slashes. `path` is the folder and `file` the
    SKILL.md itself, both absolute, with forward slashes. Texts are as authored, without surrounding white space.
    """

    id: str
    name: str
    description: str
    path: str
    file: str
    root: str
    digest: str
    """SHA-256 of the file's bytes that were read, in hex; a file over the scan's bound is read up to there."""
    body_digest: str = ""
    """SHA-256 of the text after the frontmatter, in hex: skills with the same one have the same instructions."""
    category: str | None = None
    language: str | None = None
    version: str | None = None
    compatibility: str | None = None
    when_to_use: str = ""
    triggers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    allowed_tools: tuple[str, ...] | None = None
    """None where the file names none; empty where it names an empty list."""
    disallowed_tools: tuple[str, ...] = ()
    manual_only: bool = False
    """The author keeps it out of automatic selection (`disable-model-invocation: true`)."""
    user_invocable: bool = True
    """The author lets a human call it by its name (`user-invocable`, true unless the file says false)."""
    inferred: bool = False
    """The description was guessed from the first paragraph (and the name from the folder, where none was given)."""
    flags: tuple[str, ...] = ()
    """Kinds of diagnostics that say how its text works on whoever chooses: see `persuasion` and `hidden_text`."""
    metadata: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Every other field, those below `metadata` beside those at the top; plain JSON values, scalars as text."""
    loaded_body: str | None = field(default=None, repr=False, compare=False)
    """The text after the frontmatter where it is in memory; read it through `body`."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the body as a JSON object."""
        shown = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "loaded_body"}
        listed = {name: list(value) for name, value in shown.items() if isinstance(value, tuple)}
        return {**shown, **listed, "metadata": dict(self.metadata)}

    @property
    def body(self) -> str:
        """The text after the frontmatter, read from the file when it is not in memory.

        Raises:
            OSError: the file can no longer be read.
        """
        if self.loaded_body is not None:
            return self.loaded_body
        from skill_selector.catalog.parser import read_body  # noqa: PLC0415 - the parser imports this module

        return read_body(self.file)
