"""The messages of the two Reason steps: prompt texts filled with the task, the words and the candidates.

Candidates get opaque ids, in an order that depends on the task and the attempt but not on how they were retrieved.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from skill_selector.catalog.skill import Skill
from skill_selector.graph.records import RUBRIC, RankedSkill, TaskAnalysis
from skill_selector.prompts.fencing import escape, fence, field, one_line
from skill_selector.prompts.rendering import render
from skill_selector.prompts.shortening import CUT, elide, estimate_tokens, shorten
from skill_selector.reasoners.base import AnalysisRequest, RankRequest
from skill_selector.reasoners.difference import own_words
from skill_selector.retrievers.words import WordLists

TASK_SHARE, RANK_TASK_SHARE = 0.38, 0.12
"""The most of the room that a long task takes in Reason #1, and beside the analysis in Reason #2."""
LEAST_TASK_TOKENS = 60
ANALYSIS_TOKENS = 180
"""The most that Reason #2 reads of an analysis."""
DESCRIPTION_TOKENS, LEAST_DESCRIPTION_TOKENS = 160, 32
TIED_SHOWN = 5
FIELD_TOKENS = 40
"""Name, category and every other short field of a candidate."""
MESSAGE_TOKENS = 4
"""What endpoints count for the role and the limits of a message."""
ECHO_TOKENS = 2000
EXAMPLE_WORDS = 6
"""Words of each list and language that the analysis prompt shows."""

Messages = tuple[BaseMessage, ...]


@dataclass(frozen=True)
class RankMessages:
    """The messages of Reason #2 and what its opaque ids stand for, in order of presentation."""

    messages: Messages
    skill_ids: dict[str, str]
    beyond: int = 0
    """How many tokens, estimated, the round's prompts are over the bound, with every description at its shortest."""


def estimate_prompt(messages: Sequence[BaseMessage]) -> int:
    """Return about how many prompt tokens an endpoint counts for the messages."""
    counts = (_constant_tokens if isinstance(one, SystemMessage) else estimate_tokens for one in messages)
    return sum(count(str(one.text)) + MESSAGE_TOKENS for count, one in zip(counts, messages, strict=True))


def analysis_messages(request: AnalysisRequest) -> Messages:
    """Return the messages of Reason #1; a later attempt is told what tied and what told it apart.

    A long task and long descriptions are cut, so that the prompts of a round stay within `llm_prompt_tokens`.
    """
    instructions = SystemMessage(_analysis_instructions(request.words))
    room = request.settings.llm_prompt_tokens - _fixed_tokens(request.words)
    task = _task_block(request.task, int(room * TASK_SHARE))
    if request.previous is None or not request.tied:
        return instructions, HumanMessage(render("task", task=task))
    tied = request.tied[:TIED_SHOWN]

    def ask(level: int) -> Messages:
        question = render(
            "tied_task",
            task=task,
            earlier=_analysis_block("earlier_analysis", request.previous or {}),
            tied=_tied_block(tied, level),
            difference=_difference(tied),
        )
        return instructions, HumanMessage(question)

    most = request.settings.llm_prompt_tokens - _constant_tokens(render("ranking"))
    return ask(_level(ask, most))


def rank_messages(request: RankRequest) -> RankMessages:
    """Return the messages of Reason #2, within what the analysis leaves of `llm_prompt_tokens`.

    Long descriptions give way first, the longest at first, down to `LEAST_DESCRIPTION_TOKENS` each; `beyond` says
    where that was not enough.
    """
    shuffled = sorted(candidate["id"] for candidate in request.candidates)
    seed = sha256(f"{request.attempt}\n{request.task}".encode("utf-8", "surrogatepass")).digest()
    Random(seed).shuffle(shuffled)  # noqa: S311 - an order, not a secret
    skill_ids = {f"c{number}": skill_id for number, skill_id in enumerate(shuffled, 1)}
    settings = request.settings
    room = settings.llm_prompt_tokens - _fixed_tokens(request.words)
    task = _task_block(request.task, int(room * RANK_TASK_SHARE))

    def ask(level: int) -> Messages:
        entries = [_candidate_entry(opaque, request.skills[skill_id], level) for opaque, skill_id in skill_ids.items()]
        question = render(
            "candidates",
            task=task,
            analysis=_analysis_block("analysis", request.analysis),
            candidates=fence("candidates", "\n".join(entries)),
            ids=", ".join(skill_ids),
        )
        return SystemMessage(render("ranking")), HumanMessage(question)

    before = AnalysisRequest(task=request.task, settings=settings, words=request.words)
    most = settings.llm_prompt_tokens - estimate_prompt(analysis_messages(before))
    messages = ask(_level(ask, most))
    return RankMessages(messages, skill_ids, max(0, estimate_prompt(messages) - most))


def _level(ask: Callable[[int], Messages], most: int) -> int:
    """Return the most tokens a description may take, so that the messages fit; the least where they never do."""
    low, high = LEAST_DESCRIPTION_TOKENS, DESCRIPTION_TOKENS
    if estimate_prompt(ask(high)) <= most:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if estimate_prompt(ask(middle)) <= most else (low, middle)
    return low


def _fixed_tokens(words: WordLists) -> int:
    """Return what the two prompts of a round take before task and candidates come in."""
    candidates = render("candidates", task="", analysis="", candidates="", ids="")
    texts = (_analysis_instructions(words), render("task", task=""), render("ranking"), candidates)
    return sum(map(_constant_tokens, texts)) + len(texts) * MESSAGE_TOKENS


@lru_cache(maxsize=16)
def _constant_tokens(text: str) -> int:
    """Count a text that every prompt holds, once."""
    return estimate_tokens(text)


def _task_block(task: str, tokens: int) -> str:
    return fence("task", escape(elide(task, max(LEAST_TASK_TOKENS, tokens))))


def corrected(messages: Sequence[BaseMessage], answer: str, faults: Sequence[str]) -> tuple[BaseMessage, ...]:
    """Return the messages that ask once more, with every fault of the answer named."""
    note = render("correction", faults="\n".join(f"- {escape(one_line(fault))}" for fault in faults))
    return _asked_again(messages, note, answer)


def briefer(messages: Sequence[BaseMessage]) -> tuple[BaseMessage, ...]:
    """Return the messages that ask once more after an answer was cut off."""
    return _asked_again(messages, render("brevity"))


def _asked_again(messages: Sequence[BaseMessage], note: str, answer: str = "") -> tuple[BaseMessage, ...]:
    echo = elide(answer, ECHO_TOKENS).strip()
    if echo:
        return *messages, AIMessage(echo), HumanMessage(note)
    # Endpoints refuse an empty assistant turn, and some refuse two turns of the user in a row.
    return *messages[:-1], HumanMessage(f"{messages[-1].text}\n\n{note}")


def _analysis_instructions(words: WordLists) -> str:
    return render(
        "analysis",
        action_en=", ".join(words.examples("action", "en", EXAMPLE_WORDS)),
        action_zh="、".join(words.examples("action", "zh", EXAMPLE_WORDS)),
        domain_en=", ".join(words.examples("domain", "en", EXAMPLE_WORDS)),
        domain_zh="、".join(words.examples("domain", "zh", EXAMPLE_WORDS)),
    )


def _analysis_block(tag: str, analysis: TaskAnalysis | dict[str, Any]) -> str:
    """Return the analysis as fenced JSON; one that is too long loses words, the last items of its lists first."""
    fields: dict[str, Any] = dict(analysis)
    text = json.dumps(fields, ensure_ascii=False)
    for items in (12, 6, 3):
        if estimate_tokens(text) <= ANALYSIS_TOKENS:
            break
        fields = {name: _briefly(value, items) for name, value in fields.items()}
        text = json.dumps(fields, ensure_ascii=False)
    return fence(tag, escape(text))


def _briefly(value: Any, items: int) -> Any:
    if isinstance(value, str):
        return shorten(value, FIELD_TOKENS)
    shown = [shorten(item, FIELD_TOKENS // 4) for item in value if item != CUT]
    return shown if len(shown) <= items and CUT not in value else [*shown[:items], CUT]


def _candidate_entry(opaque: str, skill: Skill, description_tokens: int) -> str:
    when = skill.when_to_use if one_line(skill.when_to_use) not in one_line(skill.description) else ""
    few = min(FIELD_TOKENS, description_tokens)
    short = {"name": skill.name, "category": skill.category, "language": skill.language}
    parts = [field(tag, shorten(text, few)) for tag, text in short.items() if text]
    parts.append(field("description", shorten(skill.description, description_tokens)))
    rest = {"when_to_use": when, "compatibility": skill.compatibility}
    parts += [field(tag, shorten(text, description_tokens // 2)) for tag, text in rest.items() if text]
    return "\n".join([f'<skill id="{opaque}">', *parts, "</skill>"])


def _tied_block(tied: Sequence[RankedSkill], description_tokens: int) -> str:
    own = own_words([f"{ranked['skill']['name']}\n{ranked['skill']['description']}" for ranked in tied])
    entries = (_tied_entry(one, words, description_tokens) for one, words in zip(tied, own, strict=True))
    return fence("tied_skills", "\n".join(entries))


def _tied_entry(ranked: RankedSkill, own: Sequence[str], description_tokens: int) -> str:
    points = ", ".join(f"{part} {ranked['dimensions'][part]:g} of {most:g}" for part, most in RUBRIC.items())
    parts = [
        field("name", shorten(ranked["skill"]["name"], FIELD_TOKENS)),
        field("description", shorten(ranked["skill"]["description"], description_tokens)),
        # the description is cut, and two of them may begin alike
        *([field("only_here", shorten(", ".join(own), FIELD_TOKENS))] if own else []),
        field("points", points),
        field("reason", shorten(ranked["reason"], FIELD_TOKENS)),
    ]
    return "\n".join(["<skill>", *parts, "</skill>"])


def _difference(tied: Sequence[RankedSkill]) -> str:
    apart = [part for part in RUBRIC if len({ranked["dimensions"][part] for ranked in tied}) > 1]
    if not apart:
        return "They got the same points in every part."
    return f"Only these parts told them apart, too little: {', '.join(apart)}."
