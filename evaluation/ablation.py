"""What compiled context is worth: beside plain retrieval over everything, and beside nothing (source 002)."""

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage

from skill_selector.evaluation.contexttask import ContextTask, Fact, is_covered, is_noise, plain
from skill_selector.evaluation.figures import Figure, figure
from skill_selector.graph.context_compiler import build_context_compiler
from skill_selector.graph.settings import resolve_settings
from skill_selector.knowledge.chunk import Chunk
from skill_selector.knowledge.library import KnowledgeLibrary
from skill_selector.knowledge.registry import load_registry
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.prompts.shortening import estimate_tokens
from skill_selector.retrievers.embedder import choose_embedder
from skill_selector.testing import ScriptedChatModel

Way = Literal["compiled", "plain", "nothing"]
WAYS: tuple[Way, ...] = ("compiled", "plain", "nothing")
NAMES = ("coverage", "noise", "tokens", "success")


@dataclass(frozen=True, kw_only=True)
class ContextRun:
    """One task, one way."""

    task: str
    way: Way
    coverage: float
    noise: float
    tokens: int
    success: float
    missed: tuple[str, ...] = ()
    """The facts that the prompt does not hold."""
    noisy: tuple[str, ...] = ()
    """Sources of the chunks that are noise."""


@dataclass(frozen=True)
class Ablation:
    """All runs."""

    runs: tuple[ContextRun, ...]

    def figures(self, tasks: Sequence[ContextTask]) -> dict[str, dict[str, dict[str, Figure]]]:
        """Return the figures by subset (`all`, a split, split/skill), by way, by name."""
        by_id = {one.id: one for one in tasks}
        values: dict[str, dict[str, dict[str, list[float]]]] = {}
        for run in self.runs:
            task = by_id[run.task]
            for subset in ("all", task.split, f"{task.split}/{task.skill_id}"):
                named = values.setdefault(subset, {}).setdefault(run.way, {})
                for name in NAMES:
                    named.setdefault(name, []).append(float(getattr(run, name)))
        return {
            subset: {way: {name: figure(each) for name, each in named.items()} for way, named in ways.items()}
            for subset, ways in sorted(values.items())
        }


def ablate(
    tasks: Sequence[ContextTask],
    *,
    knowledge: str | os.PathLike[str],
    skills: Sequence[str],
    budget: int = 2000,
    model: BaseChatModel | None = None,
    progress: Callable[[str, int], None] | None = None,
    **options: Any,
) -> Ablation:
    """Run every task three ways. Blocks.

    Args:
        tasks: see `load_context_tasks`.
        knowledge: the knowledge folder.
        skills: folders of the skills.
        budget: tokens (estimated) of each prompt.
        model: carries the tasks out; a scripted one that knows nothing but its prompt by default.
        progress: called with the number of tasks done.
        **options: settings, by the names of `SelectorContext`.

    Raises:
        SkillSelectorError: a folder, a definition, a parameter or a setting cannot be used.
    """
    settings = resolve_settings()
    embedder = choose_embedder(settings)
    search = KnowledgeLibrary(settings.cache_dir).open(knowledge, load_registry(skills), embedder=embedder)
    if embedder is not None:
        search.index.vectors(embedder).complete()
    compiler = build_context_compiler(context={"context_budget": budget, **options})
    worker = model or prompt_bound_model()
    runs: list[ContextRun] = []
    for done, task in enumerate(tasks, 1):
        given: Any = {
            "skill_id": task.skill_id,
            "parameters": dict(task.parameters),
            "task": task.task,
            "knowledge_directory": os.fspath(knowledge),
            "skill_directory": [os.fspath(one) for one in skills],
        }
        made = compiler.invoke(given)["compiled_context"]
        kept = [(one["chunk_id"], one["tokens"]) for one in made["manifest"] if one["kept"]]
        runs.append(_judged(task, "compiled", made["prompt"], kept, search=search, model=worker))
        prompt, kept = plain_context(task, search, budget)
        runs.append(_judged(task, "plain", prompt, kept, search=search, model=worker))
        runs.append(_judged(task, "nothing", _asked(task), [], search=search, model=worker))
        if progress:
            progress("ablate", done)
    return Ablation(tuple(runs))


async def aablate(tasks: Sequence[ContextTask], **arguments: Any) -> Ablation:
    """Do as `ablate`, off the event loop."""
    return await asyncio.to_thread(lambda: ablate(tasks, **arguments))


def plain_context(task: ContextTask, search: KnowledgeSearch, budget: int) -> tuple[str, list[tuple[str, int]]]:
    """Return the prompt of plain retrieval: the chunks nearest in meaning, of the whole folder, as many as fit."""
    hits = search.semantic(task.task) if search.has_meaning else search.keyword(task.task)
    asked = _asked(task)
    room = budget - estimate_tokens(asked)
    texts: list[str] = []
    kept: list[tuple[str, int]] = []
    for hit in hits:
        chunk = search.base.get(hit.chunk_id)
        text = f"[{chunk.source}]\n{chunk.text}"
        cost = estimate_tokens(text) + 2
        if cost <= room:
            room -= cost
            texts.append(text)
            kept.append((chunk.id, cost))
    return "\n\n".join([*texts, asked]), kept


def prompt_bound_model() -> ScriptedChatModel:
    """Return a model that can use only its prompt: of each fact it takes the wording that comes first there."""

    def answer(messages: list[BaseMessage]) -> str:
        prompt, asked = plain(str(messages[0].content)), json.loads(str(messages[1].content))
        found: list[str | None] = []
        for wordings in asked:
            places = [(at, one) for one in wordings if (at := prompt.find(plain(one))) >= 0]
            found.append(min(places)[1] if places else None)
        return json.dumps(found, ensure_ascii=False)

    return ScriptedChatModel(answer)


def carry_out(task: ContextTask, prompt: str, model: BaseChatModel) -> bool:
    """Tell whether a model with this prompt, and nothing else, gets every fact of the task right."""
    return _all_right(task.facts, model.invoke(_question(task, prompt)).text)


async def acarry_out(task: ContextTask, prompt: str, model: BaseChatModel) -> bool:
    """Do as `carry_out`, without blocking the event loop."""
    return _all_right(task.facts, (await model.ainvoke(_question(task, prompt))).text)


def _question(task: ContextTask, prompt: str) -> list[BaseMessage]:
    # the wordings are offered in the order of the alphabet, which says nothing of which is right
    offered = [sorted({*fact.any, *fact.wrong}) for fact in task.facts]
    return [HumanMessage(prompt), HumanMessage(json.dumps(offered, ensure_ascii=False))]


def _all_right(facts: Sequence[Fact], answer: str) -> bool:
    try:
        said = json.loads(answer)
    except ValueError:
        return False
    fits = isinstance(said, list) and len(said) == len(facts)
    return fits and all(one in fact.any for one, fact in zip(said, facts, strict=True))


def _judged(
    task: ContextTask,
    way: Way,
    prompt: str,
    kept: Sequence[tuple[str, int]],
    *,
    search: KnowledgeSearch,
    model: BaseChatModel,
) -> ContextRun:
    text = plain(prompt)
    covered = [fact for fact in task.facts if is_covered(fact, text)]
    noisy = [(chunk, cost) for chunk, cost in _chunks(kept, search) if chunk is None or is_noise(task, chunk)]
    total = sum(cost for _, cost in kept)
    return ContextRun(
        task=task.id,
        way=way,
        coverage=len(covered) / len(task.facts),
        noise=sum(cost for _, cost in noisy) / total if total else 0.0,
        tokens=estimate_tokens(prompt),
        success=float(carry_out(task, prompt, model)),
        missed=tuple(fact.what for fact in task.facts if fact not in covered),
        noisy=tuple(chunk.source if chunk else "?" for chunk, _ in noisy),
    )


def _chunks(kept: Sequence[tuple[str, int]], search: KnowledgeSearch) -> list[tuple[Chunk | None, int]]:
    known = {chunk.id: chunk for chunk in search.base.chunks}
    return [(known.get(chunk_id), cost) for chunk_id, cost in kept]


def _asked(task: ContextTask) -> str:
    return f"{task.task}\n{json.dumps(dict(task.parameters), ensure_ascii=False)}"
