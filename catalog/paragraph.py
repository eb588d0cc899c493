"""The first paragraph of a Markdown text, which stands in for a missing description."""

import re
from collections.abc import Iterator

LONGEST = 1024
SEARCHED = 8_000
"""Characters of the text that are looked at."""
LINES = 100
"""Lines among which a paragraph must begin: one further down is about a detail."""
PARTS = 5
"""Headings or list items that stand in where there is no paragraph."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"```+|~~~+")
_CODE_WORDS = ("import ", "export ")
_HEADING = re.compile(r"#{1,6}[ \t]+")
_SETEXT = re.compile(r"(?:=+|-+)[ \t]*")
_SKIPPED = re.compile(r"""[|<>]|:::|!\[|\[!|\[[^\]]*\]:|(?:import|export)\s.*['"{;]|[\w-]{1,24}:[ \t]\S+\Z|\W+\Z""")
_LABEL = re.compile(r"\*\*([^*]{1,40}?)(?:[:：]\*\*|\*\*[ \t]?[:：])")
_TELLING = {
    "goal",
    "purpose",
    "description",
    "overview",
    "summary",
    "about",
    "目标",
    "目的",
    "用途",
    "描述",
    "说明",
    "简介",
}
"""Labels before text that says what a skill is for; others, such as version and date, head the text unread."""
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_MARKUP = re.compile(r"[*_]{2,3}|`")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_END = re.compile(r"[.!?](?=\s)|[。！？]")


def first_paragraph(body: str) -> str:
    """Return the first paragraph of prose; failing that the headings, else the first list, else whatever is there."""
    text = body[:SEARCHED]
    if "<!--" in text:
        text = _COMMENT.sub("", text)
    reader = _Reader()
    for number, line in enumerate(_lines(text)):
        if reader.takes_no_more(line) or (number >= LINES and not reader.paragraph):
            break
    return shortened(reader.prose() or reader.outline() or _rest(text))


class _Reader:
    def __init__(self) -> None:
        self.paragraph: list[str] = []
        self.items: list[str] = []
        self.headings: list[str] = []
        self.fence = ""

    def takes_no_more(self, line: str) -> bool:
        """Read one line; tell whether the paragraph ended before it."""
        stripped = line.strip()
        if not stripped:
            return bool(self.paragraph)
        if not self.fence and stripped[0].isalpha() and ": " not in stripped and stripped[:7] not in _CODE_WORDS:
            self.paragraph.append(stripped)  # the common case, for which no pattern is needed
            return False
        return bool(self.paragraph) if self._in_code(stripped) else self._ended_by_markdown(stripped)

    def _ended_by_markdown(self, stripped: str) -> bool:
        heading = _HEADING.match(stripped)
        if heading:
            self.headings.append(stripped[heading.end() :].strip(" \t#"))
            return bool(self.paragraph)
        if self.paragraph and _SETEXT.fullmatch(stripped):
            self.headings.append(" ".join(self.paragraph))
            self.paragraph = []
            return False
        item = _ITEM.match(stripped)
        if item:
            self.items.append(stripped[item.end() :])
        if item or (not self.paragraph and _SKIPPED.match(stripped)):
            return bool(self.paragraph)
        label = _LABEL.match(stripped)
        if self.paragraph or not label or label[1].strip().lower() in _TELLING:
            self.paragraph.append(stripped[label.end() :].strip() if label and not self.paragraph else stripped)
        return False

    def prose(self) -> str:
        return _plain(" ".join(self.paragraph))

    def outline(self) -> str:
        """Return the title and what the text is divided into."""
        title = _plain(self.headings[0]) if self.headings else ""
        parts = [_plain(part) for part in (self.headings[1:] or self.items)[:PARTS]]
        below = "; ".join(part for part in parts if part)
        return f"{title}: {below}" if title and below else title or below

    def _in_code(self, stripped: str) -> bool:
        if stripped[:1] not in ("`", "~"):
            return bool(self.fence)
        fence = _CODE.match(stripped)
        if self.fence:
            if fence and stripped.startswith(self.fence) and not stripped.strip(self.fence[0]):
                self.fence = ""
            return True
        if fence:
            self.fence = fence[0]
        return bool(fence)


def shortened(text: str) -> str:
    """Cut a text that is too long at the end of a sentence, or of a word."""
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST - 1]
    ends = [end.end() for end in _END.finditer(head)]
    if ends and ends[-1] > LONGEST // 3:
        return head[: ends[-1]]
    return (head.rsplit(None, 1)[0] if " " in head[LONGEST // 2 :] else head) + "…"


def _lines(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _rest(text: str) -> str:
    """Return whatever words there are where nothing reads as prose: tables, quotes, HTML."""
    lines = (_plain(_TAG.sub(" ", line)).strip(" |>:-") for line in _lines(text))
    return " ".join([line for line in lines if re.search(r"\w", line)][:3])


def _plain(text: str) -> str:
    if "](" not in text and "`" not in text and "**" not in text and "__" not in text:
        return text.strip()
    return _MARKUP.sub("", _LINK.sub(r"\1", text)).strip()
