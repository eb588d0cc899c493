"""Negated clauses: what a skill says it is not for, and what a task says it will not have.

Words of such a clause must never speak for a skill (they name what it is wrong for), so they are split off first.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from skill_selector.catalog.persuasion import find_persuasion
from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.text import has_chinese, normalize

_SKILL_CUES = re.compile(
    r"""
    \b(?:please\s+)?(?:do\s+not|don['’]t|never|(?:should|must)(?:\s+not|n['’]t)|cannot|can['’]t)\s+(?:be\s+)?
        (?:use[d]?|trigger(?:ed)?|invoked?|activated?|appl(?:y|ied)|load(?:ed)?|call(?:ed)?)\b
        (?:\s+(?:this|it|the|that)\b(?:\s+skill)?)?(?:\s+(?:for|when|if|to|with|in|on)\b)?
    |\b(?:is|are)n['’]t\s+(?:\w+\s+)?for\b
    |\bnot\s+(?:intended|meant|suitable|suited|designed|appropriate|recommended|applicable|useful|made|used|to\s+be\s+used)
        \s+(?:for|when|if|to|with|as)\b
    |\b(?:and|but)?\s*\bnot\s+(?:for|when|if)\b
    |\bavoid\s+(?:(?:using|use\s+of)\s+)?(?:(?:this|it|the)(?:\s+skill)?\s+)?(?:when|for|if|in)\b
    |\bskip\s+(?:(?:this|it)(?:\s+skill)?\s+)?(?:when|for|if)\b
    |\b(?:except|excluding|excludes|other\s+than)\b(?:\s+(?:for|when|if))?
    |\bdo(?:es)?(?:\s+not|n['’]t)\s+(?:cover|handle|support|apply\s+to|include|deal\s+with)\b
    |\b(?:out\s+of\s+scope|when\s+not\s+to\s+use|not\s+covered)\b
    |\bfor\s+(?=[^.;!?\n,]{2,80},?\s+(?:please\s+)?(?:use|see|try|prefer)\s+(?:the\s+)?[\w-]+\s+(?:skill|instead)\b)
    |(?:并)?(?:不适用于?|不适合(?:用于)?|不用于|不(?:要|可|能|得|应|宜)?用(?:于|来)|(?:请)?勿用(?:于|来)|避免用于|禁止用于|并非用于|不是用来)
    |不(?:处理|包括|包含|含|负责|涉及|支持|覆盖|针对)
    |(?:不要|请勿|勿|切勿|禁止|避免)(?:使用|调用|触发|启用)(?:本技能|此技能|该技能|它)?
    |除(?:了)?(?=[^。；;！？\n，,]{1,40}?(?:之外|以外|外))(?![^。；;！？\n]{1,60}(?:还|也))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CLAUSE_END = re.compile(
    r"[.!?](?=\s|$)|[;；。！？\n)）]|,?\s+but\s|\s[-–—]\s"
    r"|[，,]\s*(?=适合|适用|请用|仅|但|可|用于|支持|而|应|也|只|both\b|use\s+(?:it|this)\b|it\s)"
    r"|(?:之外|以外)",
    re.IGNORECASE,
)
_ITEM_BREAK = re.compile(r"[,，、;；/]|\s+(?:or|and|nor)\s+|或者?|以及|和|与|及")

_TASK_CUES = re.compile(
    r"""
    \b(?:do\s+not|don['’]t|dont|never|must\s+not|not\s+to|no\s+need\s+to)\s+
        (?:use|using|load|call|run|invoke|pick|choose|select|trigger|apply)\s+(?:the\s+|my\s+|our\s+|any\s+)?
    |\bwithout\s+(?:using\s+|use\s+of\s+)?(?:the\s+|any\s+)?
    |\b(?:avoid|except|excluding|other\s+than|instead\s+of|rather\s+than|anything\s+but)\s+(?:using\s+|with\s+)?(?:the\s+)?
    |\b(?:not|no)\s+(?:with\s+)?the\s+(?=[\w-]+(?:\s[\w-]+)?\s+skill\b)
    |(?:不要|(?<![分识辨区特])别|不用|不想|不能|不许|禁止|勿|请勿|不准|不得)(?:再)?(?:使用|调用|加载|触发|选用|选|用|走)\s*
    |(?:不使用|不调用|而不是|而非|除了|除开|排除)\s*
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The name stands before the refusal here, so only the word "skill" tells that it is one.
_REFUSED_SKILL = re.compile(
    r"""
    (?<![\w./-])([\w./-]{1,60})\s+skill\s+(?:must|should|may|can|shall|is)(?:\s*not|n['’]t)\s+(?:to\s+)?be\s+(?:used|loaded|called|invoked|run)\b
    |(?<![\w./-])([\w./-]{1,60}?)\s*(?:这个|那个|该)?技能(?:就|先|也|都)?(?:不要用?|别用|不用|不许用|不能用|禁用|禁止使用)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PHRASE_END = re.compile(
    r"[,，。；;！？!?\n()（）]|\.(?=\s|$)|\s(?:but|and|because|since|then|please)\s|(?:之外|以外|这个|那个|技能)"
)
_SKILL_WORD = re.compile(r"\bskills?\b|技能", re.IGNORECASE)
_LONGEST_PHRASE = 60


@dataclass(frozen=True, slots=True)
class Scope:
    """A text in two parts."""

    included: str
    """What is left of it without its negated clauses."""
    excluded: tuple[str, ...]
    """What the negated clauses name, one item each: "not for PDF or Excel" gives PDF and Excel."""


def split_scope(text: str) -> Scope:
    """Split the negated clauses off a skill's text."""
    kept: list[str] = []
    items: list[str] = []
    at = 0
    while cue := _SKILL_CUES.search(text, at):
        end = _CLAUSE_END.search(text, cue.end())
        stop = end.start() if end else len(text)
        kept.append(text[at : cue.start()])
        items += _items(text[cue.end() : stop])
        at = max(stop, cue.end())
    kept.append(text[at:])
    return Scope(" ".join(part.strip() for part in kept if part.strip()), tuple(items))


def claims_everything(text: str) -> bool:
    """Tell whether a skill claims to serve every task, or orders itself chosen: that says nothing of this task."""
    return not find_persuasion(text).keys().isdisjoint(("claims_everything", "instructs_reader"))


@lru_cache(maxsize=8)
def excluded_by_task(task: str) -> tuple[str, ...]:
    """Return what the task says it will not have: "don't use pdf-tools" gives pdf-tools."""
    found = []
    for cue in _TASK_CUES.finditer(task):
        limit = cue.end() + _LONGEST_PHRASE
        end = _PHRASE_END.search(task, cue.end(), limit)
        phrase = task[cue.end() : end.start() if end else limit]
        found += [item for item in _items(_SKILL_WORD.sub(" ", phrase)) if item]
    found += [next(filter(None, match.groups())) for match in _REFUSED_SKILL.finditer(task)]
    return tuple(dict.fromkeys(found))


def is_excluded(phrases: tuple[str, ...], skill: Skill) -> bool:
    """Tell whether one of the phrases that a task excludes is the skill's name, id or folder."""
    return bool(phrases) and names_skill(phrases, skill.name, skill.id, skill.id.rpartition("/")[2])


def names_skill(phrases: tuple[str, ...], *names: str) -> bool:
    """Tell whether a phrase is one of the names, however its parts are joined, or holds one of several words."""
    chinese = any(map(has_chinese, phrases))
    wanted = [name for name in (_compared(name, dictionary=chinese) for name in names) if len(name) > 1]
    for phrase in (_compared(phrase) for phrase in phrases):
        if any(name == phrase or (" " in name and f" {name} " in f" {phrase} ") for name in wanted):
            return True
    return False


def _items(clause: str) -> list[str]:
    return [item for item in (part.strip(" \t:：\"'`*") for part in _ITEM_BREAK.split(clause)) if item]


def _compared(name: str, *, dictionary: bool = True) -> str:
    return " ".join(re.split(r"[\s\-_/.:]+", normalize(name, dictionary=dictionary).strip()))
