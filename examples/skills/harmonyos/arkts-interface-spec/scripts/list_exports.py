#!/usr/bin/env python3
"""Follow the exports of an ArkTS package from its entry file and list them with their public methods."""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ENDINGS = ("", ".ets", ".ts", ".d.ts", "/Index.ets", "/index.ets", "/index.ts", "/Index.d.ts")
COMMENT_OR_STRING = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`", re.DOTALL
)
DECLARATION = re.compile(
    r"\bexport\s+(?P<default>default\s+)?(?:declare\s+|abstract\s+|async\s+)*"
    r"(?P<kind>class|interface|struct|enum|function|const|let|type|namespace)\s+(?P<name>[\w$]+)"
)
NAMED = re.compile(r"\bexport\s+(?:type\s+)?\{(?P<names>[^}]*)\}(?:\s*from\s*['\"](?P<module>[^'\"]+)['\"])?")
STAR = re.compile(r"\bexport\s+\*(?:\s+as\s+(?P<alias>[\w$]+))?\s+from\s*['\"](?P<module>[^'\"]+)['\"]")
IMPORT = re.compile(
    r"\bimport\s+(?:type\s+)?(?:(?P<default>[\w$]+)\s*,?\s*)?(?:\{(?P<names>[^}]*)\})?\s*from\s*['\"](?P<module>[^'\"]+)['\"]"
)
LOCAL = r"\b(?P<kind>class|interface|struct|enum|function|const|let|type|namespace)\s+{name}\b"
METHOD = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?P<modifiers>(?:(?:public|private|protected|static|async|abstract|override|get|set)\s+)*)"
    r"(?P<name>[#\w$]+)\??\s*(?:<[^(]*>)?\s*\("
)
WITH_MEMBERS = {"class", "interface", "struct"}
OPENING, CLOSING = "([{<", ")]}>"


@dataclass(frozen=True)
class Export:
    """One exported name and where it is declared."""

    name: str
    kind: str
    place: str
    signatures: tuple[str, ...] = ()


@dataclass
class Walk:
    """What has been found so far."""

    root: Path
    exports: list[Export] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    seen: set[tuple[Path, str]] = field(default_factory=set)


def read_code(path: Path) -> str:
    """Return the file without comments and without braces in strings; positions and line numbers stay."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return re.sub(r"[^\n]" if found[0] == "/" else r"[{}]", " ", found)

    return COMMENT_OR_STRING.sub(blank, path.read_text(encoding="utf-8", errors="replace"))


def resolve(module: str, importer: Path) -> Path | None:
    """Return the file that a relative module path stands for; None where there is none."""
    if not module.startswith("."):
        return None
    base = (importer.parent / module).as_posix()
    return next((Path(base + ending).resolve() for ending in ENDINGS if Path(base + ending).is_file()), None)


def pairs(names: str) -> Iterator[tuple[str, str]]:
    """Yield (inner name, outer name) from the text between the braces of an import or export."""
    for part in names.split(","):
        inner, _, outer = part.strip().removeprefix("type ").partition(" as ")
        if inner.strip():
            yield inner.strip(), (outer or inner).strip()


def members(code: str, start: int) -> Iterator[str]:
    """Yield the header of each member of the body that opens after `start`."""
    position = code.find("{", start) + 1
    header = ""
    while 0 < position < len(code) and code[position] != "}":
        char = code[position]
        if char == "{":
            yield header
            header = ""
            position = end_of_block(code, position)
        elif char == ";" or (char == "\n" and is_complete(header, code[position:])):
            yield header
            header = ""
        else:
            header += char
        position += 1
    yield header


def is_complete(header: str, rest: str) -> bool:
    """Tell whether a line break ends this member."""
    text = header.strip()
    if not text or re.fullmatch(r"@\w+(?:\([^)]*\))?", text):
        return False
    arrows_gone = text.replace("=>", "")
    balanced = all(arrows_gone.count(a) == arrows_gone.count(b) for a, b in zip(OPENING, CLOSING, strict=True))
    return balanced and text[-1] not in "=|&.,:?" and not rest.lstrip().startswith(("{", "=", "|", "&", ".", ":"))


def end_of_block(code: str, start: int) -> int:
    """Return the position of the brace that closes the one at `start`."""
    depth = 0
    for position in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position
    return len(code)


def signatures_of(code: str, kind: str, start: int) -> tuple[str, ...]:
    """Return the public signatures of the declaration at `start`, each on one line."""
    if kind == "function":
        header = re.split(r"\{|;", code[start:], maxsplit=1)[0]
        return (" ".join(header.split()),)
    if kind not in WITH_MEMBERS:
        return ()
    found = []
    for header in members(code, start):
        text = " ".join(header.split())
        match = METHOD.match(text)
        hidden = match is None or match["name"].startswith("#") or re.search(r"private|protected", match["modifiers"])
        if not hidden:
            found.append(text)
    return tuple(found)


def add(walk: Walk, path: Path, code: str, name: str, match: re.Match[str]) -> None:
    """Record one declaration under its exported name."""
    line = code.count("\n", 0, match.start("kind")) + 1
    shown = path.relative_to(walk.root) if path.is_relative_to(walk.root) else path
    signatures = signatures_of(code, match["kind"], match.start("kind"))
    walk.exports.append(Export(name, match["kind"], f"{shown.as_posix()}:{line}", signatures))


def follow(walk: Walk, module: str, importer: Path, wanted: str, shown_as: str) -> None:
    """Go on in another module; `wanted` is a name there, or `*` for all of them."""
    target = resolve(module, importer)
    if target is None:
        walk.unresolved.append(f"{shown_as} from {module!r} in {importer.name}")
    elif (target, shown_as) not in walk.seen:
        walk.seen.add((target, shown_as))
        collect(walk, target, wanted, shown_as)


def reexport(walk: Walk, path: Path, code: str, inner: str, outer: str) -> None:
    """Find what `export { inner as outer }` without a module stands for."""
    local = re.search(LOCAL.format(name=re.escape(inner)), code)
    if local:
        add(walk, path, code, outer, local)
        return
    for match in IMPORT.finditer(code):
        imported = {shown: name for name, shown in pairs(match["names"] or "")}
        if match["default"]:
            imported[match["default"]] = "default"
        if inner in imported:
            follow(walk, match["module"], path, imported[inner], outer)
            return
    walk.unresolved.append(f"{outer} in {path.name}")


def collect(walk: Walk, path: Path, wanted: str = "*", shown_as: str = "*") -> None:
    """Add the exports of one file: all of them, or the one called `wanted`."""
    code = read_code(path)
    every = wanted == "*"
    for match in DECLARATION.finditer(code):
        name = "default" if match["default"] else match["name"]
        if every or wanted in {name, match["name"]}:
            add(walk, path, code, match["name"] if every else shown_as, match)
    for match in NAMED.finditer(code):
        for inner, outer in pairs(match["names"]):
            if every or outer == wanted:
                name = outer if every else shown_as
                if match["module"]:
                    follow(walk, match["module"], path, inner, name)
                else:
                    reexport(walk, path, code, inner, name)
    for match in STAR.finditer(code):
        if match["alias"] is None or every:
            follow(walk, match["module"], path, wanted, match["alias"] or shown_as)


def as_markdown(walk: Walk) -> str:
    """Return one table row a signature, or one an export without methods."""
    rows = ["| export | kind | signature | source |", "|---|---|---|---|"]
    for export in walk.exports:
        for signature in export.signatures or ("",):
            shown = f"`{signature}`".replace("|", "\\|") if signature else ""
            rows.append(f"| {export.name} | {export.kind} | {shown} | {export.place} |")
    return "\n".join(rows)


def main() -> int:
    """List the exports; exit status 2 means that the entry file is not there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entry", type=Path, help="entry file of the package, such as Index.ets")
    options = parser.parse_args()
    if not options.entry.is_file():
        sys.stderr.write(f"{options.entry} is not a file: name the entry file, such as Index.ets\n")
        return 2
    entry = options.entry.resolve()
    walk = Walk(root=entry.parent)
    collect(walk, entry)
    sys.stdout.write(as_markdown(walk) + "\n")
    for line in walk.unresolved:
        sys.stderr.write(f"not resolved: {line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
