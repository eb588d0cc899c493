"""The last resort of Act: skills by substrings, where no token overlaps."""

from skill_selector.catalog.skill import Skill
from skill_selector.graph.records import Candidate
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.stopwords import CHINESE_PARTICLES
from skill_selector.retrievers.text import has_chinese, normalize, tokenize

MOST_NEEDLES = 64
LEAST_LATIN = 3
"""Shorter substrings, in Latin letters, occur in anything: `ui` in `build`."""


def find_by_substrings(request: SearchRequest, limit: int) -> list[Candidate]:
    """Return skills that may be chosen, best first, at most `limit`, marked as fallback.

    The score, 0 to 1, is the share of the task's words that occur in the skill's name or description, or that hold a
    word of its name. Equal ones keep the catalogue's order. Those of score 0 come last, since an empty list would
    leave Reason #2 nothing to judge.
    """
    needles = _needles(request)
    allowed = request.index.mask(request.skills).tolist()
    skills = [skill for skill, may in zip(request.index.skills, allowed, strict=True) if may]
    scored = sorted(((_score(skill, needles), skill.id) for skill in skills), key=lambda pair: -pair[0])
    return [
        {"id": skill_id, "score": score, "routes": {}, "fallback": True, "copies": []}
        for score, skill_id in scored[:limit]
    ]


def _needles(request: SearchRequest) -> list[str]:
    keywords = request.analysis["keywords"]
    found = [normalize(keyword).strip() for keyword in keywords]
    found += [token for text in (*keywords, request.task) for token in tokenize(text)]
    found += [
        character for text in (*keywords, request.task) for character in normalize(text) if has_chinese(character)
    ]
    return [needle for needle in dict.fromkeys(found) if _is_telling(needle)][:MOST_NEEDLES]


def _is_telling(needle: str) -> bool:
    return needle not in CHINESE_PARTICLES if has_chinese(needle) else len(needle) >= LEAST_LATIN


def _score(skill: Skill, needles: list[str]) -> float:
    if not needles:
        return 0.0
    text = normalize(f"{skill.name}\n{skill.description}")
    names = [token for token in tokenize(skill.name) if _is_telling(token)]
    return sum(needle in text or any(name in needle for name in names) for needle in needles) / len(needles)
