"""The technologies that tasks and skills name: languages, platforms, frameworks, formats, services.

The table stands in `retrievers/data/technologies.txt`, whose head explains its format. Members of one group rival each
other: a skill for one platform is not a skill for another.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

_SENTENCE_START = re.compile(r"(?:^|[.!?:\n。！？：])\s*$")


@dataclass(frozen=True, slots=True)
class Technology:
    """One row of the table."""

    name: str
    group: str
    shared: bool
    """Members of the group do not rival each other."""
    implies: tuple[str, ...]
    aliases: tuple[str, ...]
    """In lower case."""
    exact: tuple[str, ...]
    """Aliases that count only in this case: `Go`, `Swift`."""


@dataclass(frozen=True)
class TechnologyTable:
    """The table, by canonical name."""

    rows: Mapping[str, Technology]
    _by_alias: Mapping[str, str] = field(repr=False)
    _loose: re.Pattern[str] = field(repr=False)
    _strict: re.Pattern[str] = field(repr=False)

    def find(self, text: str) -> list[str]:
        """Return the canonical names of the technologies that the text names, in order, each once."""
        text = unicodedata.normalize("NFKC", text)
        lower = text.lower()
        if len(lower) != len(text):  # "İ" becomes two characters: spans would not fit
            text = lower
        spans = [match.span() for match in self._loose.finditer(lower)]
        spans += [
            match.span()
            for match in self._strict.finditer(text)
            if not _SENTENCE_START.search(text, max(0, match.start() - 3), match.start())
        ]
        names: dict[str, None] = {}
        end = 0
        # Of overlapping ones the first and longest: React Native is not React.
        for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
            if stop > end:
                names[self._by_alias[_alias(text[start:stop])]] = None
                end = stop
        return list(names)

    def canonical(self, names: Iterable[str]) -> list[str]:
        """Return the names as the table spells them, each once, without those that it does not know."""
        known: dict[str, None] = {}
        for name in names:
            exact = self._by_alias.get(_alias(name))
            known |= dict.fromkeys([exact] if exact else self.find(name))
        return list(known)

    def with_implied(self, names: Iterable[str]) -> frozenset[str]:
        """Return the names with everything that they imply: Django implies Python."""
        known: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in known:
                known.add(name)
                waiting += self.rows[name].implies if name in self.rows else ()
        return frozenset(known)

    def rivals(self, name: str, others: Iterable[str]) -> list[str]:
        """Return those of the others that take the place of `name`: same group, not shared, not one and the same."""
        row = self.rows.get(name)
        if row is None or row.shared:
            return []
        return [
            other for other in others if other != name and other in self.rows and self.rows[other].group == row.group
        ]


def _alias(text: str) -> str:
    return " ".join(text.lower().replace("-", " ").split())


@lru_cache(maxsize=1)
def load_technologies() -> TechnologyTable:
    """Return the shipped table."""
    text = (files("skill_selector.retrievers") / "data" / "technologies.txt").read_text(encoding="utf-8")
    rows = {row.name: row for row in _parse(text)}
    loose = {alias: row for row in rows.values() for alias in row.aliases}
    strict = {alias: row for row in rows.values() for alias in row.exact}
    by_alias = {_alias(alias): row.name for alias, row in (strict | loose).items()}
    return TechnologyTable(rows, by_alias, _pattern(loose), _pattern(strict))


def _parse(text: str) -> Iterator[Technology]:
    group, shared = "", False
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("# ") or line == "#":
            continue
        if line.startswith("["):
            group, _, mark = line.strip("[]").partition(", ")
            shared = mark == "shared"
            continue
        head, _, tail = line.partition(":")
        name, _, implied = head.partition(" > ")
        aliases = [alias.strip() for alias in tail.split(",") if alias.strip()]
        own = [] if "!" in aliases else [name.lower()]
        yield Technology(
            name=name,
            group=group,
            shared=shared,
            implies=tuple(one.strip() for one in implied.split(",") if one.strip()),
            aliases=tuple(dict.fromkeys([*own, *(alias for alias in aliases if alias[0] not in "!=")])),
            exact=tuple(alias[1:] for alias in aliases if alias[0] == "="),
        )


def _pattern(aliases: Mapping[str, Technology]) -> re.Pattern[str]:
    longest_first = sorted(aliases, key=len, reverse=True)
    bound = _any_of(alias for alias in longest_first if not _is_extension(alias, aliases[alias]))
    free = _any_of(alias for alias in longest_first if _is_extension(alias, aliases[alias]))
    # One look behind for all of them: most positions of a text are left at once.
    pattern = rf"(?<![A-Za-z0-9_.&@])(?:{bound})"
    return re.compile(pattern + (rf"|(?<!\.)(?:{free})" if free else ""))


def _any_of(aliases: Iterable[str]) -> str:
    """Return a pattern for any of the aliases, the first that fits.

    They are grouped by how they begin: a word is then compared with a few of them, not with hundreds.
    """
    groups: dict[str, list[str]] = {}
    for alias in aliases:
        groups.setdefault(alias[0], []).append(_body(alias).removeprefix(re.escape(alias[0])))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rests)})" for first, rests in groups.items())


def _is_extension(alias: str, row: Technology) -> bool:
    """Tell whether the alias follows a file's stem (report.pdf); .NET does not."""
    return alias.startswith(".") and alias != row.name.lower()


def _body(alias: str) -> str:
    body = re.escape(alias).replace("\\ ", "[ -]")
    return body + r"(?![A-Za-z0-9_#&]|\+\+)" if alias[-1].isascii() else body
