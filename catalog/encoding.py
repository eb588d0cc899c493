"""From a file's bytes to text with plain line ends."""

import codecs
import re

from skill_selector.catalog.diagnostic import Report

SAVE_AS_UTF8 = "save the file as UTF-8"
MARKS = (  # the longer ones first: UTF-32's mark begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
MARK_BEGINS = bytes(sorted({mark[0] for mark, _ in MARKS}))
SAMPLE = 65_536
"""Bytes that are looked at to tell an encoding, or text from other data."""
CONTROL_SHARE = 0.05
"""From this share of control characters on, data is not text."""

_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_CHINESE = re.compile("[\u3001-\u3011\u3400-\u9fff\uff01-\uff5e]")


def decode(data: bytes, report: Report) -> str | None:
    r"""Return the text with `\n` as its only line end and without a byte order mark, or None if there is no text."""
    if not data or data.isspace():
        report.error("empty_file", "the file is empty", "write a frontmatter and instructions, or remove the folder")
        return None
    text = _decode(data, report)
    if text is None:
        report.error("binary", "the file holds binary data, not text", "replace it with a text file in UTF-8")
        return None
    if b"\0" in data and "\0" in text:  # bytes are searched several times as fast as wide text
        line = text.count("\n", 0, text.index("\0")) + 1
        text = text.replace("\0", "")
        report.warning("nul_characters", f"NUL characters from line {line} on were removed", SAVE_AS_UTF8)
    if b"\r" in data and "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _decode(data: bytes, report: Report) -> str | None:
    mark, encoding = b"", None
    if data[0] in MARK_BEGINS:
        mark, encoding = next(((mark, name) for mark, name in MARKS if data.startswith(mark)), (b"", None))
    if encoding == "utf-8":
        report.note(
            "byte_order_mark",
            "the file begins with a byte order mark, which hides the frontmatter from some hosts",
            "save the file as UTF-8 without BOM",
        )
        data = data.removeprefix(mark)
        encoding, mark = None, b""
    encoding = encoding or _unmarked_utf16(data)
    if encoding:
        text = data[len(mark) :].decode(encoding, errors="replace")
        if not _is_text(text):
            return None
        _warn_encoding(encoding.upper(), report)
        return text
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _decode_legacy(data, error.start, report)
    return text if b"\0" not in data or _is_text(text) else None


def _unmarked_utf16(data: bytes) -> str | None:
    """Recognise UTF-16 without a mark by its NULs, which then stand in one half of the pairs only."""
    if b"\0" not in data or len(data) % 2:
        return None
    head = data[:SAMPLE]
    pairs = len(head) // 2
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.4 * pairs and even * 10 < odd:
        return "utf-16-le"
    if even > 0.4 * pairs and odd * 10 < even:
        return "utf-16-be"
    return None


def _decode_legacy(data: bytes, bad: int, report: Report) -> str | None:
    """Decode what is not valid UTF-8: damaged UTF-8, GB18030 or Windows-1252, whichever the bytes speak for."""
    text = data.decode("utf-8", errors="replace")
    lost = text.count("\ufffd")
    if not _is_text(text):
        return None
    if len(_NOT_ASCII.findall(text)) - lost > lost:
        line = data.count(b"\n", 0, bad) + 1
        message = f"{lost} bytes that are not UTF-8, the first on line {line}, were replaced"
        report.warning("invalid_bytes", message, SAVE_AS_UTF8)
        return text
    chinese = data.decode("gb18030", errors="replace")
    foreign = len(_NOT_ASCII.findall(chinese))
    if len(_CHINESE.findall(chinese)) > 0.8 * foreign and _mostly_high_pairs(data):
        _warn_encoding("GB18030", report)
        return chinese
    _warn_encoding("Windows-1252", report)
    return data.decode("cp1252", errors="replace")


def _mostly_high_pairs(data: bytes) -> bool:
    """Tell Chinese from Western text: in common Chinese both bytes of a character are high, accents stand alone."""
    runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", data[:SAMPLE])]
    return sum(run for run in runs if run > 1) > 0.8 * sum(runs)


def _is_text(text: str) -> bool:
    head = text[:SAMPLE]
    controls = len(_CONTROL.findall(head)) + head.count("\0")
    return controls <= CONTROL_SHARE * len(head)


def _warn_encoding(name: str, report: Report) -> None:
    report.warning("not_utf8", f"the file is in {name}, not in UTF-8, and was converted", SAVE_AS_UTF8)
