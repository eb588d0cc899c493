"""Which skill counts where several roots hold the same one, and the ids that tell skills apart."""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from skill_selector.catalog.diagnostic import Diagnostic, Report
from skill_selector.catalog.skill import Skill


class Placed(NamedTuple):
    """A skill and the place of its root in the order of precedence, the lowest first."""

    skill: Skill
    place: int


@dataclass(frozen=True, slots=True)
class Settled:
    """The skills that can be chosen and those that gave way, both by place of their root and then by id."""

    skills: tuple[Skill, ...]
    shadowed: tuple[Skill, ...]
    diagnostics: list[Diagnostic]


def settle(entries: Sequence[Placed], roots: Sequence[str]) -> Settled:
    """Give every skill an id of its own; of skills with the same name, let those of the highest root stand.

    Within one root skills may share a name. `roots` are the folders in the order of precedence.
    """
    if len(roots) == 1:
        return Settled(tuple(sorted((entry.skill for entry in entries), key=lambda skill: skill.id)), (), [])
    entries = _with_own_ids(entries, roots)
    highest: dict[str, Placed] = {}
    for entry in entries:
        key = plain_name(entry.skill.name)
        if key not in highest or highest[key].place < entry.place:
            highest[key] = entry
    skills, shadowed, diagnostics = [], [], []
    for entry in sorted(entries, key=lambda entry: (entry.place, entry.skill.id)):
        winner = highest[plain_name(entry.skill.name)]
        if winner.place == entry.place:
            skills.append(entry.skill)
            continue
        shadowed.append(entry.skill)
        report = Report(entry.skill.file)
        message = f"{entry.skill.name!r} gives way to the skill of that name in {winner.skill.path}"
        report.note("shadowed", message, "rename one of the two to have both")
        diagnostics.extend(report.diagnostics)
    return Settled(tuple(skills), tuple(shadowed), diagnostics)


def plain_name(name: str) -> str:
    """Return a name as names are compared: without case, in composed form."""
    return unicodedata.normalize("NFKC", name).casefold()


def _with_own_ids(entries: Sequence[Placed], roots: Sequence[str]) -> list[Placed]:
    """Put the name of its root before an id that another root has too, and as much of its path as it takes."""
    parts = [[part for part in root.split("/") if part] for root in roots]
    ids = [entry.skill.id for entry in entries]
    for length in range(1, max(map(len, parts)) + 1):
        places: defaultdict[str, list[int]] = defaultdict(list)
        for index, one in enumerate(ids):
            places[one].append(index)
        clashing = [index for same in places.values() if len(same) > 1 for index in same]
        if not clashing:
            break
        for index in clashing:
            ids[index] = "/".join([*parts[entries[index].place][-length:], entries[index].skill.id])
    return [
        entry if one == entry.skill.id else Placed(replace(entry.skill, id=one), entry.place)
        for entry, one in zip(entries, ids, strict=True)
    ]
