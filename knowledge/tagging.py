"""Tags by a chat model: in batches, several at a time, each call within a limit; what is finished is kept at once."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from skill_selector.graph.errors import ModelUnavailableError
from skill_selector.graph.records import Usage
from skill_selector.graph.settings import Settings
from skill_selector.knowledge.chunk import Chunk
from skill_selector.knowledge.registry import SkillRegistry
from skill_selector.knowledge.running import run_apart
from skill_selector.knowledge.tagstore import Said, TagStore
from skill_selector.prompts.fencing import escape, fence
from skill_selector.prompts.fencing import field as tagged
from skill_selector.prompts.rendering import render
from skill_selector.prompts.shortening import elide, shorten
from skill_selector.reasoners.base import NO_USAGE
from skill_selector.reasoners.exchange import Exchange, Occasion, aask
from skill_selector.reasoners.reply import ReplyFaultError
from skill_selector.reasoners.understanding import unwrap

BATCH = 8
"""Chunks that one call is about."""
CONCURRENCY = 4
"""Calls at a time."""
CHUNK_TOKENS = 250
"""The most of a chunk that the model reads."""
MOST_SKILLS = 60
GIVE_UP = 5
"""Batches that fail in a row, before any other answer, until the rest is not asked about."""


@dataclass
class TaggingReport:
    """What came of a run."""

    chunks: int = 0
    """That had no answer of a model yet."""
    tagged: int = 0
    failed: int = 0
    """The model did not answer about them; rules stand in, and the next run asks again."""
    not_asked: int = 0
    """After `GIVE_UP` failures in a row; the same."""
    reasons: dict[str, int] = field(default_factory=dict)
    """Why, with the number of chunks."""
    usage: Usage = field(default_factory=NO_USAGE.copy)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return {**self.__dict__}


@dataclass(frozen=True, kw_only=True)
class Tagger:
    """A model that is asked which chunks help with which skill."""

    model: BaseChatModel
    settings: Settings
    own_model: bool = False
    """The settings did not make the model."""
    batch: int = BATCH
    concurrency: int = CONCURRENCY
    timeout: float | None = None
    """Seconds of each call; LLM_TIMEOUT by default."""

    def tag(
        self, store: TagStore, registry: SkillRegistry, progress: Callable[[str, int], None] | None = None
    ) -> TaggingReport:
        """Ask about every chunk without an answer, also where an earlier run failed, and keep the answers.

        Args:
            store: takes each batch as soon as it is finished, so that Ctrl-C loses only what is under way.
            registry: the skills.
            progress: called with `tag` and how many chunks are done.

        Raises:
            ModelSetupError: the model cannot work as it is set up.
        """
        return run_apart(self.atag(store, registry, progress))

    async def atag(
        self, store: TagStore, registry: SkillRegistry, progress: Callable[[str, int], None] | None = None
    ) -> TaggingReport:
        """Do the same without blocking the event loop."""
        known = await asyncio.to_thread(store.tags)
        open_chunks = [chunk for chunk in store.base.chunks if known.get(chunk.id) is None]
        run = _Run(self, store, registry, progress or (lambda _step, _done: None))
        run.report.chunks = len(open_chunks)
        batches = [open_chunks[at : at + self.batch] for at in range(0, len(open_chunks), self.batch)]
        try:
            async with asyncio.TaskGroup() as group:
                for batch in batches:
                    group.create_task(run.one(batch))
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return run.report


class _Run:
    def __init__(
        self, tagger: Tagger, store: TagStore, registry: SkillRegistry, progress: Callable[[str, int], None]
    ) -> None:
        self.tagger = tagger
        self.store = store
        self.registry = registry
        self.progress = progress
        self.report = TaggingReport()
        self.gate = asyncio.Semaphore(tagger.concurrency)
        self.in_a_row = 0
        self.done = 0

    async def one(self, batch: Sequence[Chunk]) -> None:
        async with self.gate:
            if self.in_a_row >= GIVE_UP:
                self.report.not_asked += len(batch)
                return
            said: Mapping[str, Said] | None = None
            why = ""
            try:
                said = await self._ask(batch)
                self.in_a_row = 0
                self.report.tagged += len(batch)
            except ModelUnavailableError as error:
                why = str(error)[:300]
                self.in_a_row += 1
                self.report.failed += len(batch)
                self.report.reasons[why] = self.report.reasons.get(why, 0) + len(batch)
                self._spend(getattr(error, "usage", NO_USAGE))
            kept = [(chunk, said[chunk.id] if said else None, why) for chunk in batch]
            await asyncio.to_thread(self.store.keep, kept)
            self.done += len(batch)
            self.progress("tag", self.done)

    async def _ask(self, batch: Sequence[Chunk]) -> Mapping[str, Said]:
        settings = self.tagger.settings
        names = {f"p{number}": chunk.id for number, chunk in enumerate(batch, 1)}
        skills = frozenset(one.id for one in self.registry)
        exchange: Exchange[Mapping[str, Said]] = Exchange(
            step="tag",
            request=Occasion(settings=settings),
            model=self.tagger.model,
            setting=None if self.tagger.own_model else "LLM_MODEL",
            fallback_model=None,
            schema=None,
            read=lambda value, _final: read_tags(value, names, skills),
        )
        timeout = settings.llm_timeout if self.tagger.timeout is None else self.tagger.timeout
        answer = await aask(exchange.steps(tag_messages(batch, self.registry)), timeout)
        self._spend(answer.usage)
        return answer.value

    def _spend(self, usage: Usage) -> None:
        total = self.report.usage
        total["calls"] += usage["calls"]
        total["prompt_tokens"] += usage["prompt_tokens"]
        total["completion_tokens"] += usage["completion_tokens"]


def tag_messages(batch: Sequence[Chunk], registry: SkillRegistry) -> tuple[BaseMessage, ...]:
    """Return the question about a batch; chunks go in escaped, under ids of their own."""
    skills = [
        "\n".join(
            [
                "<skill>",
                tagged("skill_id", one.id),
                tagged("description", shorten(one.description, 80)),
                tagged("keywords", ", ".join(one.related_keywords)[:300]),
                "</skill>",
            ]
        )
        for one in list(registry)[:MOST_SKILLS]
    ]
    pieces = [
        f'<piece id="p{number}">\n{tagged("type", chunk.type)}\n{tagged("title", chunk.title[:200])}\n'
        f"{tagged('path', chunk.path)}\n{fence('text', escape(elide(chunk.text, CHUNK_TOKENS)))}\n</piece>"
        for number, chunk in enumerate(batch, 1)
    ]
    question = render(
        "tagging_pieces",
        skills=fence("skills", "\n".join(skills)),
        pieces=fence("pieces", "\n".join(pieces)),
        ids=", ".join(f"p{number}" for number in range(1, len(batch) + 1)),
    )
    return SystemMessage(render("tagging")), HumanMessage(question)


def read_tags(value: Any, names: Mapping[str, str], skills: frozenset[str]) -> dict[str, Said] | None:
    """Return the tags by chunk id that a decoded reply gives, or None where it is something else.

    Args:
        value: the reply.
        names: the chunk id of each id in the prompt.
        skills: ids of the skills that there are.

    Raises:
        ReplyFaultError: pieces are missing or strange, or a confidence is none.
    """
    if isinstance(value, dict) and "pieces" not in value:
        value = unwrap(value)
    listed = value.get("pieces") if isinstance(value, dict) else value
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        return None
    faults: list[str] = []
    found: dict[str, Said] = {}
    for one in listed:
        name = str(one.get("id", ""))
        if name not in names:
            faults.append(f"there is no piece {name[:20]!r}")
        elif names[name] in found:
            faults.append(f"{name} came twice")
        else:
            found[names[name]] = _confidences(one.get("skills"), name, skills, faults)
    missing = [name for name, chunk_id in names.items() if chunk_id not in found]
    if missing:
        faults.append(f"{', '.join(missing)} missing")
    if faults:
        raise ReplyFaultError(*faults[:10])
    return found


def _confidences(value: Any, name: str, skills: frozenset[str], faults: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, dict):
            faults.append(f'"skills" of {name} is no list of objects')
            continue
        skill_id, sure = str(one.get("skill_id", "")), one.get("confidence")
        if skill_id not in skills:
            faults.append(f"{name}: there is no skill {skill_id[:60]!r}")
        elif isinstance(sure, bool) or not isinstance(sure, Real) or not 0 <= float(sure) <= 1:
            faults.append(f"{name}: the confidence of {skill_id} is {str(sure)[:20]}, not a number from 0 to 1")
        else:
            found[skill_id] = max(found.get(skill_id, 0.0), float(sure))
    return found
