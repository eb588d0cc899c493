"""Which type a piece is, by rules, where nobody has said so."""

import re

from skill_selector.knowledge.chunk import ChunkType
from skill_selector.knowledge.formats import PROSE
from skill_selector.knowledge.piece import Piece

_EXAMPLE = re.compile(r"(?:^|[/_.-])(?:examples?|samples?|tests?|demos?)(?:[/_.-]|$)", re.IGNORECASE)
_EXAMPLE_TITLE = re.compile(r"\bexamples?\b|\busage\b|示例|例子|范例|用法", re.IGNORECASE)
_SOLUTION = re.compile(
    r"\b(?:solutions?|resolved?|fix(?:es|ed)?|workarounds?|root cause|troubleshoot\w*|causes?|repair)\b"
    r"|解决|处理办法|原因|排查|修复|故障|先查|先核对",
    re.IGNORECASE,
)
_PATTERN = re.compile(r"\bpatterns?\b|\brecipes?\b|\bidioms?\b|模式|套路|写法", re.IGNORECASE)
_SIGNATURE = re.compile(
    r"`[\w.]*[a-z][\w.]*\([^`\n]*\)[^`\n]*`|^#+ .*\b[A-Za-z_]\w*\.[A-Za-z_]\w*"
    r"|\b(?:[Pp]arameters?|[Rr]eturns?|[Rr]aises)\b.*:",
    re.MULTILINE,
)
_ENDPOINT = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE) /\w")
_SQL = frozenset({"sql", "mysql", "postgresql", "sqlite"})


def type_of(piece: Piece, path: str, format_name: str) -> ChunkType:
    """Return the type of a piece of a file."""
    if format_name in {"markdown", *PROSE}:
        return _of_prose(piece, path)
    if format_name == "sql":
        return "table_schema" if piece.kind == "create" else "sql_example"
    if format_name == "log":
        return "error_log"
    if format_name in {"json", "jsonl", "yaml", "toml", "ini"}:
        return _of_record(piece)
    return "example" if _EXAMPLE.search(path) else "code_snippet"


def _of_record(piece: Piece) -> ChunkType:
    if piece.kind == "record:sql":
        return "sql_example"
    if piece.kind == "record:error":
        return "solution_article"
    if piece.kind == "config":
        return "config_snippet"
    return "solution_article" if _SOLUTION.search(piece.text) else "document"


def _of_prose(piece: Piece, path: str) -> ChunkType:
    language = piece.kind.removeprefix("fence:") if piece.kind.startswith("fence:") else None
    titled = f"{path} {piece.title}"
    has_code = any(one.kind == "error_code" for one in piece.entities)
    if has_code and _SOLUTION.search(f"{piece.title} {piece.text}"):
        return "solution_article"
    if language in _SQL or (_PATTERN.search(titled) and any(one.kind == "table" for one in piece.entities)):
        return "query_pattern" if _PATTERN.search(titled) else "sql_example"
    if language and language in {"yaml", "json", "toml", "ini"}:
        return "config_snippet"
    if _EXAMPLE_TITLE.search(piece.title) or _EXAMPLE.search(path):
        return "example"
    if _SIGNATURE.search(piece.text) or _ENDPOINT.search(piece.text):
        return "api_documentation"
    return "code_snippet" if language else "document"
