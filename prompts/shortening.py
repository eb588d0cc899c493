"""Cutting text to a number of tokens without losing what decides.

A model's own tokeniser is not at hand offline, so tokens are estimated. Each of these counts as one: a Chinese,
Japanese or Korean character, up to 8 letters of a word, up to 2 letters of another script, a digit, up to 4 signs in a
row, a line end. Against Qwen's tokeniser that is 0.9 to 1.2 times the true count for English, Markdown and JSON, and
1.4 times for Chinese, which the tokenisers of other models cut finer; a single short text may count up to a fifth too
little.
"""

import re
from itertools import islice

CUT = "…"

_WIDE = "\u1100-\u11ff\u2e80-\u303f\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_WIDE}]|[A-Za-z]{{1,8}}|[^\W\d_{_WIDE}]{{1,2}}|\d|\n|\s{{2,16}}|_|[^\w\s{_WIDE}]{{1,4}}")
_SENTENCE_END = re.compile(r"(?<=[。！？；])|(?<=[!?;])\s+|(?<=\.)\s+(?=[^a-z\s])|\n+")
_CLAUSE_END = re.compile(r"(?<=[，、：])|(?<=[,:)])\s+")
_SPACE = re.compile(r"\s+")
_EXCLUSION = re.compile(
    r"\b(?:(?:do not|don['’]t|never|not to|avoid) (?:use|using|invoke|apply|trigger|choose|call|pick)\b"
    r"|avoid (?:when|if|for|in)\b|does(?: not|n['’]t) (?:cover|support|handle|apply)\b"
    r"|not (?:for|intended|meant|suitable|suited|applicable|supported|to be used|designed|when)\b|cannot be used\b"
    r"|except (?:for|when|if|in)\b|unsuitable\b|unsupported\b|out of scope\b"
    r"|(?:skip|exclud)\w* (?:for|when|if|this)\b|excludes?\b|exclusions?\b|anti-triggers?\b)"
    r"|不(?:要|得|能|可|应|宜|会|再)?(?:适用|适合|用于|用来|使用|支持|处理|包括|包含|涉及|覆盖|负责)|[请切]勿|勿用|避免(?:用|在)"
    r"|除了|除外|禁止|禁用|严禁|并非|排除|别用|超出范围|范围外",
    re.IGNORECASE,
)
"""What says what a skill is not for; better a sentence too many than one too few."""
_NEAR = 40
"""How many characters before the exclusion its clause may begin."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a model counts for the text."""
    return len(_TOKEN.findall(text))


def shorten(text: str, tokens: int) -> str:
    """Return the text cut at the end of a sentence to about `tokens` tokens.

    Sentences that say what something is not for are kept before all others, in their place; `…` marks what is left out.
    """
    if estimate_tokens(text) <= tokens:
        return text
    parts = [part for sentence in _SENTENCE_END.split(text) if sentence.strip() for part in _split(sentence.strip())]
    exclusions = [number for number, part in enumerate(parts) if _EXCLUSION.search(part)]
    others = [number for number in range(len(parts)) if number not in exclusions]
    kept: dict[int, str] = {}
    # Two thirds of the room are the exclusions' own; what they leave of it goes to the rest.
    left = tokens - _keep(parts, exclusions, tokens * 2 // 3 if others else tokens, kept)
    _keep(parts, others, left, kept)
    return _join(parts, kept)


def elide(text: str, tokens: int) -> str:
    """Return the text with its middle left out where it is longer than about `tokens` tokens.

    The beginning and the end stay: a long task says what it wants in one of them.
    """
    if estimate_tokens(text) <= tokens:
        return text
    head = prefix(text, tokens * 2 // 3)
    tail = prefix(text[::-1], tokens - tokens * 2 // 3)[::-1]
    return f"{head.rstrip()}\n[{CUT}]\n{tail.lstrip()}"


def _split(sentence: str) -> list[str]:
    """Return the sentence in two, what it says and what it excludes, where it does both."""
    found = _EXCLUSION.search(sentence)
    if found is None:
        return [sentence]
    starts = [0, *(end.end() for end in _CLAUSE_END.finditer(sentence, 0, found.start()))]
    start = starts[-1] if found.start() - starts[-1] <= _NEAR else found.start()
    return [part for part in (sentence[:start].strip(), sentence[start:]) if part]


def _keep(parts: list[str], numbers: list[int], tokens: int, kept: dict[int, str]) -> int:
    """Add parts to `kept` as long as they fit, the last one cut; return how many tokens they took."""
    used = 0
    for number in numbers:
        part = parts[number]
        if used + estimate_tokens(part) > tokens:
            # A piece of a later sentence helps only where it is an exclusion, or where there is nothing else.
            part = _cut(part, tokens - used) if not used or _EXCLUSION.search(part) else ""
            if part:
                kept[number] = part
                used += estimate_tokens(part)
            break
        kept[number] = part
        used += estimate_tokens(part)
    return used


def _cut(part: str, tokens: int) -> str:
    """Return the beginning of a part, cut at a clause or a word where one ends in its second half."""
    room = prefix(part, tokens - 1)
    for pattern in (_CLAUSE_END, _SPACE):
        ends = [end.start() for end in pattern.finditer(room)]
        if ends and ends[-1] > len(room) // 2:
            room = room[: ends[-1]]
            break
    return room.rstrip(" ,，、:：") + CUT if room else ""


def prefix(text: str, tokens: int) -> str:
    """Return the longest beginning of the text that counts at most `tokens` tokens."""
    ends = [one.end() for one in islice(_TOKEN.finditer(text), max(0, tokens) + 1)]
    if len(ends) <= tokens:
        return text
    return text[: ends[tokens - 1]] if tokens > 0 else ""


def _join(parts: list[str], kept: dict[int, str]) -> str:
    text = ""
    expected = 0
    for number in sorted(kept):
        if number != expected and not text.endswith(CUT):
            text += f" {CUT}"
        gap = "" if text[-1:] in "，。！？；：、" else " "
        text += gap + kept[number]
        expected = number + 1
    if expected < len(parts) and not text.endswith(CUT):
        text += f" {CUT}"
    return text.strip()
