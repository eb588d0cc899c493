"""Frontmatter cut into its entries line by line, for the cases where YAML cannot read it as a whole."""

import re
from dataclasses import dataclass, field

from skill_selector.catalog.frontmatter import ANY_FENCE
from skill_selector.catalog.keys import is_known

_KEY = re.compile(
    r"""(?P<indent>[ \t\u00a0\u3000]*)(?P<quote>["']?)(?P<key>\w[\w.\- ]{0,60}?|<<)(?P=quote)[ \t]*"""
    r"""(?::(?=[\s\u3000]|\Z)|(?P<wide>：)|(?P<tight>:))[ \t\u00a0\u3000]*(?P<value>.*)"""
)
_HEADING = re.compile(r"#{1,6}[ \t]+")
_MARKDOWN = re.compile(r"#{1,6}\s|```|~~~|\||<|!\[|\*\*|\d+[.)]\s")
_BLOCK = re.compile(r"[|>][+-]?\d?(?:\s|\Z)")
_LONGEST_VALUE = 400
"""Lines that one bracketed or quoted value may go on for."""


@dataclass(slots=True)
class Entry:
    """One key with its value as it stands in the file."""

    key: str
    line: int
    """Counted from 0 within the text."""
    value: str
    """What follows the colon on the same line."""
    rest: list[str] = field(default_factory=list)
    """The lines that go with it."""
    fault: str | None = None
    """What is odd about the way it is written, as the kind of a diagnostic."""


@dataclass(slots=True)
class Entries:
    """The entries of a text, and how far they go."""

    entries: list[Entry]
    used: int
    """Lines consumed, the closing fence included."""
    closed: bool
    """A fence ended them."""


def split(lines: list[str]) -> Entries:
    """Cut lines into entries up to a fence, to Markdown, or to their end."""
    return _Splitter(lines).split()


def fold(lines: list[str]) -> str:
    """Join wrapped lines by spaces; a blank line or a bullet begins a new line."""
    text = ""
    for line in (line.strip() for line in lines):
        new_line = not line or line.startswith(("- ", "* ", "• "))
        if text and not text.endswith("\n"):
            text += "\n" if new_line else " "
        text += line
    return text.strip()


class _Splitter:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.entries: list[Entry] = []
        self.base = 0
        self.after_blank = False
        self.lookahead = 20 * _LONGEST_VALUE

    def split(self) -> Entries:
        index = 0
        while index < len(self.lines):
            line = self.lines[index]
            stripped = line.strip()
            indent = _indent(line)
            if indent <= self.base + 3 * (not self.entries) and ANY_FENCE.fullmatch(stripped):
                return Entries(self.entries, index + 1, True)
            if not stripped:
                self._continue("")
                self.after_blank = True
                index += 1
                continue
            entry = self._entry(line, index)
            if entry:
                self.base = min(indent, self.base) if self.entries else indent
                self.entries.append(entry)
                index += 1 + self._take_value(entry, index + 1)
            elif self._ends(stripped, indent, index):
                break
            else:
                if not (stripped.startswith("#") and indent <= self.base):
                    self._continue(line)
                index += 1
            self.after_blank = False
        return Entries(self.entries, index, False)

    def _entry(self, line: str, index: int) -> Entry | None:
        # some formatters make a heading of the first key
        heading = None if self.entries else _HEADING.match(line)
        match = _KEY.match(line, heading.end() if heading else 0)
        if not match:
            return None
        key = match["key"].strip()
        known = is_known(key)
        if not known and (heading or match["tight"] or " " in key):
            return None
        entry = Entry(key, index, match["value"].rstrip())
        for found, fault in (
            (match["wide"], "fullwidth_colon"),
            (match["tight"], "missing_space"),
            (heading, "heading"),
        ):
            entry.fault = fault if found else entry.fault
        if self.entries and _indent(line) > self.base:
            if not known or self._in_list() or not _is_plain(self.entries[-1].value):
                return None
            entry.fault = "bad_indentation"
        return entry

    def _in_list(self) -> bool:
        return any(line.lstrip().startswith("- ") for line in self.entries[-1].rest)

    def _ends(self, stripped: str, indent: int, index: int) -> bool:
        """Tell whether the body has begun."""
        if not self.entries:
            return not stripped.startswith("#") or self.after_blank
        if indent > self.base or (stripped.startswith(("- ", "-\t")) and not self.after_blank):
            return False
        if stripped.startswith("#") and self._key_follows(index + 1):
            return False
        return self.after_blank or bool(_MARKDOWN.match(stripped) and not stripped.startswith("# "))

    def _key_follows(self, index: int) -> bool:
        for line in self.lines[index : index + 20]:
            stripped = line.strip()
            if stripped and not stripped.startswith("#"):
                return self._entry(line, 0) is not None or bool(ANY_FENCE.fullmatch(stripped))
        return False

    def _continue(self, line: str) -> None:
        if self.entries:
            last = self.entries[-1]
            last.rest.append(line)
            if line and not last.fault and _indent(line) <= self.base and not line.lstrip().startswith("-"):
                last.fault = "unindented_text"

    def _take_value(self, entry: Entry, start: int) -> int:
        """Take the lines up to the end of a bracketed or quoted value, whatever their indentation."""
        opener = entry.value[:1]
        if not opener or opener not in "[{\"'":
            return 0
        depth = 0
        for count, line in enumerate([entry.value, *self.lines[start : start + min(_LONGEST_VALUE, self.lookahead)]]):
            self.lookahead -= 1
            stripped = line.strip()
            if count and (ANY_FENCE.fullmatch(stripped) or (opener in "\"'" and self._entry(line, 0))):
                return 0
            if opener in "\"'":
                ended = stripped.endswith(opener) and (count > 0 or len(stripped) > 1)
            else:
                depth += stripped.count("[") + stripped.count("{") - stripped.count("]") - stripped.count("}")
                ended = depth <= 0
            if ended:
                entry.rest.extend(self.lines[start : start + count])
                return count
        return 0


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t\u00a0\u3000"))


def _is_plain(value: str) -> bool:
    return bool(value) and not _BLOCK.match(value) and value[0] not in "[{\"'#"
