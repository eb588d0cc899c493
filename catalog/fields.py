"""From the frontmatter's values to a skill's fields."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from skill_selector.catalog.diagnostic import Report
from skill_selector.catalog.invisible import without_invisible
from skill_selector.catalog.keys import DESCRIPTION_STAND_INS, SPELLINGS, Field, bare, field_of
from skill_selector.catalog.tools import read_tools
from skill_selector.catalog.words import as_list, as_switch, as_text


@dataclass(slots=True)
class Fields:
    """The fields that a frontmatter gives; None where it does not."""

    name: str | None = None
    description: str | None = None
    category: str | None = None
    language: str | None = None
    version: str | None = None
    compatibility: str | None = None
    when_to_use: str = ""
    triggers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    allowed_tools: tuple[str, ...] | None = None
    disallowed_tools: tuple[str, ...] = ()
    manual_only: bool = False
    rest: dict[str, Any] = field(default_factory=dict)
    """What none of these took, as it was given."""


def read_fields(values: dict[str, Any], report: Report) -> Fields:
    """Return the fields of a frontmatter; a value that a field cannot use stays in `rest`, with a warning."""
    return _Fields(values, report).read()


def visible(text: str, what: str, report: Report) -> str:
    """Return a text without invisible characters, with a warning that lists them."""
    cleaned, removed = without_invisible(text)
    if removed:
        message = f"{what}: invisible characters were removed: {', '.join(removed[:10])}"
        report.warning("invisible_characters", message, "remove them: they hide text or change its direction")
    return cleaned


class _Fields:
    def __init__(self, values: dict[str, Any], report: Report) -> None:
        self.report = report
        self.top = dict(values)
        self.below: dict[str, Any] = {}
        for key in values:
            if bare(key) == "metadata" and isinstance(values[key], dict):
                self.below.update(self.top.pop(key))
        self.by_field: dict[Field, list[tuple[dict[str, Any], str]]] = {}
        for holder in (self.top, self.below):
            for key in holder:
                name = field_of(key)
                if name and not (holder is self.below and name in ("name", "description")):
                    self.by_field.setdefault(name, []).append((holder, key))
        for name, found in self.by_field.items():
            if len(found) > 1:
                found.sort(key=lambda one: (one[0] is self.below, SPELLINGS[one_field(name)].index(bare(one[1])), one[1] != name))

    def read(self) -> Fields:
        fields = Fields()
        fields.name = self._name()
        fields.description = self._description()
        fields.when_to_use = visible(self._text("when_to_use") or "", "when to use", self.report)
        for name in ("category", "language", "version", "compatibility"):
            setattr(fields, name, self._text(name))
        fields.triggers = self._list("triggers")
        fields.tags = self._list("tags")
        self._tools(fields)
        fields.manual_only = self._switch()
        fields.rest = self._rest()
        return fields
