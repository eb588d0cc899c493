"""What the context has to cover: the names, codes and values of the parameters, and what the task names."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skill_selector.compiler.request import CompileRequest, values_of
from skill_selector.knowledge.chunk import Chunk
from skill_selector.retrievers.text import has_chinese, normalize
from skill_selector.retrievers.words import WordLists

LONGEST_VALUE = 60
"""Characters of a parameter's value that is looked for as it stands; longer ones are prose."""
MOST_NEEDS = 60

_QUOTED = re.compile(r"[\"“「『]([^\"”」』\n]{2,60})[\"”」』]|`([^`\n]{2,60})`")
_SENTENCE = re.compile(r"\s\S+\s\S+\s|[，。；]")


class Need(NamedTuple):
    """Something that a piece of context can cover."""

    text: str
    """As it is compared."""
    shown: str
    parameter: bool
    """It comes from the parameters rather than from the task's words."""

    def covered_by(self, text: str) -> bool:
        """Say whether a normalised text holds it, as whole words where words have ends."""
        at = text.find(self.text)
        while at >= 0:
            if _bounded(text, at, at + len(self.text)):
                return True
            at = text.find(self.text, at + 1)
        return False


def needs_of(request: CompileRequest, words: WordLists | None = None) -> list[Need]:
    """Return the needs, those of the parameters first.

    Args:
        request: what is asked for.
        words: with them, the task's domain words count as named too.
    """
    found: dict[str, Need] = {}
    texts = values_of(request.parameters)
    prose = "\n".join(normalize(text) for text in texts)
    for name in (*request.names, *request.codes):
        _add(found, name, parameter=normalize(name) in prose)
    for text in texts:
        if len(text) <= LONGEST_VALUE and not _SENTENCE.search(text) and not text.isdigit():
            _add(found, text, parameter=True)
    for quoted in _QUOTED.findall(request.task):
        _add(found, quoted[0] or quoted[1], parameter=False)
    for word in words.find_domain(request.task) if words else ():
        _add(found, word, parameter=False)
    return sorted(found.values(), key=lambda need: not need.parameter)[:MOST_NEEDS]


def searchable(chunk: Chunk) -> str:
    """Return what needs are looked for in."""
    return normalize(f"{chunk.title}\n{chunk.text}")


def covered(needs: Iterable[Need], texts: Sequence[str]) -> set[str]:
    """Return the texts of those needs that one of the normalised texts covers."""
    return {need.text for need in needs if any(need.covered_by(text) for text in texts)}


def _add(found: dict[str, Need], shown: str, *, parameter: bool) -> None:
    text = normalize(shown).strip()
    if len(text) >= 2:
        known = found.get(text)
        found[text] = Need(text, shown.strip(), parameter or bool(known and known.parameter))


def _bounded(text: str, start: int, end: int) -> bool:
    return not (_sticks(text[start - 1 : start], text[start]) or _sticks(text[end - 1], text[end : end + 1]))


def _sticks(one: str, other: str) -> bool:
    """Say whether two neighbours are of one word."""
    if not one or not other or has_chinese(one) or has_chinese(other):
        return False
    return (one.isalnum() or one == "_") and (other.isalnum() or other == "_")
