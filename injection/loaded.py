"""What loading a skill, or one of its files, gave."""

from dataclasses import dataclass
from typing import Any, Self

from skill_selector.catalog.skill import Skill
from skill_selector.injection.page import Page


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """A skill, or one of its files, ready for a prompt."""

    text: str
    """The block, with what a stranger wrote guarded."""
    id: str
    path: str
    """The file that was read, absolute."""
    shown: int
    """Characters that the block shows."""
    of: int
    """Characters that there are, as far as the file was read."""
    next_offset: int | None
    """Where the rest begins; None where there is none."""
    changed: bool
    """The SKILL.md is no longer what the scan read."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the text as a JSON object."""
        names = ("id", "path", "shown", "of", "next_offset", "changed")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def of_page(cls, skill: Skill, path: str, text: str, page: Page, *, changed: bool = False) -> Self:
        """Return what a block shows of a page of a skill's file."""
        return cls(
            text=text,
            id=skill.id,
            path=path,
            shown=page.end - page.start,
            of=page.total,
            next_offset=page.end if page.end < page.total else None,
            changed=changed,
        )
