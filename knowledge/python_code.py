"""Python, cut at functions and classes by `ast`."""

import ast
import warnings

from skill_selector.knowledge.chunk import Entity
from skill_selector.knowledge.entities import entities_of_code, error_codes_in
from skill_selector.knowledge.piece import LONGEST, Cutting, Piece, trimmed
from skill_selector.knowledge.prose import cut_prose

LONG_CLASS = LONGEST // 2
"""Characters from which on a class is cut at its methods."""

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def cut_python(text: str) -> Cutting:
    """Cut a module at its functions and classes; what stands between them makes pieces of its own."""
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        fault = ("bad_python", f"line {line}: it is no Python 3 ({error.__class__.__name__})", "correct it")
        return Cutting(cut_prose(text, "python").pieces, [fault])
    lines = text.split("\n")
    pieces: list[Piece] = []
    _cut(tree.body, lines, range(1, len(lines) + 1), "", pieces)
    return Cutting(pieces)


def parse_python(text: str) -> ast.Module:
    """Return the tree of a module, without the compiler's warnings about other people's code.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is none that can be parsed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _cut(body: list[ast.stmt], lines: list[str], block: range, prefix: str, pieces: list[Piece]) -> None:
    """Add the pieces of a block of lines, counted from 1."""
    at = block.start
    for node in body:
        if not isinstance(node, _Definition):
            continue
        start = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        while start > at and lines[start - 2].lstrip().startswith("#"):
            start -= 1
        _between(lines, range(at, start), prefix, pieces)
        name = f"{prefix}{node.name}"
        end = node.end_lineno or start
        text = "\n".join(lines[start - 1 : end])
        if isinstance(node, ast.ClassDef) and len(text) > LONG_CLASS:
            _cut(node.body, lines, range(start, end + 1), f"{name}.", pieces)
        else:
            pieces.append(Piece(text, name, start, "python", _kind(node), tuple(_names(node, name))))
        at = end + 1
    _between(lines, range(at, block.stop), prefix, pieces)


def _kind(node: _Definition) -> str:
    return "class" if isinstance(node, ast.ClassDef) else "function"


def _between(lines: list[str], block: range, prefix: str, pieces: list[Piece]) -> None:
    text, start = trimmed(lines[block.start - 1 : block.stop - 1], block.start)
    if text.strip():
        title = prefix.rstrip(".") if prefix else ""
        pieces.append(Piece(text, title, start, "python", "module", tuple(entities_of_code(text))))


def _names(node: _Definition, name: str) -> list[Entity]:
    kind = "class" if isinstance(node, ast.ClassDef) else "function"
    found = [Entity(kind, name, True)]  # type: ignore[arg-type]
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and inner is not node:
            found.append(Entity("function", f"{name}.{inner.name}", True))
        elif isinstance(inner, ast.Call):
            found.append(Entity("function", _dotted(inner.func)))
        elif isinstance(inner, ast.Raise | ast.ExceptHandler):
            found += [Entity("error_code", code) for code in error_codes_in(ast.unparse(inner)[:500])]
    return found


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))
