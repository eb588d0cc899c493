"""Parts of skills that were not chosen, taken in where they cover what nothing else does (SkillRAE, arXiv 2605.10114).

A runner-up may hold the one section, script or block of code that the task needs. It is cut as knowledge is, and a part
is rescued only for a parameter, or for something that the task names, that no chunk of the context covers.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from skill_selector.catalog.diagnostic import Diagnostic
from skill_selector.catalog.source import read_source
from skill_selector.compiler.needs import Need, covered, searchable
from skill_selector.compiler.request import CompileRequest
from skill_selector.graph.errors import KnowledgeError
from skill_selector.knowledge.chunk import Chunk
from skill_selector.knowledge.folder import KnowledgeLimits, find_files, open_folder
from skill_selector.knowledge.intake import take_in
from skill_selector.retrievers.text import tokenize

MOST_RESCUED = 3
MOST_SKILLS = 4
"""Runner-up skills that are looked into, the best first."""
LIMITS = KnowledgeLimits(depth=3, files=40, file_bytes=256 * 1024, chunks_of_file=200)
FEWEST_WORDS = 2
"""Of the task that a part must hold to be rescued for something that is not of the parameters."""


class Rescued(NamedTuple):
    """A part of a skill that was not chosen."""

    chunk: Chunk
    skill: str
    """Its id in the catalogue."""
    covers: tuple[str, ...]
    """What nothing else covers, as written."""


def rescue(request: CompileRequest, needs: Sequence[Need], kept: Iterable[str]) -> list[Rescued]:
    """Return the parts that cover what the context does not, those that cover most first. Reads files.

    Args:
        request: its `candidates` are looked into.
        needs: what is to be covered.
        kept: the normalised texts of the context.
    """
    done = covered(needs, list(kept))
    missing = [need for need in needs if need.text not in done]
    if not missing or not request.candidates:
        return []
    words = set(tokenize(request.query))
    units = [
        (skill, chunk, searchable(chunk))
        for skill, folder in request.candidates[:MOST_SKILLS]
        for chunk in _units(skill, folder)
    ]
    found: list[Rescued] = []
    while missing and units and len(found) < MOST_RESCUED:
        best = max(range(len(units)), key=lambda at: _worth(units[at], missing, words))
        skill, chunk, text = units.pop(best)
        covers = [need for need in missing if need.covered_by(text)]
        if not _worth((skill, chunk, text), missing, words)[0]:
            break
        found.append(Rescued(chunk, skill, tuple(need.shown for need in covers)))
        missing = [need for need in missing if need not in covers]
    return found


def _worth(unit: tuple[str, Chunk, str], missing: Sequence[Need], words: set[str]) -> tuple[int, float]:
    """Return how many needs a part covers, those of the parameters double, and how much of the task it speaks of."""
    _, _, text = unit
    covers = [need for need in missing if need.covered_by(text)]
    if not covers:
        return 0, 0.0
    own = set(tokenize(text))
    shared = len(own & words)
    if not any(need.parameter for need in covers) and shared < FEWEST_WORDS:
        return 0, 0.0
    return sum(1 + need.parameter for need in covers), shared / (1 + len(own)) ** 0.5


def _units(skill: str, folder: str) -> Iterator[Chunk]:
    try:
        root = open_folder(folder)
    except KnowledgeError:  # it has gone since the scan
        return
    for file in find_files(root, LIMITS):
        if isinstance(file, Diagnostic):
            continue
        try:
            source = read_source(file.file, file.size, LIMITS.file_bytes)
        except OSError:
            continue
        path = f"{skill}/{file.path}"
        taken = take_in(source.data, path=path, file=file.file, format_name=file.format, rules={}, limits=LIMITS)
        yield from taken.chunks
