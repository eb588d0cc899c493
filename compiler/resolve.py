"""The first step: which skill, with which parameters, over which knowledge."""

from collections.abc import Mapping
from typing import Any

from langgraph.types import Overwrite

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.roots import list_paths
from skill_selector.compiler.definitions import find_definition
from skill_selector.compiler.parts import CompilerParts
from skill_selector.compiler.request import CompileRequest, bilingual, names_in, query_of, request_digest, values_of
from skill_selector.compiler.result import CompiledContext
from skill_selector.compiler.state import CompilerState
from skill_selector.compiler.strategy import strategy_for
from skill_selector.graph.errors import DefinitionError, KnowledgeError, ParameterError, SkillDirectoryError
from skill_selector.graph.records import Degradation
from skill_selector.graph.settings import Settings
from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.knowledge.parameters import parameter_digest, validated
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.nodes.task import find_task
from skill_selector.nodes.trace import Stopwatch


class Resolve:
    """Takes the input in, and answers from earlier runs where nothing has changed."""

    def __init__(self, parts: CompilerParts) -> None:
        self._parts = parts

    def run(self, state: CompilerState) -> dict[str, Any]:
        """Return the update that starts a run.

        Raises:
            DefinitionError, ParameterError, KnowledgeError, SkillDirectoryError, SettingError: the input or a setting
                cannot be used; the message says what and how to put it right.
        """
        watch = Stopwatch("resolve")
        settings = self._parts.shared.settings()
        task = find_task(state) if state.get("task") or state.get("messages") else ""  # type: ignore[arg-type]
        wanted = _wanted(state)
        if wanted is None:
            return self._without_skill(watch, task, settings)
        library, registry = self._parts.catalog_of(_roots(state), settings)
        given = _parameters(state)
        found = find_definition(wanted, registry, library.catalog, parameters=given, task=task)
        parameters = validated(found.definition, given)
        directory = _directory(state)
        search, digest = self._parts.open(directory, registry, found.definition, settings)
        knowledge = {"directory": directory, "digest": digest}
        request = self._request(found.definition, parameters, task, search, settings)
        made = _completed(request, self._extra(state, library.catalog, knowledge, settings))
        degraded = _guess(found.definition) if found.guessed else []
        known = self._parts.contexts.get(made["key"])
        entry = watch.entry(
            0,
            given={"wanted": wanted, "parameters": sorted(parameters)},
            made={"skill_id": found.definition.id, "knowledge": digest, "cached": known is not None},
        )
        return {
            **_fresh(),
            "compile_request": made,
            "compile_degraded": degraded,
            "compile_next": "end" if known else "route",
            "compiled_context": {**known, "cached": True} if known else {},
            "compiler_trace": Overwrite([entry]),
        }

    def _request(
        self,
        definition: SkillDefinition,
        parameters: dict[str, Any],
        task: str,
        search: KnowledgeSearch,
        settings: Settings,
    ) -> CompileRequest:
        texts = values_of(parameters)
        query = query_of(task, parameters)
        return CompileRequest(
            definition=definition,
            parameters=parameters,
            task=task,
            query=query,
            words=bilingual(query),
            names=tuple(dict.fromkeys([*names_in(texts, search), *names_in([task], search)])),
            codes=tuple(search.codes_in("\n".join([*texts, task]))),
            budget=settings.context_budget,
            preference=settings.preference,
        )

    def _extra(
        self, state: CompilerState, catalog: Catalog, knowledge: dict[str, str], settings: Settings
    ) -> dict[str, Any]:
        best = state.get("best")
        chosen = best["id"] if best else None
        ranked = [one["skill"]["id"] for one in state.get("ranked") or ()]
        others = [one for one in dict.fromkeys(ranked) if one != chosen and one in catalog.by_id]
        weights = self._parts.weights(settings)
        learnt = str(getattr(weights, "digest", id(weights)))
        scorer = self._parts.scorer.identity if self._parts.scorer else ""
        return {
            "candidates": [[one, catalog.by_id[one].path] for one in others],
            "candidate_digests": [catalog.by_id[one].digest for one in others],
            "knowledge": knowledge,
            "skills": list(catalog.roots),
            "parts": [scorer, learnt, settings.words_file],
            "strategies": self._parts.strategies,
        }

    def _without_skill(self, watch: Stopwatch, task: str, settings: Settings) -> dict[str, Any]:
        context = CompiledContext(
            prompt="",
            reason="no_skill",
            message="the selection chose no skill, so that there is nothing to compile context for",
            task=task,
            budget=settings.context_budget,
        )
        entry = watch.entry(0, given={"wanted": None}, made={"reason": "no_skill"})
        return {
            **_fresh(),
            "compile_next": "end",
            "compiled_context": _stateful(context),
            "compiler_trace": Overwrite([entry]),
        }


def _completed(request: CompileRequest, extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request as JSON with its key: skill, parameter digest, knowledge digest, and all else that decides."""
    strategy = strategy_for(request.definition.category, extra["strategies"])
    key = request_digest(
        *(request.definition.id, request.definition.digest, parameter_digest(request.parameters)),
        *(extra["knowledge"], request.task, request.budget, request.preference),
        *(extra["candidates"], extra["candidate_digests"], extra["parts"], strategy.to_dict()),
    )
    kept = {name: extra[name] for name in ("candidates", "knowledge", "skills")}
    return {**request.to_dict(), **kept, "key": key}


def _stateful(context: CompiledContext) -> dict[str, Any]:
    return {name: value for name, value in context.to_dict().items() if name != "trace"}


def _wanted(state: CompilerState) -> str | None:
    """Return the id that is asked for; None where a selection chose no skill."""
    wanted = state.get("skill_id")
    if wanted is not None and not isinstance(wanted, str):
        raise DefinitionError(f"`skill_id` is {wanted!r}; pass the id of a definition or of a skill as text")
    if wanted and wanted.strip():
        return wanted.strip()
    best = state.get("best")
    if best:
        return best["id"]
    if state.get("outcome") is not None:
        return None
    raise DefinitionError("there is no skill to compile for: pass `skill_id`, or run the selector before, in one graph")


def _roots(state: CompilerState) -> list[str]:
    given = state.get("skill_directory")
    catalog = state.get("catalog")
    if not given and catalog:
        given = catalog["roots"]
    if not given:
        raise SkillDirectoryError("`skill_directory` is missing: pass the folder of skills, or several")
    try:
        return list_paths(given)
    except SkillDirectoryError as error:
        raise SkillDirectoryError(f"`skill_directory`: {error}") from None


def _parameters(state: CompilerState) -> dict[str, Any]:
    given = state.get("parameters")
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(f"`parameters` is {type(given).__name__}; it must be an object with a value for each name")
    return dict(given)


def _directory(state: CompilerState) -> str:
    given = state.get("knowledge_directory")
    if not isinstance(given, str) or not given.strip():
        raise KnowledgeError("`knowledge_directory` is missing: pass the path of the knowledge folder as text")
    return given


def _guess(definition: SkillDefinition) -> list[Degradation]:
    return [
        {
            "step": "resolve",
            "round": 0,
            "what": "definition",
            "why": f"the skill {definition.skill} states none; skill-selector define proposes one to keep",
            "instead": f"{definition.id}, guessed from its SKILL.md, nothing of it required",
        }
    ]


def _fresh() -> dict[str, Any]:
    """Values of every key of one run, so that nothing of a thread's last run survives."""
    return {
        "compile_request": {},
        "compile_strategy": {},
        "route_hits": {},
        "fused_chunks": [],
        "near_chunks": {},
        "refined_chunks": {},
        "compile_degraded": [],
    }
