"""From the frontmatter's values to a skill's fields."""

from dataclasses import dataclass, field
from typing import Any

from skill_selector.catalog.diagnostic import Report
from skill_selector.catalog.hiddentext import find_hidden_text, report_hidden_text
from skill_selector.catalog.invisible import without_invisible
from skill_selector.catalog.keys import DESCRIPTION_STAND_INS, SPELLINGS, Field, bare, field_of
from skill_selector.catalog.tools import read_tools
from skill_selector.catalog.words import as_list, as_switch, as_text

Place = tuple[dict[str, Any], str]
"""A value's mapping and its key there."""


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
    user_invocable: bool = True
    rest: dict[str, Any] = field(default_factory=dict)
    """What none of these took, as it was given."""


def read_fields(values: dict[str, Any], report: Report) -> Fields:
    """Return the fields of a frontmatter; a value that a field cannot use stays in `rest`, with a warning."""
    reader = _Reader(values, report)
    fields = Fields(
        name=reader.name(),
        description=reader.description(),
        category=reader.text("category"),
        language=reader.text("language"),
        version=reader.text("version"),
        compatibility=reader.text("compatibility"),
        when_to_use=visible(reader.text("when_to_use") or "", "when to use", report),
        triggers=reader.texts("triggers"),
        tags=reader.texts("tags"),
        manual_only=reader.switch("manual_only", default=False),
        user_invocable=reader.switch("user_invocable", default=True),
    )
    reader.tools(fields)
    fields.rest = reader.rest()
    return fields


def visible(text: str, what: str, report: Report) -> str:
    """Return a text without invisible characters, with a warning that lists them, or that says what they spell."""
    cleaned, removed = without_invisible(text)
    hidden = find_hidden_text(text) if removed else []
    if hidden:
        report_hidden_text(hidden, what, report)
    elif removed:
        message = f"{what}: invisible characters were removed: {', '.join(removed[:10])}"
        report.warning("invisible_characters", message, "remove them: they hide text or change its direction")
    return cleaned.strip()


class _Reader:
    """Takes each value out of where it stands: at the top or below `metadata`, in any spelling of its key."""

    def __init__(self, values: dict[str, Any], report: Report) -> None:
        self.report = report
        self.top: dict[str, Any] = {}
        self.below: dict[str, Any] = {}
        for key, value in values.items():
            if bare(key) == "metadata" and isinstance(value, dict):
                self.below.update(value)
            else:
                self.top[key] = value
        self.places: dict[Field, list[Place]] = {}
        for holder in (self.top, self.below):
            for key in holder:
                name = field_of(key)
                if name:
                    self.places.setdefault(name, []).append((holder, key))
        for name, places in self.places.items():
            if len(places) > 1:
                places.sort(key=lambda place: self._order(name, place))

    def name(self) -> str | None:
        """Return the name; one below `metadata` names something else."""
        for holder, key in self.places.get("name", ()):
            if holder is self.top:
                value = holder.pop(key)
                if isinstance(value, str):
                    self._check_spelling(key, "name")
                    return visible(" ".join((as_text(value) or "").split()), "name", self.report) or None
                self._unusable(self.top, key, value, "is not text")
        return None

    def description(self) -> str | None:
        """Return the description, or what stands in for it."""
        places = self.places.get("description", [])
        for holder, key in [place for place in places if place[0] is self.top]:
            value = holder.pop(key)
            text = as_text(value)
            if text:
                self._check_spelling(key, "description")
                if not isinstance(value, str):
                    message = "description: it is a list or map; its parts were joined"
                    self.report.warning("description_not_text", message, "write the description as one text")
                return visible(text, "description", self.report) or None
        for holder in (self.top, self.below):
            for key in (key for key in holder if holder is self.below or bare(key) in DESCRIPTION_STAND_INS):
                text = as_text(holder[key]) if bare(key) in ("description", *DESCRIPTION_STAND_INS) else None
                if text:
                    message = f"there is no description; {key!r} was taken"
                    self.report.warning("description_elsewhere", message, "name the top-level key 'description'")
                    del holder[key]
                    return visible(text, "description", self.report) or None
        return None

    def text(self, name: Field) -> str | None:
        """Return a field that is one text."""
        for holder, key in self.places.get(name, ()):
            text = as_text(holder[key])
            if text:
                del holder[key]
                return text
        return None

    def texts(self, name: Field) -> tuple[str, ...]:
        """Return a field that is a list, from all places together."""
        found: dict[str, None] = {}
        for holder, key in self.places.get(name, ()):
            found.update(dict.fromkeys(as_list(holder.pop(key))))
        return tuple(found)

    def switch(self, name: Field, *, default: bool) -> bool:
        """Return a field that is true or false."""
        for holder, key in self.places.get(name, ()):
            value = holder.pop(key)
            answer = as_switch(value)
            if answer is not None:
                return answer
            if as_text(value):
                self._unusable(holder, key, value, "is neither true nor false")
        return default

    def tools(self, fields: Fields) -> None:
        """Fill in the tools that a skill may use and those that it may not."""
        allowed = list(self.places.get("allowed_tools", ()))
        if not allowed:
            allowed = [(self.top, key) for key in self.top if bare(key) == "tools"]
        disallowed: list[str] = []
        for name, places in (("allowed", allowed), ("disallowed", self.places.get("disallowed_tools", []))):
            for holder, key in places[:1]:
                value = holder.pop(key)
                found = read_tools(value)
                if found is None:
                    self._unusable(holder, key, value, "names no tools")
                elif name == "allowed":
                    fields.allowed_tools = None if found[0] is None else tuple(dict.fromkeys(found[0]))
                    disallowed.extend(found[1])
                else:
                    disallowed.extend(found[0] or [])
        fields.disallowed_tools = tuple(dict.fromkeys(disallowed))

    def rest(self) -> dict[str, Any]:
        """Return what was not taken; what is below `metadata` comes up where the key is free."""
        rest = dict(self.top)
        clashes = {key: value for key, value in self.below.items() if key in rest}
        rest.update((key, value) for key, value in self.below.items() if key not in clashes)
        if clashes:
            rest.setdefault("metadata", clashes)
        return rest

    def _order(self, name: Field, place: Place) -> tuple[bool, int, bool]:
        holder, key = place
        return holder is self.below, SPELLINGS[name].index(bare(key)), key != key.lower()

    def _check_spelling(self, key: str, expected: str) -> None:
        if key != expected:
            message = f"the key {key!r} was taken as {expected!r}"
            self.report.warning("key_spelling", message, f"write {expected!r}: most hosts know only that")

    def _unusable(self, holder: dict[str, Any], key: str, value: Any, why: str) -> None:
        holder[key] = value
        self.report.warning("field_not_usable", f"{key}: the value {why}; it was kept as it is", "correct the value")
