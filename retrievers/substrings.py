"""The last resort of Act: skills by substrings, where no token overlaps."""

import re

from skill_selector.catalog.skill import Skill
from skill_selector.graph.records import Candidate
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.stopwords import CHINESE_PARTICLES
from skill_selector.retrievers.text import has_chinese, normalize, tokenize

MOST_NEEDLES = 64
LEAST_LATIN = 3
"""Shorter substrings, in Latin letters, occur in anything: `ui` in `build`."""

_CHINESE_RUN = re.compile(r"[\u3400-\u9fff]+")


def find_by_substrings(request: SearchRequest) -> list[Candidate]:
    """Return every skill that may be chosen, best first, marked as fallback.

    The score, 0 to 1, is the share of the task's words that occur in the skill's name or description, or that hold a
    word of its name. Skills of equal score keep the catalogue's order; those of score 0 come last.
    """
    needles = _needles(request)
    allowed = request.index.mask(request.skills)
    scored = [
        (_score(skill, needles), skill.id)
        for skill, may in zip(request.index.skills, allowed.tolist(), strict=True)
        if may
    ]
    scored.sort(key=lambda pair: -pair[0])
    return [
        {"id": skill_id, "score": score, "routes": {}, "fallback": True, "copies": []} for score, skill_id in scored
    ]


def _needles(request: SearchRequest) -> list[str]:
    texts = [*request.analysis["keywords"], request.task]
    found = [normalize(keyword).strip() for keyword in request.analysis["keywords"]]
    found += [token for text in texts for token in tokenize(text)]
    for text in texts:
        found += [character for run in _CHINESE_RUN.findall(normalize(text)) for character in run]
    return [needle for needle in dict.fromkeys(found) if _telling(needle)][:MOST_NEEDLES]


def _telling(needle: str) -> bool:
    if has_chinese(needle):
        return needle not in CHINESE_PARTICLES
    return len(needle) >= LEAST_LATIN


def _score(skill: Skill, needles: list[str]) -> float:
    text = normalize(f"{skill.name}\n{skill.description}")
    names = [token for token in tokenize(skill.name) if _telling(token)]
    found = sum(needle in text or any(name in needle for name in names) for needle in needles)
    return found / len(needles) if needles else 0.0
