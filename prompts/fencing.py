"""Text of strangers, made fit to stand in a prompt as data.

Three things keep it data: characters that nobody can see are taken out, angle brackets are escaped, so that no text can
close its block, and the block stands between tags of ours.
"""

import re
import unicodedata

_JOINER, _NON_JOINER, _TEXT_STYLE, _EMOJI_STYLE = "\u200d", "\u200c", "\ufe0e", "\ufe0f"
_SUBDIVISION_FLAG = re.compile(
    # the flags of England, Scotland and Wales: the only tag sequences that are drawn
    "\U0001f3f4\U000e0067\U000e0062"
    "(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
_ESCAPES = str.maketrans(
    # full-width and small brackets too: a model may take them for the plain ones
    {"&": "&amp;"} | dict.fromkeys("<＜﹤", "&lt;") | dict.fromkeys(">＞﹥", "&gt;")
)
_LINE_ENDS = re.compile("\r\n?|[\v\f\x1c-\x1f\x85\u2028\u2029]")
_PLAIN = re.compile(
    "[\t\n -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2460-\u27ff\u3000-\u3163"
    "\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff9f]*"
)
"""Nothing to take out: most code, and ordinary text in English and Chinese."""
_UNSEEN = re.compile(
    "[\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0\ufff0-\ufff8"  # letters drawn as nothing
    "\ufe00-\ufe0f\U000e0000-\U000e0fff]"  # variation selectors, and the plane of tags
)
_SEEN = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]")
"""Arabic signs that Unicode calls format characters, and that are drawn."""
_EMOJI = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_JOINING_SCRIPTS = re.compile("[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af]")
"""Arabic and Indic letters, and their neighbours, whose shape a joiner or non-joiner decides."""


def clean(text: str) -> str:
    """Return the text without control characters and without characters that nobody can see.

    Emoji sequences, flags, and the joiners that Arabic and Indic scripts need stay whole; tabs and line ends stay.
    """
    if _PLAIN.fullmatch(text):
        return text
    text = _LINE_ENDS.sub("\n", text)
    kept: list[str] = []
    at = 0
    while at < len(text):
        flag = _SUBDIVISION_FLAG.match(text, at)
        if flag:
            kept.append(flag.group())
            at = flag.end()
            continue
        if not _invisible(text, at):
            kept.append(text[at])
        at += 1
    return "".join(kept)


def _invisible(text: str, at: int) -> bool:
    char = text[at]
    if char in "\t\n":
        return False
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if char in (_EMOJI_STYLE, _TEXT_STYLE):
        return not (_EMOJI.match(before) or (before in "0123456789#*" and before and after == "\u20e3"))
    if char == _JOINER and before and _EMOJI.match(after):
        return not (_EMOJI.match(before) or before == _EMOJI_STYLE)
    if char in (_JOINER, _NON_JOINER):
        return not (_JOINING_SCRIPTS.match(before) and _JOINING_SCRIPTS.match(after))
    if _UNSEEN.match(char):
        return True
    # Cc control, Cf format, Cs half of a surrogate pair
    return unicodedata.category(char) in {"Cc", "Cf", "Cs"} and not _SEEN.match(char)


def escape(text: str) -> str:
    """Return the text, cleaned, with the characters that could make a tag escaped."""
    return clean(text).translate(_ESCAPES)


def one_line(text: str) -> str:
    """Return the text, cleaned, on one line, so that it cannot pass for the structure around it."""
    return " ".join(clean(text).split())


def fence(tag: str, body: str) -> str:
    """Return `body`, which must be escaped already, between an opening and a closing tag."""
    return f"<{tag}>\n{body}\n</{tag}>"


def field(tag: str, value: str) -> str:
    """Return one escaped value on one line between its tags."""
    return f"<{tag}>{escape(one_line(value))}</{tag}>"


def attribute(name: str, value: str) -> str:
    """Return one escaped value on one line as an attribute of a tag."""
    return f'{name}="{escape(one_line(value)).replace(chr(34), "&quot;")}"'
