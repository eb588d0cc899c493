"""Characters that nobody sees: taken out of texts that people and models choose by."""

import re
import unicodedata

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_DIRECTION_MARKS = "\u200e\u200f\u061c"
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f")
_SPACES = "\x0b\x0c\u2028\u2029"


def without_invisible(text: str) -> tuple[str, list[str]]:
    """Return the text without characters that are invisible or change the reading direction, and which they were.

    Those that scripts and emoji need stay: joiners inside Arabic, Indic and emoji sequences, one variation selector
    behind a character that has variants, direction marks in text with letters written from the right, a flag's tags.
    """
    if (text.isascii() and text.isprintable()) or not _SUSPECT.search(text):
        return text, []
    flags = [span for flag in _FLAG.finditer(text) for span in range(flag.start(), flag.end())]
    right_to_left = any(_is_right_to_left(character) for character in text)
    kept: list[str] = []
    removed: dict[str, None] = {}
    for at, character in enumerate(text):
        if not _SUSPECT.match(character) or at in flags or _belongs(text, at, right_to_left):
            kept.append(character)
            continue
        removed[f"U+{ord(character):04X}"] = None
        if character in _SPACES:
            kept.append(" ")
    return "".join(kept), list(removed)


def _belongs(text: str, at: int, right_to_left: bool) -> bool:
    character, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if character in _DIRECTION_MARKS:
        return right_to_left
    if character in (_ZWNJ, _ZWJ):
        return (_joins(before) and _joins(after)) or (character == _ZWJ and _is_emoji(before) and _is_emoji(after))
    if "\ufe00" <= character <= "\ufe0f":
        return bool(before) and not before.isspace() and not _is_letter(before) and not _SUSPECT.match(before)
    if "\U000e0100" <= character <= "\U000e01ef":
        return "\u3400" <= before < "\U000e0000" and not _SUSPECT.match(before)
    return 0x180B <= ord(character) <= 0x180F and "\u1800" <= before <= "\u18af"


def _is_right_to_left(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL") and unicodedata.category(character)[0] == "L"


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def _joins(character: str) -> bool:
    """Tell whether a character is of a script whose letters join: Arabic to Mongolian."""
    return "\u0600" <= character <= "\u18af" and unicodedata.category(character)[0] in "LM"


def _is_emoji(character: str) -> bool:
    return character == "\ufe0f" or (bool(character) and unicodedata.category(character) in ("So", "Sk"))
