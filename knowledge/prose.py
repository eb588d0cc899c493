"""Plain text, code in many languages, and whatever is too long: cut by LangChain's splitters, with line numbers."""

from functools import lru_cache
from typing import Any

from skill_selector.knowledge.piece import LONGEST, Cutting, Piece

ROOM = 1_200
"""Characters of one piece of plain text."""

_SPLITTERS = {
    "javascript": "js",
    "typescript": "ts",
    "go": "go",
    "java": "java",
    "kotlin": "kotlin",
    "rust": "rust",
    "ruby": "ruby",
    "php": "php",
    "c": "c",
    "cpp": "cpp",
    "csharp": "csharp",
    "scala": "scala",
    "swift": "swift",
    "lua": "lua",
    "proto": "proto",
    "html": "html",
    "rst": "rst",
    "python": "python",
}
"""Languages that LangChain knows where to cut, by the name that a code fence has."""


def cut_prose(text: str, language: str) -> Cutting:
    """Cut a text at paragraphs, or code between functions."""
    return Cutting([Piece(part, "", line, language, "text") for part, line in split(text, language, ROOM)])


def shortened(piece: Piece) -> list[Piece]:
    """Return a piece, cut again where it is longer than `LONGEST`; the parts keep its title and entities."""
    if len(piece.text) <= LONGEST:
        return [piece]
    parts = split(piece.text, piece.language, LONGEST)
    return [
        Piece(part, piece.title, piece.start + line - 1, piece.language, piece.kind, piece.entities, piece.stated)
        for part, line in parts
    ]


def split(text: str, language: str, room: int) -> list[tuple[str, int]]:
    """Return parts of at most `room` characters, each with the number of its first line."""
    found = []
    at = line = 0
    for document in _splitter(language, room).create_documents([text]):
        start = document.metadata["start_index"]
        # The library looks for each part in the text again, and may miss it.
        start = max(start, at)
        line += text.count("\n", at, start)
        at = start
        if document.page_content.strip():
            found.append((document.page_content, line + 1))
    return found


@lru_cache(maxsize=64)
def _splitter(language: str, room: int) -> Any:
    from langchain_text_splitters import (  # noqa: PLC0415 - a fifth of a second
        Language,
        RecursiveCharacterTextSplitter,
    )

    options: dict[str, Any] = {"chunk_size": room, "chunk_overlap": 0, "add_start_index": True}
    known = _SPLITTERS.get(language)
    if known:
        return RecursiveCharacterTextSplitter.from_language(Language(known), **options)
    separators = ["\n\n", "\n", "。", "！", "？", ". ", "；", "; ", "，", ", ", " ", ""]
    return RecursiveCharacterTextSplitter(separators=separators, keep_separator="end", **options)
