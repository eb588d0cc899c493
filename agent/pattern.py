"""One entry of a list of tools: `Read`, `github:*`, `mcp__github__search`, `Bash(git:*)`, `WebFetch(domain:a.org)`."""

import posixpath
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from skill_selector.agent.commandline import simple_commands
from skill_selector.agent.traits import MCP_SEPARATOR, ToolTraits

_WRITTEN = re.compile(r"(?P<name>[^(（]*)(?:[(（](?P<argument>.*?)[)）]?)?", re.DOTALL)
_COMMANDS = ("command", "cmd", "commands", "script", "code", "bash_command")
_PATHS = ("file_path", "path", "filepath", "filename", "file", "notebook_path", "target_file", "directory", "dir")
_ADDRESSES = ("url", "uri", "address", "link")


@dataclass(frozen=True, slots=True)
class ToolPattern:
    """A rule for tools and, where it has brackets, for the arguments of their calls."""

    text: str
    """As its author wrote it."""
    name: str
    """Folded; `*` stands for anything."""
    argument: str | None = None
    """What the brackets hold, or None where every call is meant."""

    @classmethod
    def parse(cls, text: str) -> "ToolPattern":
        """Read one entry. Never fails: what has no name matches nothing."""
        match = _WRITTEN.fullmatch(text.strip())
        name, argument = (match["name"], match["argument"]) if match else (text, None)
        argument = argument.strip() if argument is not None else None
        return cls(text.strip(), fold(name.strip()), None if argument in (None, "", "*") else argument)

    def names(self, tool: ToolTraits) -> bool:
        """Tell whether the rule is about this tool, by its name or its identity; upper and lower case are one."""
        if not self.name:
            return False
        wanted = self.name
        if wanted.startswith(f"mcp{MCP_SEPARATOR}") and wanted.count(MCP_SEPARATOR) == 1:
            wanted += f"{MCP_SEPARATOR}*"  # a whole server
        expression = _expression(wanted)
        return any(expression.fullmatch(fold(name)) for name in tool.names)

    def permits(self, tool: ToolTraits, arguments: Mapping[str, Any]) -> bool:
        """Tell whether, as an entry of an allow list, it covers this call: for sure, or not at all."""
        if not self.names(tool):
            return False
        if self.argument is None:
            return True
        found = _looked_at(tool, arguments)
        return bool(found) and all(self._covers(kind, value) for kind, value in found)

    def forbids(self, tool: ToolTraits, arguments: Mapping[str, Any]) -> bool:
        """Tell whether, as an entry of a deny list, it may be about this call. What cannot be told counts as yes."""
        if not self.names(tool):
            return False
        if self.argument is None:
            return True
        found = _looked_at(tool, arguments)
        return not found or any(self._touches(kind, value) for kind, value in found)

    def _covers(self, kind: str, value: str) -> bool:
        assert self.argument is not None  # noqa: S101 - the callers have looked
        if kind == "command":
            commands = simple_commands(value)
            return bool(commands) and all(_begins(words, self.argument) for words in commands or ())
        if kind == "path":
            return ".." not in value.replace("\\", "/").split("/") and _glob(self.argument, _path(value))
        if kind == "address":
            return _address(self.argument, value)
        return _text(self.argument, value)

    def _touches(self, kind: str, value: str) -> bool:
        assert self.argument is not None  # noqa: S101 - the callers have looked
        if kind == "command":
            commands = simple_commands(value)
            if commands is None:
                return True
            # a program is found behind `sudo`, `env A=1` or `/usr/bin/` too
            return any(
                _begins([posixpath.basename(words[at]), *words[at + 1 :]], self.argument)
                for words in commands
                for at in range(len(words))
            )
        if kind == "path":
            # file systems may take upper and lower case for the same; a relative rule holds in any folder
            pattern, parts = (fold(posixpath.expanduser(text)) for text in (self.argument, _path(value)))
            tails = ("/".join(parts.split("/")[at:]) for at in range(parts.count("/") + 1))
            return any(_glob(pattern, tail) for tail in tails)
        if kind == "address":
            return _address(self.argument, value)
        return _text(self.argument, value)


def fold(name: str) -> str:
    """Return a name as it is compared: full-width and upper-case letters made plain."""
    return unicodedata.normalize("NFKC", name).casefold()


@lru_cache(maxsize=1024)
def _expression(pattern: str) -> re.Pattern[str]:
    # "[" is an ordinary character in names of tools
    return re.compile(translate(pattern.replace("[", "[[]")), re.DOTALL)


def _looked_at(tool: ToolTraits, arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The kind and the text of each argument that a pattern is compared with; none where that cannot be told."""
    if tool.pattern_argument:
        keys = [tool.pattern_argument] if tool.pattern_argument in arguments else []
    else:
        keys = [key for key in arguments if fold(key) in (*_COMMANDS, *_PATHS, *_ADDRESSES)]
        if not keys:
            keys = [key for key, value in arguments.items() if isinstance(value, str | list)]
            keys = keys if len(keys) == 1 else []
    found: list[tuple[str, str]] = []
    for key in keys:
        values = arguments[key] if isinstance(arguments[key], list) else [arguments[key]]
        if not all(isinstance(value, str) for value in values):
            return []
        found.extend((_kind(key), value) for value in values)
    return found


def _kind(key: str) -> str:
    key = fold(key)
    if key in _COMMANDS:
        return "command"
    return "path" if key in _PATHS else "address" if key in _ADDRESSES else "text"


def _begins(words: list[str], argument: str) -> bool:
    """`git:*` and `git *`: begins with these words. Without a star: these words and no others."""
    open_end = argument.endswith((":*", " *"))
    wanted = argument[:-2].split() if open_end else argument.split()
    if "*" in "".join(wanted):
        return _text(argument, " ".join(words))
    return bool(wanted) and (words[: len(wanted)] if open_end else words) == wanted


def _path(value: str) -> str:
    return posixpath.normpath(value.replace("\\", "/"))


def _glob(pattern: str, path: str) -> bool:
    """`*` within a folder, `**` across folders; a pattern that ends with `/` means all below."""
    pattern = pattern.removeprefix("./")
    pattern = pattern[1:] if pattern.startswith("//") else pattern
    pattern += "**" if pattern.endswith("/") else ""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.fullmatch("".join(meaning.get(part, re.escape(part)) for part in parts), path, re.DOTALL) is not None


def _address(pattern: str, value: str) -> bool:
    try:
        host = (urlsplit(value).hostname or "").casefold()
    except ValueError:
        return False
    if pattern.startswith("domain:"):
        domain = pattern.removeprefix("domain:").strip().casefold()
        return bool(domain) and (host == domain or host.endswith(f".{domain.removeprefix('*.')}"))
    return _text(pattern, value)


def _text(pattern: str, value: str) -> bool:
    pattern = f"{pattern[:-2]}*" if pattern.endswith(":*") else pattern
    return _expression(pattern).fullmatch(value) is not None
