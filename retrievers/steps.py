"""What a strategy does to the fused candidates before they are cut to `top_k`."""

from collections.abc import Callable
from hashlib import sha256
from threading import Lock

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import SettingError
from skill_selector.graph.records import Candidate
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.text import has_chinese, normalize

NAME_BONUS = 1.15
"""What the score of a skill is multiplied by when a keyword is its name (source 000)."""

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
    """Leave the best of those skills that share name, description and body, and list the others in its `copies`."""
    by_label: dict[tuple[str, str], list[int]] = {}
    for at, one in enumerate(candidates):
        skill = _skill(request, one["id"])
        by_label.setdefault((_name_key(skill.name, dictionary=False), skill.description), []).append(at)
    copies: dict[int, list[str]] = {}
    dropped: set[int] = set()
    for places in by_label.values():
        first_of: dict[str, int] = {}
        for at in places if len(places) > 1 else ():
            first = first_of.setdefault(_body_digest(_skill(request, candidates[at]["id"])), at)
            if first != at:
                copies.setdefault(first, []).extend([candidates[at]["id"], *candidates[at]["copies"]])
                dropped.add(at)
    return [
        {**one, "copies": [*one["copies"], *copies.get(at, [])]}
        for at, one in enumerate(candidates)
        if at not in dropped
    ]


POST_STEPS: dict[str, PostStep] = {"name_bonus": name_bonus, "collapse_copies": collapse_copies}
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


def _name_key(name: str, *, dictionary: bool = True) -> str:
    return " ".join(normalize(name, dictionary=dictionary).replace("-", " ").replace("_", " ").split())


def _scaled(candidate: Candidate, factor: float) -> Candidate:
    routes = {route: share * factor for route, share in candidate["routes"].items()}
    return {**candidate, "score": candidate["score"] * factor, "routes": routes}


def _body_digest(skill: Skill) -> str:
    if skill.body_digest:
        return skill.body_digest
    try:
        return sha256(skill.body.encode("utf-8", "surrogatepass")).hexdigest()
    except OSError:
        # Unreadable by now, so a copy of nothing but of the very same file.
        return skill.digest
