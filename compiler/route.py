"""The second step: which routes, and what they weigh."""

from typing import Any

from skill_selector.compiler.parts import CompilerParts
from skill_selector.compiler.request import CompileRequest
from skill_selector.compiler.routes import has_question
from skill_selector.compiler.state import CompilerState
from skill_selector.compiler.strategy import strategy_for
from skill_selector.nodes.trace import Stopwatch


class ChooseRoutes:
    """Looks the skill's category up in the table."""

    def __init__(self, parts: CompilerParts) -> None:
        self._parts = parts

    def run(self, state: CompilerState) -> dict[str, Any]:
        """Return the update with the strategy; a route that has nothing to look for is left out."""
        watch = Stopwatch("route")
        request = CompileRequest.from_dict(state["compile_request"])
        settings = self._parts.shared.settings()
        self._parts.warm_up(self._parts.recall(request, settings), request, settings)
        strategy = strategy_for(request.definition.category, self._parts.strategies)
        asked = [name for name in strategy.routes if has_question(name, request)]
        made = {**strategy.to_dict(), "asked": asked}
        given = {"category": request.definition.category, "names": list(request.names), "codes": list(request.codes)}
        return {"compile_strategy": made, "compiler_trace": [watch.entry(0, given=given, made=made)]}
