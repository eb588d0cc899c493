"""What scripts take: command-line options, functions' signatures and usage comments, read without running anything."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from skill_selector.catalog.diagnostic import Report
from skill_selector.catalog.encoding import decode
from skill_selector.catalog.source import read_source
from skill_selector.catalog.walker import PRUNED
from skill_selector.knowledge.guess import Guess
from skill_selector.knowledge.python_code import parse_python

MOST_SCRIPTS = 40
MOST_BYTES = 256 * 1024
MOST_FUNCTIONS = 3
"""Functions of a module without options of a command line that are looked at."""

_OPTION_CALLS = frozenset({"add_argument", "option", "argument"})
_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "str": "string", "Path": "string", "list": "array"}
_TYPES |= {
    "List": "array",
    "Sequence": "array",
    "tuple": "array",
    "dict": "object",
    "Dict": "object",
    "Mapping": "object",
}
_IGNORED = frozenset({"self", "cls", "args", "kwargs", "argv", "help", "h", "version", "verbose", "debug", "quiet"})
_USAGE = re.compile(
    r"^\s*(?:#|echo\s+[\"']?)?\s*(?:usage|用法|使用)\s*[:：]\s*(?P<line>.+)$", re.IGNORECASE | re.MULTILINE
)
_USAGE_PART = re.compile(
    r"(?P<open>\[)?\s*(?:(?P<flag>--?[A-Za-z][\w-]*)(?:[ =](?P<value><[^>\s]+>|[A-Z][A-Z0-9_]+))?"
    r"|<(?P<named>[^<>\s]{1,40})>|(?P<upper>[A-Z][A-Z0-9_]{1,39}))"
)
_SHELL_NEEDS = re.compile(r"(?:^|\s)(?P<name>[A-Za-z_]\w*)=[\"']?\$\{(?P<at>\d):\?(?P<says>[^}]*)\}", re.MULTILINE)
_SHELL_DEFAULT = re.compile(r"(?:^|\s)(?P<name>[A-Za-z_]\w*)=[\"']?\$\{(?P<at>\d):-(?P<value>[^}]*)\}", re.MULTILINE)
_SHELL_POSITION = re.compile(
    r"(?:^|\s)(?P<name>[A-Za-z_]\w*)=[\"']?\$\{?(?P<at>[1-9])\}?[\"']?\s*(?:#\s*(?P<says>.*))?$", re.MULTILINE
)


def script_parameters(folder: Path) -> tuple[list[Guess], list[str]]:
    """Return what the scripts below a folder take, and what the first of them say of themselves."""
    found: dict[str, Guess] = {}
    docs: list[str] = []
    for file in _scripts(folder):
        text = _text(file)
        if text is None:
            continue
        place = file.relative_to(folder).as_posix()
        guesses, doc = _of_python(text, place) if file.suffix == ".py" else _of_shell(text, place)
        for guess in guesses:
            found.setdefault(guess.name, guess)
        if doc:
            docs.append(f"{place}: {doc}")
    return list(found.values()), docs


def _scripts(folder: Path) -> list[Path]:
    found = []
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder).parts
        if file.suffix not in {".py", ".sh", ".bash"} or file.is_symlink() or not file.is_file():
            continue
        if not any(part.startswith(".") or part in PRUNED or part in {"tests", "test"} for part in inside):
            found.append(file)
        if len(found) >= MOST_SCRIPTS:
            break
    return found


def _text(file: Path) -> str | None:
    try:
        return decode(read_source(str(file), limit=MOST_BYTES).data, Report(str(file)))
    except OSError:
        return None


def _of_python(text: str, place: str) -> tuple[list[Guess], str]:
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], ""
    doc = " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())[:300]
    options = [guess for node in ast.walk(tree) if isinstance(node, ast.Call) if (guess := _option(node, place))]
    return options or list(_functions(tree, place)), doc


def _option(call: ast.Call, place: str) -> Guess | None:
    """Return the parameter that a call of argparse or click adds."""
    function = call.func
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    names = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if called not in _OPTION_CALLS or not names:
        return None
    flag = next((one for one in names if one.startswith("--")), names[0])
    given = {one.arg: _constant(one.value) for one in call.keywords if one.arg}
    name = str(given.get("dest") or flag.lstrip("-").replace("-", "_"))
    if not name or name in _IGNORED:
        return None
    kind = next((one.value for one in call.keywords if one.arg == "type"), None)
    schema: dict[str, object] = {"type": _type_name(kind) if kind is not None else "string"}
    if given.get("action") in {"store_true", "store_false"} or given.get("is_flag") is True:
        schema["type"] = "boolean"
    if given.get("nargs") in {"+", "*"} or given.get("action") == "append" or given.get("multiple") is True:
        schema = {"type": "array", "items": schema}
    choices = given.get("choices")
    if isinstance(choices, list | tuple) and choices:
        schema["enum"] = list(choices)
    default = given.get("default")
    if isinstance(default, str | int | float) and _fits(default, str(schema["type"])):
        schema["default"] = default
    says = given.get("help")
    if isinstance(says, str):
        schema["description"] = " ".join(says.split())[:300]
    positional = not flag.startswith("-") and given.get("nargs") not in {"?", "*"}
    required = given.get("required") is True or (positional and called != "option")
    return Guess(name=name, schema=schema, required=required, origin=f"{place}:{call.lineno}")


def _functions(tree: ast.Module, place: str) -> Iterator[Guess]:
    public = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]
    documented = [node for node in public if ast.get_docstring(node)] or public
    for node in documented[:MOST_FUNCTIONS]:
        says = _argument_lines(ast.get_docstring(node) or "")
        positional = [*node.args.posonlyargs, *node.args.args]
        missing = len(positional) - len(node.args.defaults)
        defaults: list[ast.expr | None] = [*[None] * missing, *node.args.defaults]
        pairs = [
            *zip(positional, defaults, strict=True),
            *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
        ]
        for argument, default in pairs:
            if argument.arg in _IGNORED or argument.arg.startswith("_"):
                continue
            schema: dict[str, object] = {"type": _type_name(argument.annotation)}
            value = _constant(default) if default is not None else None
            if isinstance(value, str | int | float) and _fits(value, str(schema["type"])):
                schema["default"] = value
            if argument.arg in says:
                schema["description"] = says[argument.arg]
            yield Guess(
                name=argument.arg,
                schema=schema,
                required=default is None,
                origin=f"{place}:{node.lineno} {node.name}()",
            )


def _argument_lines(docstring: str) -> dict[str, str]:
    """Return what a docstring says of arguments, in Google's, numpy's or Sphinx's way."""
    found = {}
    for line in docstring.split("\n"):
        match = re.match(r"\s*(?::param\s+)?(?P<name>[A-Za-z_]\w*)\s*(?:\([^)]*\))?\s*[:：]\s*(?P<says>\S.*)$", line)
        if match:
            found[match["name"]] = match["says"].strip()[:300]
    return found


def _of_shell(text: str, place: str) -> tuple[list[Guess], str]:
    found: dict[str, Guess] = {}

    def add(name: str, required: bool, at: int, **schema: object) -> None:
        key = name.strip("-<>").replace("-", "_").lower()
        if key and key not in _IGNORED and re.fullmatch(r"\w+", key) and not key.startswith("option"):
            origin = f"{place}:{text.count(chr(10), 0, at) + 1}"
            found.setdefault(
                key, Guess(name=key, schema={"type": "string", **schema}, required=required, origin=origin)
            )

    for one in _SHELL_NEEDS.finditer(text):
        says = " ".join(one["says"].split())[:300]
        add(one["name"], True, one.start("name"), **({"description": says} if says else {}))
    for one in _SHELL_DEFAULT.finditer(text):
        add(one["name"], False, one.start("name"), default=one["value"])
    for one in _SHELL_POSITION.finditer(text):
        says = " ".join((one["says"] or "").split())[:300]
        add(one["name"], True, one.start("name"), **({"description": says} if says else {}))
    usage = None if found else _USAGE.search(text)
    for part in _USAGE_PART.finditer(usage["line"]) if usage else ():
        named = part["flag"] or part["named"] or part["upper"]
        kind = "boolean" if part["flag"] and not part["value"] else "string"
        add(named, not part["open"] and not part["flag"], usage.start() if usage else 0, type=kind)
    return list(found.values()), _comment(text)


def _comment(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        if line.startswith("#!"):
            continue
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").strip())
    return " ".join(" ".join(lines).split())[:300]


def _type_name(node: ast.expr | None) -> str:
    for inner in ast.walk(node) if node is not None else ():
        name = inner.id if isinstance(inner, ast.Name) else inner.attr if isinstance(inner, ast.Attribute) else ""
        if name in _TYPES:
            return _TYPES[name]
    return "string"


def _fits(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return kind == {"str": "string", "int": "integer", "float": "number"}[type(value).__name__] or (
        kind == "number" and isinstance(value, int)
    )


def _constant(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
