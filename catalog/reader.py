"""A YAML reader for text from strangers: every scalar stays text, aliases and runaway depth are refused."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml import AliasEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

try:
    from yaml import CBaseLoader as Loader
except ImportError:  # PyYAML built without libyaml: the same events, about ten times slower
    from yaml import BaseLoader as Loader  # type: ignore[assignment]

MAX_DEPTH = 32
CORE_TAG = "tag:yaml.org,2002:"


class ReadError(Exception):
    """The text is not YAML that this reader takes.

    Attributes:
        kind: `alias`, `too_deep` or `syntax`.
        line: where, counted from 0 within the text.
    """

    def __init__(self, kind: str, problem: str, line: int) -> None:
        super().__init__(problem)
        self.kind = kind
        self.line = line


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says, with the places that a reader may want to look at again. Lines count from 0."""

    value: Any
    """Nested dicts, lists and texts; an empty node is an empty text."""
    duplicates: list[tuple[str, int, int]] = field(default_factory=list)
    """Keys given twice within one mapping, with both lines; the last one stands."""
    marked: set[str] = field(default_factory=set)
    """Top-level keys whose plain value began with an anchor or a tag, which YAML takes out of the text."""


def read(text: str) -> Reading:
    """Return what a YAML text says.

    Raises:
        ReadError: it is not valid, holds an alias, or is nested more than MAX_DEPTH deep.
    """
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.duplicates: list[tuple[str, int, int]] = []
        self.marked: set[str] = set()
        self.next: Callable[[], Any] = lambda: None

    def read(self) -> Reading:
        loader = None
        try:
            loader = Loader(self.text)
            self.next = loader.get_event
            self.next()  # the stream's start
            value: Any = ""
            if isinstance(self.next(), yaml.DocumentStartEvent):
                value = self._value(self.next(), 0)
                self.next()  # the document's end
                extra = self.next()
                if not isinstance(extra, yaml.StreamEndEvent):
                    raise ReadError("syntax", "a second document begins", _line_of(extra))
        except yaml.YAMLError as error:
            problem = _problem(error)
            kind = "too_deep" if "nesting" in problem else "syntax"
            raise ReadError(kind, problem, _line(error, self.text)) from None
        except UnicodeError as error:
            raise ReadError("syntax", str(error), 0) from None
        finally:
            if loader is not None:
                loader.dispose()
        return Reading(value, self.duplicates, self.marked)

    def _value(self, event: Any, depth: int) -> Any:
        if type(event) is ScalarEvent:
            return event.value
        if type(event) is AliasEvent:
            raise ReadError("alias", f"*{event.anchor} refers to another value", _line_of(event))
        if depth >= MAX_DEPTH:
            raise ReadError("too_deep", f"more than {MAX_DEPTH} levels", _line_of(event))
        if type(event) is SequenceStartEvent:
            return self._sequence(depth)
        return self._mapping(depth)

    def _sequence(self, depth: int) -> list[Any]:
        values = []
        while type(event := self.next()) is not SequenceEndEvent:
            values.append(self._value(event, depth + 1))
        return values

    def _mapping(self, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        keys: dict[str, Any] = {}
        while type(event := self.next()) is ScalarEvent:
            key = event.value
            if key in values:
                self.duplicates.append((key, _line_of(keys[key]), _line_of(event)))
            keys[key] = event
            value = self.next()
            if type(value) is not ScalarEvent:
                values[key] = self._value(value, depth + 1)
                continue
            values[key] = value.value
            if depth == 0 and not value.style and _is_marked(value):
                self.marked.add(key)
        if isinstance(event, AliasEvent | MappingStartEvent | SequenceStartEvent):
            raise ReadError("syntax", "a key is not text", _line_of(event))
        return values


def _is_marked(event: ScalarEvent) -> bool:
    return event.anchor is not None or (event.tag is not None and not event.tag.startswith(CORE_TAG))


def _line_of(event: Any) -> int:
    return int(event.start_mark.line)


def _problem(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    return str(problem).partition("\n")[0]


def _line(error: yaml.YAMLError, text: str) -> int:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return int(mark.line)
    return text.count("\n", 0, getattr(error, "position", 0) or 0)
