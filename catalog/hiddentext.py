"""Messages written in characters that nobody sees, and that a model reads."""

import re

from skill_selector.catalog.diagnostic import Report

HIDDEN_TEXT = "hidden_text"
"""The kind of the diagnostic."""
LEAST = 4
"""Characters of a message: fewer may be chance."""
SHOWN = 120
"""Characters of a message that are shown."""

_TAGS = re.compile(f"[\U000e0020-\U000e007e]{{{LEAST},}}")
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f")
_SELECTORS = re.compile(f"[\ufe00-\ufe0f\U000e0100-\U000e01ef]{{{LEAST},}}")
_BINARY = re.compile(f"[\u200b-\u200d\u2060-\u2064\ufeff]{{{8 * LEAST},}}")

_TAG_PLANE, _SELECTOR = b"\xf3\xa0", re.compile(rb"\xef\xb8[\x80-\x8f](?:\xef\xb8[\x80-\x8f]){%d}" % (LEAST - 1))
_ZERO_WIDTH = (b"\xe2\x80\x8b", b"\xe2\x80\x8c", b"\xe2\x80\x8d", b"\xe2\x81", b"\xef\xbb\xbf")
"""How characters of no width begin; a few others begin so too."""


def may_hide_text(data: bytes) -> bool:
    """Tell by a file's UTF-8 bytes whether its text need be searched at all; nearly none need."""
    if data.isascii():
        return False
    if _TAG_PLANE in data or _SELECTOR.search(data):
        return True
    return sum(map(data.count, _ZERO_WIDTH)) >= 8 * LEAST


def find_hidden_text(text: str) -> list[str]:
    """Return what invisible characters spell: tag characters, variation selectors as bytes, two kinds as bits."""
    if text.isascii():
        return []
    found = ["".join(chr(ord(char) - 0xE0000) for char in run) for run in _TAGS.findall(_FLAG.sub("", text))]
    found += [_decoded([_selected(char) for char in run]) for run in _SELECTORS.findall(text)]
    found += [_bits(run) for run in _BINARY.findall(text)]
    return [one for one in found if one]


def report_hidden_text(hidden: list[str], what: str, report: Report) -> None:
    """Warn of messages that were found."""
    shown = " ".join(" / ".join(hidden).split())
    shown = shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + "…"
    message = f"{what}: invisible characters spell {shown!r}"
    report.warning(HIDDEN_TEXT, message, "remove them: a model reads what people cannot see")


def _selected(char: str) -> int:
    """Return the byte that a variation selector stands for: the first 16 of them, then the other 240."""
    return ord(char) - 0xFE00 if char <= "\ufe0f" else ord(char) - 0xE0100 + 16


def _bits(run: str) -> str:
    """Return the message whose bits are two kinds of characters, whichever of them is 1."""
    kinds = sorted(set(run))
    if len(kinds) != 2:
        return ""
    for one in kinds:
        bits = "".join("1" if char == one else "0" for char in run)
        message = _decoded([int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)])
        if message:
            return message
    return ""


def _decoded(data: list[int]) -> str:
    """Return the bytes as text, or nothing where they are none."""
    try:
        text = bytes(data).decode("utf-8")
    except (UnicodeDecodeError, ValueError):
        return ""
    return text if len(text) >= LEAST and text.replace("\n", " ").isprintable() else ""
