"""What a frontmatter says that is not valid YAML, entry by entry, with the usual faults put right."""

import re
from dataclasses import dataclass
from typing import Any

from skill_selector.catalog import cuts
from skill_selector.catalog.entries import Entries, Entry, fold, split
from skill_selector.catalog.faults import Fault
from skill_selector.catalog.reader import MAX_DEPTH, ReadError, Reading, read

_BLOCK = re.compile(r"(?P<style>[|>])[+-]?\d?[+-]?(?:\s+(?P<text>.*))?", re.DOTALL)
_COMMENT = re.compile(r"#(?:\s.*)?")
_UNKNOWN_ESCAPE = re.compile(r'\\(?![0abt\tnvfre "/\\N_LPxuU\n])')
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+|\Z)(?P<text>.*)")
_NOT_PRINTABLE = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_BREAKS = re.compile("[\x85\u2028\u2029]")
_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


@dataclass(frozen=True, slots=True)
class Repaired:
    """The entries that were understood."""

    values: dict[str, Any]
    faults: list[Fault]
    used: int
    """Lines consumed, the closing fence included."""
    closed: bool


def without_breaks(text: str) -> str:
    """Return a text without the line ends of YAML 1.1 that no editor shows as such."""
    return text if text.isascii() else _BREAKS.sub(" ", text)


def cleaned(text: str) -> tuple[str, list[Fault]]:
    """Put right what needs no knowledge of the entries: characters that YAML refuses, and tabs as indentation."""
    faults = []
    text = without_breaks(text)
    unprintable = _NOT_PRINTABLE.search(text)
    if unprintable:
        faults.append(Fault("control_characters", "", text.count("\n", 0, unprintable.start())))
        text = _NOT_PRINTABLE.sub("", text)
    if _PAIR.search(text):
        faults.append(Fault("bad_escape", "", 0))
        text = _PAIR.sub(lambda pair: chr(0x10000 + (int(pair[1], 16) % 1024 << 10) + int(pair[2], 16) % 1024), text)
    tabbed = re.search(r"^ *\t", text, re.MULTILINE)
    if tabbed:
        faults.append(Fault("tab", "", text.count("\n", 0, tabbed.start())))
        text = re.sub(r"^[ \t]*\t[ \t]*", lambda indent: indent[0].replace("\t", "  "), text, flags=re.MULTILINE)
    return text, faults


def read_entries(lines: list[str], depth: int = 0) -> Repaired:
    """Read a mapping entry by entry; an entry that is not YAML costs nothing but its own structure."""
    found: Entries = split(lines)
    values: dict[str, Any] = {}
    first: dict[str, int] = {}
    faults: list[Fault] = []
    for entry in found.entries:
        if entry.key in values:
            faults.append(Fault("duplicate_key", entry.key, entry.line, first[entry.key]))
        first[entry.key] = entry.line
        values[entry.key], more = _read_entry(entry, depth)
        faults.extend(more)
    return Repaired(values, faults, found.used, found.closed)


def _read_entry(entry: Entry, depth: int) -> tuple[Any, list[Fault]]:
    rest = entry.rest
    while rest and not rest[-1].strip():
        rest.pop()
    faults = [Fault(entry.fault, entry.key, entry.line)] if entry.fault else []
    try:
        values = {entry.key: _as_yaml(entry.value, rest)}
    except ReadError as error:
        value, kind, inner = _read_broken(entry.value, rest, error, depth)
    else:
        cut = cuts.restore("\n".join([f"{entry.key}: {entry.value}", *rest]), values, set())
        faults.extend(Fault(fault.kind, entry.key, entry.line + fault.line) for fault in cut)
        return values[entry.key], faults
    if kind and not faults:
        faults.append(Fault(kind, entry.key, entry.line))
    below = entry.line + 1
    for fault in inner:
        first = below + fault.first if fault.first >= 0 else -1
        faults.append(Fault(fault.kind, f"{entry.key}.{fault.key}", below + fault.line, first))
    return value, faults


def _as_yaml(value: str, rest: list[str]) -> Any:
    filled = [line for line in rest if line.strip()]
    indent = min((len(line) - len(line.lstrip(" ")) for line in filled), default=1)
    is_list = not value and bool(filled) and filled[0].lstrip().startswith("-")
    lead = "" if indent or is_list else " "  # text that should have been indented
    reading: Reading = read("\n".join([f"k: {value}", *(lead + line for line in rest)]) + "\n")
    if not isinstance(reading.value, dict) or list(reading.value) != ["k"]:
        raise ReadError("syntax", "more than one value", 0)
    if reading.marked:
        raise ReadError("syntax", "a tag or an anchor", 0)
    return reading.value["k"]


def _read_broken(value: str, rest: list[str], error: ReadError, depth: int) -> tuple[Any, str | None, list[Fault]]:
    """Return the value, the kind of fault, and the faults of the entries below it."""
    if (not value or _COMMENT.fullmatch(value)) and rest and depth < MAX_DEPTH // 4:
        if _ITEM.match(next(line for line in rest if line.strip())):
            return _read_items(rest), "broken_list", []
        below = read_entries(rest, depth + 1)
        if below.values and below.used == len(rest):
            return below.values, None, below.faults
    block = _BLOCK.fullmatch(value)
    if block:
        lines = [block["text"] or "", *rest]
        literal = block["style"] == "|" and not block["text"]
        return _dedent(rest) if literal else fold(lines), "broken_block", []
    text = fold([value, *rest])
    if text[:1] == '"':
        try:
            return _as_yaml(_UNKNOWN_ESCAPE.sub(r"\\\\", text), []), "bad_escape", []
        except ReadError:
            pass
    return _unquoted(text), _kind(text, error), []


def _read_items(rest: list[str]) -> list[Any]:
    items: list[list[str]] = []
    for line in rest:
        item = _ITEM.match(line)
        if item:
            items.append([item["text"]])
        elif items:
            items[-1].append(line)
    values = []
    for lines in items:
        try:
            values.append(_as_yaml(lines[0], lines[1:]))
        except ReadError:
            values.append(_unquoted(fold(lines)))
    return values


def _dedent(lines: list[str]) -> str:
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines).strip()


def _unquoted(text: str) -> str:
    """Take off quotes that were meant to hold the whole text, and an opening one that nothing closes."""
    quote = text[:1]
    if quote not in ('"', "'"):
        return text
    inner = text[1:]
    if quote not in inner:
        return inner
    if inner.endswith(quote) and _opens_first(inner[:-1], quote):
        return inner[:-1].replace(f"\\{quote}", quote)
    return text


def _opens_first(inner: str, quote: str) -> bool:
    """Tell whether the first quote inside a quoted text opens a phrase, as in `"say "hi" twice"`.

    A quote between letters is an apostrophe and says nothing.
    """
    for found in re.finditer(quote, inner):
        before, after = inner[: found.start()][-1:], inner[found.end() : found.end() + 1]
        if not (before.isalnum() and after.isalnum()):
            return before == "\\" or (before in ("", " ", "(", "/") and after != " ")
    return True


def _kind(text: str, error: ReadError) -> str:
    if error.kind != "syntax":
        return error.kind
    opener = text[:1]
    if opener in ('"', "'"):
        return "text_after_quote" if opener in text[1:] else "unterminated_quote"
    if opener and opener in "@[]{}%*&!|>`,-?#":
        return "leading_character"
    return "unquoted_colon" if ": " in text or ":\t" in text or text.endswith(":") else "broken_value"
