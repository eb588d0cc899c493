"""The caller's own way to retrieve, in one of three forms, checked before anything relies on it."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from difflib import get_close_matches
from threading import Lock
from typing import Any, cast
from weakref import WeakKeyDictionary

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import RetrieverError
from skill_selector.graph.records import Candidate, TaskAnalysis
from skill_selector.retrievers.fusion import finite_number
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.steps import collapse_copies

Pairs = Iterable[tuple[Skill | str, float]]
Factory = Callable[[Sequence[Skill]], BaseRetriever]
Matcher = Callable[[TaskAnalysis, Sequence[Skill], Mapping[str, Any]], Pairs | Awaitable[Pairs]]
CustomRetriever = BaseRetriever | Factory | Matcher
"""A retriever whose documents carry `metadata["id"]`, a factory that makes one of the skills, or source 000's matcher.

The matcher gets the analysis, the skills, and options: `top_k`, `task`, `weights`. It returns pairs of a skill, or its
id, and a score; it may be async.
"""

ROUTE = "custom"
"""The name of the one route that a custom retriever's candidates show."""

_EXPECTED = (
    "pass a BaseRetriever whose documents carry metadata['id'], or a factory (skills) -> BaseRetriever, "
    "or a matcher (analysis, skills, options) -> [(skill, score), …]"
)

# A factory may be slow, and is asked again in every round: keep what it made of the last catalogue.
_made: "WeakKeyDictionary[Factory, tuple[Sequence[Skill], BaseRetriever]]" = WeakKeyDictionary()
_making = Lock()


def search_custom(retriever: CustomRetriever, request: SearchRequest, limit: int | None = None) -> list[Candidate]:
    """Return the candidates that the caller's own retriever or matcher finds, best first.

    A retriever is asked with the task and the keywords, and its order stands; a matcher's pairs are sorted by score.
    An empty answer stays empty: it is the caller's word. Skills that their authors keep out of automatic selection
    are left out of what it gets and of what it finds.

    Args:
        retriever: the caller's own.
        request: the task, its analysis and the pool.
        limit: how many at most; `top_k` of the settings by default.

    Raises:
        RetrieverError: what was passed in is none of the three forms, or what it returned cannot be used.
    """
    allowed = request.index.mask(request.skills)
    skills = tuple(skill for skill in request.skills if allowed[request.index.position(skill.id)])
    form = custom_form(retriever)
    if not skills:
        return []
    if form == "matcher":
        found = _from_matcher(cast("Matcher", retriever), request, skills)
    else:
        made = retriever if isinstance(retriever, BaseRetriever) else _make(cast("Factory", retriever), skills)
        found = _from_documents(made.invoke(_query(request)), type(made).__name__)
    known = {skill.id for skill in skills}
    found = [one for one in found if _is_known(one["id"], known, request)]
    most = request.settings.top_k if limit is None else limit
    return collapse_copies(found, request)[:most]


def custom_form(retriever: object) -> str:
    """Return which form it is: `retriever`, `factory` or `matcher`.

    Raises:
        RetrieverError: it is none of them.
    """
    if isinstance(retriever, BaseRetriever):
        return "retriever"
    if not callable(retriever):
        raise RetrieverError(f"retriever= got {retriever!r}: {_EXPECTED}")
    try:
        parameters = inspect.signature(retriever).parameters.values()
    except (TypeError, ValueError) as error:
        raise RetrieverError(f"retriever= got {retriever!r}, whose parameters cannot be read: {_EXPECTED}") from error
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    required = sum(one.default is one.empty for one in positional)
    if required == 1:
        return "factory"
    if required in (2, 3) and len(positional) >= 3:
        return "matcher"
    raise RetrieverError(f"retriever= got {retriever!r}, which takes {required} arguments, not 1 or 3: {_EXPECTED}")


def _query(request: SearchRequest) -> str:
    return "\n".join([request.task, *request.analysis["keywords"]])


def _make(factory: Factory, skills: Sequence[Skill]) -> BaseRetriever:
    with _making, suppress(TypeError):
        held = _made.get(factory)
        if held and held[0] == skills:
            return held[1]
    made = _complete(factory(skills))
    if not isinstance(made, BaseRetriever):
        raise RetrieverError(f"the factory {factory!r} returned {type(made).__name__}, not a BaseRetriever")
    # A callable without weak references or hash is made anew each time.
    with _making, suppress(TypeError):
        _made[factory] = (skills, made)
    return made


def _from_matcher(matcher: Matcher, request: SearchRequest, skills: Sequence[Skill]) -> list[Candidate]:
    settings = request.settings
    weights = {"action": settings.weight_action, "domain": settings.weight_domain, "raw": settings.weight_raw}
    options = {"top_k": settings.top_k, "task": request.task, "weights": weights}
    answer = _complete(matcher(request.analysis, skills, options))
    if not isinstance(answer, Iterable) or isinstance(answer, str | bytes | Mapping):
        raise RetrieverError(f"the matcher returned {type(answer).__name__}, not a list of (skill, score) pairs")
    pairs = [_pair(one) for one in answer]
    pairs.sort(key=lambda pair: -pair[1])
    return _candidates([(skill_id, score, None) for skill_id, score in pairs])


def _pair(one: object) -> tuple[str, float]:
    if not isinstance(one, tuple | list) or len(one) != 2:
        raise RetrieverError(f"the matcher returned {one!r} where a (skill, score) pair is expected")
    skill, score = one
    skill_id = skill.id if isinstance(skill, Skill) else skill
    if not isinstance(skill_id, str):
        raise RetrieverError(f"the matcher returned {skill!r} as a skill; it must be a Skill or the id of one")
    return skill_id, _checked(score, f"the matcher's score of {skill_id!r}")


def _from_documents(documents: object, name: str) -> list[Candidate]:
    if not isinstance(documents, list | tuple):
        raise RetrieverError(f"{name} returned {type(documents).__name__}, not a list of Documents")
    rows: list[tuple[str, float, Mapping[str, float] | None]] = []
    for rank, document in enumerate(documents, 1):
        if not isinstance(document, Document):
            raise RetrieverError(f"{name}: result {rank} is a {type(document).__name__}, not a Document")
        skill_id = document.metadata.get("id")
        if not isinstance(skill_id, str):
            raise RetrieverError(
                f"{name}: document {rank} ({document.page_content[:40]!r}…) has the metadata keys "
                f"{sorted(document.metadata)}; metadata['id'] must hold its skill's id"
            )
        score = document.metadata.get("score")
        number = 1 / rank if score is None else _checked(score, f"{name}: the score of {skill_id!r}")
        rows.append((skill_id, number, _routes(document.metadata.get("routes"), f"{name}: {skill_id!r}")))
    return _candidates(rows)


def _routes(routes: object, whose: str) -> Mapping[str, float] | None:
    if not isinstance(routes, Mapping):
        return None  # metadata of that name with another meaning
    return {str(route): _checked(share, f"{whose}: its share of route {route!r}") for route, share in routes.items()}


def _checked(score: object, what: str) -> float:
    number = finite_number(score)
    if number is None:
        raise RetrieverError(f"{what} is {score!r}; it must be a finite number, more for a better fit")
    return number


def _candidates(rows: Iterable[tuple[str, float, Mapping[str, float] | None]]) -> list[Candidate]:
    """Return one candidate an id, the first of several; scores below 0 become 0, and the order stands."""
    found: dict[str, Candidate] = {}
    for skill_id, score, routes in rows:
        shares = {ROUTE: max(score, 0.0)} if routes is None else dict(routes)
        one: Candidate = {"id": skill_id, "score": max(score, 0.0), "routes": shares, "fallback": False, "copies": []}
        found.setdefault(skill_id, one)
    return list(found.values())


def _is_known(skill_id: str, known: set[str], request: SearchRequest) -> bool:
    if skill_id in known:
        return True
    if skill_id in request.index:
        return False  # not in this pool, or kept out of automatic selection
    near = get_close_matches(skill_id, known, n=3)
    hint = f"the nearest are {', '.join(near)}" if near else f"ids look like {min(known)!r}"
    raise RetrieverError(f"the retriever found {skill_id!r}, which is no skill's id; {hint}")


def _complete(value: Any) -> Any:
    """Return what an awaitable comes to, also where an event loop is running; anything else as it is."""
    if not inspect.isawaitable(value):
        return value

    async def wait() -> Any:
        return await value

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(copy_context().run, asyncio.run, wait()).result()
