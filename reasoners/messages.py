"""The messages of the two Reason steps: prompt texts filled with the task, the words and the candidates.

Candidates get opaque ids, in an order that depends on the task and the attempt but not on how they were retrieved.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from skill_selector.catalog.skill import Skill
from skill_selector.graph.records import RUBRIC, RankedSkill, TaskAnalysis
from skill_selector.prompts.fencing import escape, fence, field, one_line
from skill_selector.prompts.rendering import render
from skill_selector.prompts.shortening import elide, shorten
from skill_selector.reasoners.base import AnalysisRequest, RankRequest
from skill_selector.reasoners.difference import own_words
from skill_selector.retrievers.words import WordLists

TASK_TOKENS = 4000
"""The most of a task that Reason #1 reads; all token counts here are estimates."""
RANK_TASK_TOKENS = 400
"""The most of a task that Reason #2 reads beside the analysis."""
DESCRIPTION_TOKENS = 160
DESCRIPTIONS_TOKENS = 800
"""Room for all descriptions together; each gets its share, from `LEAST_DESCRIPTION_TOKENS` to `DESCRIPTION_TOKENS`."""
LEAST_DESCRIPTION_TOKENS = 60
TIED_DESCRIPTION_TOKENS = LEAST_DESCRIPTION_TOKENS
TIED_SHOWN = 5
FIELD_TOKENS = 40
"""Name, category and every other short field of a candidate."""
ECHO_TOKENS = 2000
EXAMPLE_WORDS = 6
"""Words of each list and language that the analysis prompt shows."""


@dataclass(frozen=True)
class RankMessages:
    """The messages of Reason #2 and what its opaque ids stand for, in order of presentation."""

    messages: tuple[BaseMessage, ...]
    skill_ids: dict[str, str]


def analysis_messages(request: AnalysisRequest) -> tuple[BaseMessage, ...]:
    """Return the messages of Reason #1; a later attempt is told what tied and what told it apart."""
    task = fence("task", escape(elide(request.task, TASK_TOKENS)))
    if request.previous is None or not request.tied:
        question = render("task", task=task)
    else:
        question = render(
            "tied_task",
            task=task,
            earlier=_analysis_block("earlier_analysis", request.previous),
            tied=_tied_block(request.tied[:TIED_SHOWN]),
            difference=_difference(request.tied),
        )
    return SystemMessage(_analysis_instructions(request.words)), HumanMessage(question)


def rank_messages(request: RankRequest) -> RankMessages:
    """Return the messages of Reason #2."""
    shuffled = sorted(candidate["id"] for candidate in request.candidates)
    seed = sha256(f"{request.attempt}\n{request.task}".encode("utf-8", "surrogatepass")).digest()
    Random(seed).shuffle(shuffled)  # noqa: S311 - an order, not a secret
    skill_ids = {f"c{number}": skill_id for number, skill_id in enumerate(shuffled, 1)}
    room = max(LEAST_DESCRIPTION_TOKENS, min(DESCRIPTION_TOKENS, DESCRIPTIONS_TOKENS // max(1, len(skill_ids))))
    entries = [_candidate_entry(opaque, request.skills[skill_id], room) for opaque, skill_id in skill_ids.items()]
    question = render(
        "candidates",
        task=fence("task", escape(elide(request.task, RANK_TASK_TOKENS))),
        analysis=_analysis_block("analysis", request.analysis),
        candidates=fence("candidates", "\n".join(entries)),
        ids=", ".join(skill_ids),
    )
    return RankMessages((SystemMessage(render("ranking")), HumanMessage(question)), skill_ids)


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


def _analysis_block(tag: str, analysis: TaskAnalysis) -> str:
    return fence(tag, escape(json.dumps(analysis, ensure_ascii=False)))


def _candidate_entry(opaque: str, skill: Skill, description_tokens: int) -> str:
    when = skill.when_to_use if one_line(skill.when_to_use) not in one_line(skill.description) else ""
    short = {"name": skill.name, "category": skill.category, "language": skill.language}
    parts = [field(tag, shorten(text, FIELD_TOKENS)) for tag, text in short.items() if text]
    parts.append(field("description", shorten(skill.description, description_tokens)))
    rest = {"when_to_use": when, "compatibility": skill.compatibility}
    parts += [field(tag, shorten(text, FIELD_TOKENS * 2)) for tag, text in rest.items() if text]
    return "\n".join([f'<skill id="{opaque}">', *parts, "</skill>"])


def _tied_block(tied: Sequence[RankedSkill]) -> str:
    own = own_words([f"{ranked['skill']['name']}\n{ranked['skill']['description']}" for ranked in tied])
    return fence("tied_skills", "\n".join(map(_tied_entry, tied, own)))


def _tied_entry(ranked: RankedSkill, own: Sequence[str]) -> str:
    points = ", ".join(f"{part} {ranked['dimensions'][part]:g} of {most:g}" for part, most in RUBRIC.items())
    parts = [
        field("name", shorten(ranked["skill"]["name"], FIELD_TOKENS)),
        field("description", shorten(ranked["skill"]["description"], TIED_DESCRIPTION_TOKENS)),
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
