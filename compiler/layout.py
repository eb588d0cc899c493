"""How a piece of context looks in the prompt: cited, fenced off, code in a fence with its language, names in bold."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from skill_selector.knowledge.chunk import Chunk
from skill_selector.prompts.fencing import escape, one_line
from skill_selector.prompts.guarding import guard

PLAIN = frozenset({"text", "rst", "html", ""})
"""Languages of prose, beside Markdown."""
_VERBATIM = frozenset({"error_log", "config_snippet", "code_snippet", "sql_example", "table_schema"})
"""Types that are fenced even where their language is plain text."""
_TICKS = re.compile(r"`{3,}")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_KEEP = re.compile(r"(`+[^`\n]*`+|https?://\S+|\*\*[^*\n]+\*\*|\[[^\]\n]*\]\([^)\n]*\))")
_TELLING = re.compile(r"\w[._]\w|[a-z][A-Z]|\d", re.ASCII)
"""In names that are no ordinary words: `orders` in bold all over would say nothing."""
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}")

HEADINGS = {
    "table_schema": ("Table definitions", "表结构参考"),
    "sql_example": ("SQL examples", "SQL 示例"),
    "query_pattern": ("Query patterns", "SQL 模式参考"),
    "api_documentation": ("API documentation", "接口文档"),
    "code_snippet": ("Code", "代码片段"),
    "example": ("Examples", "示例"),
    "error_log": ("Log entries", "错误日志"),
    "solution_article": ("Solutions", "解决方案"),
    "config_snippet": ("Configuration", "配置"),
    "document": ("Background", "背景说明"),
    "rescued": ("From other skills", "来自其他技能"),
}
"""By type of chunk, in English and Chinese; those of source 002's example among them."""


@dataclass(frozen=True)
class Layout:
    """The looks of one prompt."""

    names: Sequence[str]
    """What is set in bold in prose."""
    _bodies: dict[tuple[str, str], str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def block(self, number: int, chunk: Chunk, text: str | None = None) -> str:
        """Return a piece between tags of its own, which no text of it can close.

        Args:
            number: its citation.
            chunk: the piece.
            text: what is left of its text, where it was shortened.
        """
        dated = f' date="{chunk.date}"' if chunk.date else ""
        source = _attribute(chunk.source)
        return f'<source n="{number}" from="{source}"{dated}>\n{self.body(chunk, text)}\n</source>'

    def body(self, chunk: Chunk, text: str | None = None) -> str:
        """Return the text of a piece, guarded, with code in a fence."""
        if text is None:
            key = chunk.id, chunk.text
            if key not in self._bodies:
                self._bodies[key] = self._body(chunk, chunk.text)
            return self._bodies[key]
        return self._body(chunk, text)

    def _body(self, chunk: Chunk, text: str) -> str:
        own = guard(text).strip("\n")
        if chunk.language == "markdown" or (chunk.language in PLAIN and chunk.type not in _VERBATIM):
            return _closed(self._emphasised(own))
        return fenced(own, chunk.language)

    def _emphasised(self, text: str) -> str:
        names = [
            re.escape(guard(name)) for name in sorted(set(self.names), key=len, reverse=True) if _TELLING.search(name)
        ]
        if not names:
            return text
        found = re.compile(rf"(?<![\w`*.])({'|'.join(names)})(?![\w`*])")
        lines: list[str] = []
        open_fence = ""
        for line in text.split("\n"):
            open_fence, inside = _track(line, open_fence)
            if inside or line.startswith(("    ", "\t")):
                lines.append(line)
            else:
                parts = _KEEP.split(line)
                lines.append("".join(one if at % 2 else found.sub(r"**\1**", one) for at, one in enumerate(parts)))
        return "\n".join(lines)


def fenced(text: str, language: str) -> str:
    """Return text in a code fence longer than any in it."""
    longest = max((len(one) for one in _TICKS.findall(text)), default=2)
    ticks = "`" * max(3, longest + 1)
    known = language if _LANGUAGE.fullmatch(language) and language != "text" else ""
    return f"{ticks}{known}\n{text}\n{ticks}"


def heading(kind: str, chinese: bool) -> str:
    """Return the heading over the pieces of a type."""
    english, translated = HEADINGS.get(kind, HEADINGS["document"])
    return f"## {translated if chinese else english}"


def ordered_types(preferred: Iterable[str], present: Iterable[str]) -> list[str]:
    """Return the types that are there, the preferred ones first in their order."""
    present = list(dict.fromkeys(present))
    first = [one for one in dict.fromkeys(preferred) if one in present]
    return first + [one for one in present if one not in first]


def _attribute(value: str) -> str:
    return escape(one_line(value)).replace('"', "&quot;")


def _closed(text: str) -> str:
    """Return Markdown with the fence closed that its text leaves open."""
    open_fence = ""
    for line in text.split("\n"):
        open_fence, _ = _track(line, open_fence)
    return f"{text}\n{open_fence}" if open_fence else text


def _track(line: str, open_fence: str) -> tuple[str, bool]:
    """Return the fence that is open behind a line, empty for none, and whether the line is of one."""
    found = _FENCE.match(line)
    if not found:
        return open_fence, bool(open_fence)
    mark, info = found[1], found[2]
    if not open_fence:
        # backticks in the info string make it no fence
        opens = mark[0] == "~" or "`" not in info
        return (mark, True) if opens else ("", False)
    closes = mark[0] == open_fence[0] and len(mark) >= len(open_fence) and not info.strip()
    return ("", True) if closes else (open_fence, True)
