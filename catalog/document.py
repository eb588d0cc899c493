"""One file taken apart: the frontmatter's values and the body, whatever state the file is in."""

from dataclasses import dataclass, field
from typing import Any

from skill_selector.catalog import cuts, frontmatter, repair
from skill_selector.catalog.diagnostic import Report
from skill_selector.catalog.encoding import decode
from skill_selector.catalog.faults import FIXES, OPENING_FAULTS, Fault, message_of
from skill_selector.catalog.frontmatter import MAX_HEADER, Opening
from skill_selector.catalog.keys import field_of, is_known
from skill_selector.catalog.reader import ReadError, Reading, read


@dataclass(frozen=True, slots=True)
class Document:
    """The two parts of a SKILL.md."""

    values: dict[str, Any] | None
    """The frontmatter as nested dicts, lists and texts; None where there is none."""
    body: str
    """The text after the frontmatter, without surrounding white space."""
    lines: int
    """Lines of the whole file."""


@dataclass(slots=True)
class _Attempt:
    values: dict[str, Any]
    end: int
    """The offset in the text behind the frontmatter."""
    closed: bool
    faults: list[Fault] = field(default_factory=list)


def open_document(data: bytes, report: Report) -> Document | None:
    """Take a file's bytes apart; None where they hold no text, which the report then says."""
    text = decode(data, report)
    if text is None:
        return None
    block = frontmatter.closed_block(text)
    if block:
        header, end = block
        attempt = _read_clean(header, end) if "<<<<<<<" not in header else None
        if attempt or not header.strip():
            attempt = attempt or _Attempt({}, end, True)
            _report_faults(attempt.faults, 2, report)
            return Document(attempt.values, trimmed(text, attempt.end), count_lines(text))
    return _open_odd(text, report)


def _open_odd(text: str, report: Report) -> Document:
    resolved = frontmatter.without_conflicts(text)
    for candidate in (resolved[0], text) if resolved else (text,):
        for opening in frontmatter.openings(candidate):
            attempt = _attempt(candidate, opening)
            if not _is_frontmatter(attempt, opening):
                continue
            if resolved and candidate is not text:
                what = f"line {resolved[1]}: unresolved merge conflicts; the first side was taken of each"
                report.warning("merge_conflict", what, "resolve the conflicts and remove their markers")
            _report_opening(candidate, opening, attempt, report)
            return Document(attempt.values, _body(candidate, opening, attempt.end), count_lines(text))
    return Document(None, trimmed(text), count_lines(text))


def trimmed(text: str, start: int = 0) -> str:
    """Return a text from an offset on without surrounding white space, copying it only once."""
    end = len(text)
    while start < end and (text[start].isspace() or text[start] == "\ufeff"):
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return text[start:end]


def count_lines(text: str) -> int:
    """Return the number of lines; a line end at the very end begins no further one."""
    return text.count("\n") + (not text.endswith("\n"))


def _read_clean(header: str, end: int) -> _Attempt | None:
    header = repair.without_breaks(header)
    try:
        reading = read(header)
    except ReadError:
        return None
    if not isinstance(reading.value, dict) or not reading.value:
        return None
    faults = _reading_faults(reading) if reading.duplicates else []
    faults += cuts.restore(header, reading.value, reading.marked)
    return _Attempt(reading.value, end, True, faults)


def _reading_faults(reading: Reading) -> list[Fault]:
    return [Fault("duplicate_key", key, second, first) for key, first, second in reading.duplicates]


def _attempt(text: str, opening: Opening) -> _Attempt:
    """Read a frontmatter that begins there: as YAML, as cleaned YAML, as a list of maps, entry by entry."""
    start = opening.start
    close = frontmatter.CLOSE.search(text, start, start + MAX_HEADER)
    window = text[start : close.start() if close else start + MAX_HEADER]
    cleaned, faults = repair.cleaned(window)
    if close:
        attempt = _read_clean(window, close.end())
        if attempt:
            return attempt
        attempt = _read_clean(cleaned, close.end()) if faults else None
        if attempt:
            attempt.faults[:0] = faults
            return attempt
        merged = _merged_list(cleaned)
        if merged:
            return _Attempt(merged, close.end(), True, [*faults, Fault("list_of_fields", "", 0)])
    # the closing fence belongs to the lines, so that entries end at it or at an odd one before it
    lines = cleaned.split("\n")
    if close:
        lines[-1] = "---"
    repaired = repair.read_entries(lines)
    used = "\n".join(window.split("\n")[: repaired.used])
    end = close.end() if close and repaired.used == len(lines) else start + len(used)
    return _Attempt(repaired.values, end, repaired.closed, faults + repaired.faults)


def _merged_list(header: str) -> dict[str, Any] | None:
    try:
        value = read(header).value
    except ReadError:
        return None
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        return None
    merged = {key: inner for part in value for key, inner in part.items()}
    return merged if any(field_of(key) for key in merged) else None


def _is_frontmatter(attempt: _Attempt, opening: Opening) -> bool:
    """Tell frontmatter from prose that looks like it: the odder its place, the more it has to show."""
    stated = {field_of(key) for key in attempt.values}
    if opening.fault is None and attempt.closed:
        return any(is_known(key) for key in attempt.values)
    if opening.fault is None:
        return bool(stated & {"name", "description"})
    if opening.above or opening.fault == "missing_fence":
        return "description" in stated and ("name" in stated or attempt.closed)
    return "description" in stated or (attempt.closed and bool(attempt.values))


def _body(text: str, opening: Opening, end: int) -> str:
    body = trimmed(text, end)
    if opening.fault == "code_fence":
        first, _, rest = body.partition("\n")
        if first.strip() in ("```", "~~~", "````"):
            body = rest.strip()
        elif body.endswith(("```", "~~~")) and (body.count("```") + body.count("~~~")) % 2:
            body = body[:-3].rstrip("`~").rstrip()
    return f"{opening.above}\n\n{body}".rstrip() if opening.above else body


def _report_opening(text: str, opening: Opening, attempt: _Attempt, report: Report) -> None:
    first = text.count("\n", 0, opening.start) + 1
    if opening.fault:
        what, fix = OPENING_FAULTS[opening.fault]
        report.warning(opening.fault, f"line {max(first - 1, 1)}: {what}", fix)
    if not attempt.closed:
        what, fix = OPENING_FAULTS["unclosed_frontmatter"]
        report.warning("unclosed_frontmatter", f"line {text.count(chr(10), 0, attempt.end) + 1}: {what}", fix)
    _report_faults(attempt.faults, first, report)


def _report_faults(faults: list[Fault], first_line: int, report: Report) -> None:
    for fault in faults:
        add = report.note if fault.kind == "comment_in_text" else report.warning
        add(fault.kind, message_of(fault, first_line), FIXES[fault.kind])
