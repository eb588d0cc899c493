"""What a strategy does to the fused candidates before they are cut to `top_k`."""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from threading import Lock

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import SettingError
from skill_selector.graph.records import Candidate
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.text import has_chinese, normalize

NAME_BONUS = 1.15
"""What the score of a skill is multiplied by when a keyword is its name (source 000)."""

NEAR_COPY = 0.9
"""Cosine beyond which two skills are near-duplicates (source 003), and two of one name copies."""
CANDIDATES = 3
"""So many times `top_k` are looked at for near-duplicates (source 003)."""

_EMPTY = sha256(b"").hexdigest()

PostStep = Callable[[list[Candidate], SearchRequest], list[Candidate]]
"""Takes candidates best first, returns them best first; changes none of them in place."""


def name_bonus(candidates: list[Candidate], request: SearchRequest) -> list[Candidate]:
    """Raise the skills whose name is a keyword, once each; hyphens, underscores and spaces are equal."""
    chinese = any(map(has_chinese, request.analysis["keywords"]))
    keywords = {_name_key(keyword) for keyword in request.analysis["keywords"]} - {""}
    raised = [
        _scaled(one, NAME_BONUS) if _name_key(_skill(request, one["id"]).name, dictionary=chinese) in keywords else one
        for one in candidates
    ]
    return sorted(raised, key=lambda one: -one["score"])


def collapse_copies(candidates: list[Candidate], request: SearchRequest) -> list[Candidate]:
    """Leave the best of those skills that are copies of each other, and list the others in its `copies`.

    Copies share the name, and either the body or, where vectors are at hand, nearly all of the meaning.
    """
    by_name: dict[str, list[int]] = {}
    for at, one in enumerate(candidates):
        by_name.setdefault(_name_key(_skill(request, one["id"]).name, dictionary=False), []).append(at)
    copies: dict[int, list[str]] = {}
    dropped: set[int] = set()
    for places in by_name.values():
        firsts: list[int] = []
        for at in places:
            own = candidates[at]
            first = next((one for one in firsts if _are_copies(candidates[one]["id"], own["id"], request)), None)
            if first is None:
                firsts.append(at)
            else:
                copies.setdefault(first, []).extend([own["id"], *own["copies"]])
                dropped.add(at)
    return [
        {**one, "copies": [*one["copies"], *copies[at]]} if at in copies else one
        for at, one in enumerate(candidates)
        if at not in dropped
    ]


def near_duplicates(candidates: list[Candidate], request: SearchRequest) -> list[Candidate]:
    """Remove near-duplicates among the first `top_k` · 3, whatever their names; the better one stays (source 003).

    What was removed stands in the `copies` of the one that stayed, and the candidates behind the first ones are out.
    """
    kept: list[Candidate] = []
    for one in candidates[: request.settings.top_k * CANDIDATES]:
        at = request.index.position(one["id"])
        near = next((first for first in kept if _cosine(first["id"], at, request) > NEAR_COPY), None)
        if near is None:
            kept.append({**one, "copies": list(one["copies"])})
        else:
            near["copies"] += [one["id"], *one["copies"]]
    return kept


def _cosine(skill_id: str, at: int, request: SearchRequest) -> float:
    found = request.meaning.similarity(request.index.position(skill_id), at) if request.meaning else None
    return 0.0 if found is None else found


POST_STEPS: dict[str, PostStep] = {
    "name_bonus": name_bonus,
    "collapse_copies": collapse_copies,
    "near_duplicates": near_duplicates,
}
"""The steps, by name; `register_step` adds to them."""

_registering = Lock()


def register_step(name: str, step: PostStep, *, replace: bool = False) -> None:
    """Make a step known to strategies by its name.

    Raises:
        SettingError: the name is taken and `replace` is not given.
    """
    with _registering:
        if name in POST_STEPS and not replace:
            raise SettingError(f"there is a post-step {name!r} already; pass replace=True to take its place")
        POST_STEPS[name] = step


def run_steps(candidates: list[Candidate], request: SearchRequest) -> list[Candidate]:
    """Return the candidates after all steps of the request's strategy.

    Raises:
        SettingError: a step is not known; the message lists the known ones.
    """
    for name in request.strategy.post:
        step = POST_STEPS.get(name)
        if step is None:
            known = ", ".join(sorted(POST_STEPS))
            raise SettingError(f"strategy {request.strategy.name!r}: there is no post-step {name!r}; known are {known}")
        candidates = step(candidates, request)
    return candidates


def _skill(request: SearchRequest, skill_id: str) -> Skill:
    return request.index.skills[request.index.position(skill_id)]


@lru_cache(maxsize=1 << 12)
def _name_key(name: str, *, dictionary: bool = True) -> str:
    return " ".join(normalize(name, dictionary=dictionary).replace("-", " ").replace("_", " ").split())


def _scaled(candidate: Candidate, factor: float) -> Candidate:
    routes = {route: share * factor for route, share in candidate["routes"].items()}
    return {**candidate, "score": candidate["score"] * factor, "routes": routes}


def _are_copies(first: str, second: str, request: SearchRequest) -> bool:
    """Say whether two skills of one name are copies."""
    one, other = _skill(request, first), _skill(request, second)
    # Nothing is no instruction that two skills could share.
    if _body_digest(one) == _body_digest(other) and (
        one.description == other.description or _body_digest(one) != _EMPTY
    ):
        return True
    places = request.index.position(first), request.index.position(second)
    cosine = request.meaning.similarity(*places) if request.meaning else None
    return cosine is not None and cosine > NEAR_COPY


def _body_digest(skill: Skill) -> str:
    if skill.body_digest:
        return skill.body_digest
    try:
        return sha256(skill.body.encode("utf-8", "surrogatepass")).hexdigest()
    except OSError:
        # Unreadable by now, so a copy of nothing but of the very same file.
        return skill.digest
