#!/usr/bin/env python3
"""List the places where C or C++ sources lean on one platform, as Markdown or JSON."""

import argparse
import json
import re
import sys
from pathlib import Path

SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc"}
SKIPPED_FOLDERS = {".git", "build", "node_modules", "out"}
SHOWN_PLACES = 3

GROUPS = {
    "process": r"\b(?:fork|vfork|popen|posix_spawnp?|execl|execle|execlp|execv|execve|execvp|system)\s*\(",
    "ipc": r"\b(?:shmget|shmat|semget|semop|msgget|mq_open|shm_open)\s*\(",
    "glibc": r"\b(?:backtrace(?:_symbols)?|mallinfo2?|gnu_get_libc_version|makecontext|swapcontext)\s*\("
    r"|<(?:execinfo|argp|fts|obstack|error)\.h>|\bRTLD_DEEPBIND\b",
    "dlopen": r"\bdlm?open\s*\(",
    "paths": r'"/(?:tmp|etc|var|usr|proc|dev|home)\b',
    "accounts": r"\b(?:getpwnam|getpwuid|getgrnam|setuid|setgid|getlogin)(?:_r)?\s*\(",
    "network": r"\b(?:SOCK_RAW|AF_NETLINK|PF_PACKET|AF_PACKET)\b",
    "macros": r"\b(?:__linux__|__ANDROID__|__APPLE__|__FreeBSD__|_WIN32|__GLIBC__)\b",
    "simd": r"\b(?:__asm__|__asm|_mm\d*_\w+)\b|<(?:immintrin|emmintrin|xmmintrin|arm_neon)\.h>",
}
PATTERNS = {group: re.compile(pattern) for group, pattern in GROUPS.items()}
COMMENT_OR_STRING = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.DOTALL)

Findings = dict[str, list[str]]


def without_comments(text: str) -> str:
    """Blank out comments, keeping strings and line numbers."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return found if found[0] != "/" else "\n" * found.count("\n")

    return COMMENT_OR_STRING.sub(blank, text)


def source_files(root: Path) -> list[Path]:
    """Return the C and C++ files under `root` in a stable order."""
    return sorted(
        path
        for path in root.rglob("*")
        if path.suffix.lower() in SUFFIXES
        and path.is_file()
        and not SKIPPED_FOLDERS & set(path.relative_to(root).parts)
    )


def find_places(root: Path) -> Findings:
    """Return `file:line: text` of every hit, by group."""
    places: Findings = {group: [] for group in GROUPS}
    for path in source_files(root):
        text = without_comments(path.read_text(encoding="utf-8", errors="replace"))
        for number, line in enumerate(text.splitlines(), 1):
            for group, pattern in PATTERNS.items():
                if pattern.search(line):
                    place = f"{path.relative_to(root).as_posix()}:{number}"
                    places[group].append(f"{place}: {line.strip()[:100]}")
    return places


def as_markdown(places: Findings) -> str:
    """Return one table row a group, with the first few places."""
    rows = ["| group | hits | files | first places |", "|---|---|---|---|"]
    for group, found in places.items():
        files = {place.split(":", 1)[0] for place in found}
        first = "<br>".join("`" + place.replace("|", "\\|") + "`" for place in found[:SHOWN_PLACES])
        rows.append(f"| {group} | {len(found)} | {len(files)} | {first} |")
    return "\n".join(rows)


def main() -> int:
    """Run the scan; exit status 2 means that the folder can't be scanned."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path, help="folder with the sources")
    parser.add_argument("--json", action="store_true", help="every place, as JSON")
    options = parser.parse_args()
    if not options.root.is_dir():
        sys.stderr.write(f"{options.root} is not a folder: name the folder that holds the sources\n")
        return 2
    places = find_places(options.root)
    text = json.dumps(places, indent=2, ensure_ascii=False) if options.json else as_markdown(places)
    sys.stdout.write(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
