"""The ablation of source 002: compiled context, plain retrieval over everything, and nothing, side by side."""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from skill_selector.catalog.roots import list_paths
from skill_selector.compiler.result import CompiledContext
from skill_selector.evaluation.bound_model import asucceeds, succeeds
from skill_selector.evaluation.context_score import Piece, score_context
from skill_selector.evaluation.context_task import ContextTask
from skill_selector.evaluation.figures import Figure, figure
from skill_selector.evaluation.plain_context import Context, no_context, plain_context
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.context_compiler import CompilerGraph, context_compiler
from skill_selector.graph.settings import Settings, resolve_settings
from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.knowledge.library import KnowledgeLibrary
from skill_selector.knowledge.registry import SkillRegistry, load_registry
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.prompts.shortening import estimate_tokens
from skill_selector.retrievers.embedder import choose_embedder

BUDGET = 2_000
"""Tokens of a prompt."""
CONDITIONS = ("compiled", "plain", "plain_as_long", "nothing")
"""`plain` fills the budget; `plain_as_long` may take as many tokens as the compiled prompt did."""
MEASURES = ("coverage", "noise", "success")

Advance = Callable[[int], object]
"""Told how many tasks are done."""
Directories = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, kw_only=True)
class AblationRow:
    """One task under one condition."""

    id: str
    split: str
    category: str
    language: str
    condition: str
    coverage: float
    noise: float
    success: float
    tokens: int
    missed: tuple[str, ...]
    """Facts that the prompt does not say."""
    noisy: tuple[str, ...]
    """Sources of the pieces that do not belong."""


@dataclass(frozen=True, kw_only=True)
class Ablation:
    """What came of an ablation."""

    budget: int
    rows: tuple[AblationRow, ...]

    def figures(self) -> dict[str, dict[str, dict[str, Figure]]]:
        """Return mean and 95 % interval by subset (a split, split/category, split/language), condition and measure.

        All but `tokens` are shares from 0 to 1.
        """
        groups: dict[str, dict[str, list[AblationRow]]] = {}
        for row in self.rows:
            for subset in (row.split, f"{row.split}/{row.category}", f"{row.split}/{row.language}"):
                groups.setdefault(subset, {}).setdefault(row.condition, []).append(row)
        return {
            subset: {condition: _figures(rows) for condition, rows in conditions.items()}
            for subset, conditions in sorted(groups.items(), key=lambda pair: (pair[0].count("/"), pair[0]))
        }

    def to_dict(self) -> dict[str, Any]:
        """Return budget, figures and rows as a JSON object."""
        figures = {
            subset: {
                condition: {name: one._asdict() for name, one in named.items()} for condition, named in rows.items()
            }
            for subset, rows in self.figures().items()
        }
        listed = [asdict(one) | {"missed": list(one.missed), "noisy": list(one.noisy)} for one in self.rows]
        return {"budget": self.budget, "figures": figures, "rows": listed}


class _Bench:
    """What every task of one ablation shares."""

    def __init__(
        self,
        knowledge: str | os.PathLike[str],
        skills: Directories,
        budget: int,
        compiler: CompilerGraph | None,
        settings: Settings,
    ) -> None:
        self._knowledge = os.fspath(knowledge)
        self._skills = list_paths(skills)
        self._budget = budget
        self._compiler = compiler or context_compiler
        self._registry: SkillRegistry = load_registry(self._skills)
        library = KnowledgeLibrary(settings.cache_dir)
        embedder = choose_embedder(settings)
        self._search: KnowledgeSearch = library.open(self._knowledge, self._registry, embedder=embedder)
        if embedder is not None:
            self._search.index.vectors(embedder).complete()
        # what was learnt from earlier runs would make the figures those of this machine
        self._context = SelectorContext.from_options({"context_budget": budget, "feedback_shift": 0})

    def definition(self, task: ContextTask) -> SkillDefinition:
        return self._registry.get(task.skill_id)

    def given(self, task: ContextTask) -> Any:
        return {
            "skill_id": task.skill_id,
            "parameters": dict(task.parameters),
            "task": task.task,
            "knowledge_directory": self._knowledge,
            "skill_directory": self._skills,
        }

    def compiled(self, task: ContextTask) -> Context:
        return self._taken(self._compiler.invoke(self.given(task), context=self._context))

    async def acompiled(self, task: ContextTask) -> Context:
        return self._taken(await self._compiler.ainvoke(self.given(task), context=self._context))

    def others(self, task: ContextTask, compiled: Context) -> dict[str, Context]:
        definition = self.definition(task)
        as_long = estimate_tokens(compiled.prompt)
        return {
            "compiled": compiled,
            "plain": plain_context(task, definition, self._search, self._budget),
            "plain_as_long": plain_context(task, definition, self._search, as_long),
            "nothing": no_context(task, definition),
        }

    def _taken(self, state: Any) -> Context:
        made = CompiledContext.from_dict(state["compiled_context"])
        by_id = self._search.base.by_id
        pieces = tuple(
            Piece(
                chunks=tuple(by_id[name] for name in (one.chunk_id, *one.merged_ids) if name in by_id),
                tokens=one.tokens,
            )
            for one in made.kept
            if one.chunk_id in by_id
        )
        return Context(made.prompt, pieces)


def ablate(
    tasks: Sequence[ContextTask],
    knowledge: str | os.PathLike[str],
    skills: Directories,
    *,
    budget: int = BUDGET,
    compiler: CompilerGraph | None = None,
    settings: Settings | None = None,
    advance: Advance | None = None,
) -> Ablation:
    """Run every task under every condition.

    Args:
        tasks: what to measure on.
        knowledge: the knowledge folder.
        skills: the folder of skills, or several, with the definitions that the tasks name.
        budget: tokens of a prompt.
        compiler: a graph of `build_context_compiler` with parts of your own.
        settings: where the index is kept, and which embedder the plain retrieval takes.
        advance: told how many tasks are done.

    Raises:
        SkillSelectorError: a folder, a skill or a parameter cannot be used.
    """
    bench = _Bench(knowledge, skills, budget, compiler, settings or resolve_settings())
    rows: list[AblationRow] = []
    for number, task in enumerate(tasks, 1):
        contexts = bench.others(task, bench.compiled(task))
        rows += [_row(task, name, one, succeeds(task, one.prompt)) for name, one in contexts.items()]
        if advance:
            advance(number)
    return Ablation(budget=budget, rows=tuple(rows))


async def aablate(
    tasks: Sequence[ContextTask],
    knowledge: str | os.PathLike[str],
    skills: Directories,
    *,
    budget: int = BUDGET,
    compiler: CompilerGraph | None = None,
    settings: Settings | None = None,
    advance: Advance | None = None,
) -> Ablation:
    """Do the same without blocking the event loop."""
    if settings is None:
        settings = await asyncio.to_thread(resolve_settings)
    bench = await asyncio.to_thread(_Bench, knowledge, skills, budget, compiler, settings)
    rows: list[AblationRow] = []
    for number, task in enumerate(tasks, 1):
        contexts = await asyncio.to_thread(bench.others, task, await bench.acompiled(task))
        rows += [_row(task, name, one, await asucceeds(task, one.prompt)) for name, one in contexts.items()]
        if advance:
            advance(number)
    return Ablation(budget=budget, rows=tuple(rows))


def _row(task: ContextTask, condition: str, context: Context, success: bool) -> AblationRow:
    found = score_context(task, context.prompt, context.pieces)
    return AblationRow(
        id=task.id,
        split=task.split,
        category=task.category,
        language=task.language,
        condition=condition,
        coverage=found.coverage,
        noise=found.noise,
        success=float(success),
        tokens=estimate_tokens(context.prompt),
        missed=found.missed,
        noisy=found.noisy,
    )


def _figures(rows: Sequence[AblationRow]) -> dict[str, Figure]:
    named = {name: figure([float(getattr(row, name)) for row in rows]) for name in MEASURES}
    longest = max(row.tokens for row in rows)
    share = figure([row.tokens / longest for row in rows])
    tokens = Figure(share.mean * longest, share.low * longest, share.high * longest, share.n)
    return {**named, "tokens": tokens}
