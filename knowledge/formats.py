"""Which format a file has, and what cuts it."""

from skill_selector.knowledge.log import cut_log
from skill_selector.knowledge.markdown import cut_markdown
from skill_selector.knowledge.piece import Cutting
from skill_selector.knowledge.prose import cut_prose
from skill_selector.knowledge.python_code import cut_python
from skill_selector.knowledge.records import cut_json, cut_json_lines, cut_settings, cut_yaml
from skill_selector.knowledge.sql import cut_sql

FORMATS = {
    "md": "markdown",
    "markdown": "markdown",
    "mdx": "markdown",
    "txt": "text",
    "text": "text",
    "rst": "rst",
    "adoc": "text",
    "sql": "sql",
    "ddl": "sql",
    "log": "log",
    "out": "log",
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "ini": "ini",
    "cfg": "ini",
    "conf": "ini",
    "properties": "ini",
    "py": "python",
    "pyi": "python",
    "js": "javascript",
    "mjs": "javascript",
    "jsx": "javascript",
    "ts": "typescript",
    "tsx": "typescript",
    "go": "go",
    "java": "java",
    "kt": "kotlin",
    "rs": "rust",
    "rb": "ruby",
    "php": "php",
    "c": "c",
    "h": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "hpp": "cpp",
    "cs": "csharp",
    "scala": "scala",
    "swift": "swift",
    "lua": "lua",
    "proto": "proto",
    "html": "html",
    "sh": "shell",
    "bash": "shell",
    "zsh": "shell",
    "ps1": "powershell",
    "r": "r",
    "csv": "text",
    "tsv": "text",
}
"""By the ending of the name, in lower case."""

_TEXTS = frozenset({"readme", "changelog", "changes", "notes", "license", "makefile", "dockerfile"})
"""Files without an ending that hold text."""
PROSE = frozenset({"text", "rst", "html"})
_CUTTERS = {
    "markdown": cut_markdown,
    "sql": cut_sql,
    "log": cut_log,
    "json": cut_json,
    "jsonl": cut_json_lines,
    "yaml": cut_yaml,
    "python": cut_python,
}


def format_of(name: str) -> str | None:
    """Return the format of a file by its name; None for one that is not read."""
    stem, dot, ending = name.lower().rpartition(".")
    if dot and ending.isdigit():  # a rotated log
        return format_of(stem)
    if not dot:
        return "text" if ending in _TEXTS else None
    return FORMATS.get(ending)


def cut(text: str, kind: str) -> Cutting:
    """Cut a file's text by its format."""
    if kind in _CUTTERS:
        return _CUTTERS[kind](text)
    if kind in {"toml", "ini"}:
        return cut_settings(text, kind)
    return cut_prose(text, kind)
