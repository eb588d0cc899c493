"""The last step: the prompt and its manifest."""

from typing import Any

from skill_selector.compiler.assembly import Assembler
from skill_selector.compiler.layout import ordered_types
from skill_selector.compiler.needs import needs_of
from skill_selector.compiler.parts import CompilerParts
from skill_selector.compiler.refinement import Refinement
from skill_selector.compiler.request import CompileRequest
from skill_selector.compiler.result import CompiledContext, CompileReason
from skill_selector.compiler.state import CompilerState
from skill_selector.knowledge.parameters import parameter_digest
from skill_selector.nodes.trace import Stopwatch

_MESSAGES: dict[str, str] = {
    "compiled": "",
    "fallback": "every route of the strategy failed; a plain search over everything answered",
    "nothing_found": "the knowledge folder holds nothing on this task",
    "search_failed": "every route and the plain search failed, so that the context is empty",
}


class AssembleContext:
    """Puts the context together, and keeps it for the next run that asks the same."""

    def __init__(self, parts: CompilerParts) -> None:
        self._parts = parts

    def run(self, state: CompilerState) -> dict[str, Any]:
        """Return the update with the compiled context."""
        watch = Stopwatch("assemble")
        request = CompileRequest.from_dict(state["compile_request"])
        search = self._parts.recall(request, self._parts.shared.settings())
        refined = Refinement.from_dict(state["refined_chunks"])
        strategy = state["compile_strategy"]
        preferred = (*strategy["first"], *request.definition.preferred_context_types)
        assembler = Assembler(
            request=request,
            chunks={**search.base.by_id, **refined.foreign} if refined.foreign else search.base.by_id,
            needs=[need for need in needs_of(request) if need.parameter],
            types=ordered_types(preferred, [*preferred, *(one.type for one in refined.kept)]),
        )
        made = assembler.assemble(refined)
        reason: CompileReason = strategy["reason"]
        if reason == "compiled" and not refined.kept:
            reason = "nothing_found"
        context = CompiledContext(
            prompt=made.prompt,
            reason=reason,
            message=_MESSAGES[reason],
            skill_id=request.definition.id,
            skill=request.definition.skill,
            task=request.task,
            parameters=request.parameters,
            category=request.definition.category,
            strategy={name: strategy[name] for name in ("name", "routes", "first", "asked")},
            manifest=tuple(made.manifest),
            conflicts=tuple(refined.conflicts),
            tokens=made.tokens,
            budget=request.budget,
            parameter_digest=parameter_digest(request.parameters),
            knowledge_digest=request.knowledge["digest"],
            degraded=tuple(state["compile_degraded"]),
        )
        found = {name: value for name, value in context.to_dict().items() if name != "trace"}
        self._parts.contexts.put(request.key, found)
        kept = len(context.kept)
        entry = watch.entry(
            0,
            given={"refined": len(refined.kept), "budget": request.budget},
            made={"kept": kept, "tokens": made.tokens},
        )
        return {"compiled_context": found, "compiler_trace": [entry]}
