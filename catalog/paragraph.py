"""The first paragraph of a Markdown text, which stands in for a missing description."""

import re

LONGEST = 1024
SEARCHED = 20_000
"""Characters of the body that are looked at."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"[ \t]*(```+|~~~+)")
_HEADING = re.compile(r"#{1,6}[ \t]+")
_SETEXT = re.compile(r"(?:=+|-+)[ \t]*")
_SKIPPED = re.compile(r"""[|<>]|:::|!\[|\[!|\[[^\]]*\]:|(?:import|export)\s.*['"{;]|\W+\Z""")
_LABEL = re.compile(r"\*\*([^*]{1,40}?)(?:[:：]\*\*|\*\*[ \t]?[:：])")
_TELLING = {"goal", "purpose", "description", "overview", "summary", "about", "目标", "目的", "用途", "描述", "说明", "简介"}
"""Labels before text that says what a skill is for; others, such as version and date, head the text unread."""
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_MARKUP = re.compile(r"[*_]{2,3}|`")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_END = re.compile(r"[.!?](?=\s)|[。！？]")


def first_paragraph(body: str) -> str:
    """Return the first paragraph of prose; failing that the first list, else the first heading, else nothing."""
    text = _COMMENT.sub("", body[:SEARCHED])
    reader = _Reader()
    for line in text.split("\n"):
        if reader.takes_no_more(line):
            break
    prose = _plain(" ".join(reader.paragraph))
    return shortened(prose or "; ".join(filter(None, reader.items)) or reader.heading or _rest(text))


class _Reader:
    def __init__(self) -> None:
        self.paragraph: list[str] = []
        self.items: list[str] = []
        self.heading = ""
        self.fence = ""

    def takes_no_more(self, line: str) -> bool:
        """Read one line; tell whether the paragraph ended before it."""
        stripped = line.strip()
        if self._in_code(line, stripped):
            return bool(self.paragraph)
        heading = _HEADING.match(stripped)
        if heading:
            self.heading = self.heading or _plain(stripped[heading.end() :].strip(" \t#"))
            return bool(self.paragraph)
        if self.paragraph and _SETEXT.fullmatch(stripped):
            self.heading = self.heading or _plain(" ".join(self.paragraph))
            self.paragraph = []
            return False
        item = _ITEM.match(stripped)
        if item and len(self.items) < 5:
            self.items.append(_plain(stripped[item.end() :]))
        if not stripped or item or _SKIPPED.match(stripped):
            return bool(self.paragraph)
        label = _LABEL.match(stripped)
        if self.paragraph or not label or label[1].strip().lower() in _TELLING:
            self.paragraph.append(stripped[label.end() :].strip() if label and not self.paragraph else stripped)
        return False

    def _in_code(self, line: str, stripped: str) -> bool:
        fence = _CODE.match(line)
        if self.fence:
            if fence and stripped.startswith(self.fence) and not stripped.strip(self.fence[0]):
                self.fence = ""
            return True
        if fence:
            self.fence = fence[1]
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


def _rest(text: str) -> str:
    """Return whatever words there are where nothing reads as prose: tables, quotes, HTML."""
    lines = (_plain(_TAG.sub(" ", line)).strip(" |>:-") for line in text.split("\n"))
    return " ".join([line for line in lines if re.search(r"\w", line)][:3])


def _plain(text: str) -> str:
    return _MARKUP.sub("", _LINK.sub(r"\1", text)).strip()
