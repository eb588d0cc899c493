"""Finding a skill of a catalogue by what a person calls it."""

from difflib import get_close_matches

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.precedence import plain_name
from skill_selector.catalog.skill import Skill


def find(catalog: Catalog, wanted: str) -> tuple[Skill, ...]:
    """Return the skill with that id, else those with that name, else those in a folder of that name."""
    wanted = wanted.strip().strip("/")
    if wanted in catalog.by_id:
        return (catalog.by_id[wanted],)
    plain = plain_name(wanted)
    by_name = tuple(skill for skill in catalog.skills if plain_name(skill.name) == plain)
    return by_name or tuple(skill for skill in catalog.skills if plain_name(_folder(skill)) == plain)


def near(catalog: Catalog, wanted: str, count: int = 3) -> list[str]:
    """Return the ids of skills whose id, name or folder is like what was asked for, the nearest first."""
    ids: dict[str, str] = {}
    for skill in catalog.skills:
        for text in (skill.id, skill.name, _folder(skill)):
            ids.setdefault(plain_name(text), skill.id)
    close = get_close_matches(plain_name(wanted), ids, n=3 * count, cutoff=0.6)
    return list(dict.fromkeys(ids[text] for text in close))[:count]


def _folder(skill: Skill) -> str:
    return skill.path.rpartition("/")[2]
