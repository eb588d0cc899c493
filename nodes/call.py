"""An explicit call: a task that names its skill leaves nothing to choose.

`/release-cut make 2.1` calls by id, name or folder; so does "use the release-cut skill", and an id that is all the task
says. A path such as `/etc/hosts is broken` calls nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.lookup import find, near
from skill_selector.catalog.skill import Skill
from skill_selector.graph.records import Degradation, RankedSkill
from skill_selector.nodes.ranking import ruled_out, taken_as_called
from skill_selector.retrievers.text import has_chinese

MOST_WORDS = 4
"""A name may hold spaces: this many words after the slash are tried as one, the most first."""
LONGEST = 200
"""Characters of a name; what is longer is text."""

CallOutcome = Literal["called", "ambiguous_call", "refused_call"]

_SLASH = re.compile(r"[/／](?![/／\s])")
_AFTER = " \t,，.。:：;；!！?？、"
_NAME = re.compile(r"\w[\w-]*")
# What a path on this or another machine begins with: no slip of the pen for a skill's name.
_PLACES = frozenset(
    """
    applications bin boot dev etc home lib lib64 library media mnt opt private proc root run sbin srv sys tmp users usr
    var volumes
    """.split()  # noqa: SIM905 - reads better than as many quoted words
)
_QUOTES = "`\"'“”‘’「」『』"
_WORDS = re.compile(
    rf"""
    (?:please\s+|(?:can|could|would)\s+you\s+(?:please\s+)?)?(?:use|run|invoke|call|apply|start|trigger|load)\s+
        (?:the\s+|my\s+|our\s+)?
        (?:skill\s+[{_QUOTES}]?(?P<behind>[^\s,.:;!?{_QUOTES}]+)
          |[{_QUOTES}]?(?P<before>[^\s{_QUOTES}]+)[{_QUOTES}]?\s+skill\b)
    |(?:请|请你|麻烦你?|帮我)?(?:使用|调用|运行|执行|启动|用)\s*
        (?:技能\s*[{_QUOTES}]?(?P<after>[^\s，。、；：,;:{_QUOTES}]+)
          |[{_QUOTES}]?(?P<ahead>[^\s，。、；：,;:{_QUOTES}]+?)[{_QUOTES}]?\s*(?:这个|那个)?技能)
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, kw_only=True)
class Call:
    """What a task calls, and what came of it."""

    wanted: str
    """The name as the task says it."""
    outcome: CallOutcome | None
    """None where there is no such skill: then the task is taken as words."""
    ranked: list[RankedSkill] = field(default_factory=list)
    degraded: list[Degradation] = field(default_factory=list)


def find_call(task: str, catalog: Catalog) -> Call | None:
    """Return the call that a task is; None where it is none.

    Skills that only a human may start can be called; those that no human may (`user-invocable: false`) cannot.
    """
    chinese = has_chinese(task)
    if _SLASH.match(task):
        wanted = _first_line(task[1:])
        for name in _names(wanted):
            if found := find(catalog, name):
                return _call(f"/{name}", found, chinese=chinese)
        return _unknown(next(_names(wanted.split(" ")[0]), ""), catalog)
    skill = catalog.by_id.get(task)
    match = None if skill else _WORDS.match(task)
    name = task if skill else next((one for one in match.groups() if one), "") if match else ""
    found = (skill,) if skill else find(catalog, name) if name else ()
    # Said in words it is a request too, which a skill that is not to be called may still serve.
    callable_ones = tuple(one for one in found if one.user_invocable)
    return _call(name, callable_ones, chinese=chinese) if callable_ones else None


def _first_line(text: str) -> str:
    return " ".join(text[:LONGEST].splitlines()[0].split()) if text else ""


def _names(text: str) -> Iterator[str]:
    """Yield what the name may be: the first words, the most first."""
    words = text.split(" ")
    for count in range(min(MOST_WORDS, len(words)), 0, -1):
        name = " ".join(words[:count]).rstrip(_AFTER)
        if name:
            yield name
    # Chinese may go on without a space behind a mark.
    head = re.split(r"[，。：；！？、]", text, maxsplit=1)[0]
    if head and head != text:
        yield from _names(head)


def _call(wanted: str, found: Sequence[Skill], *, chinese: bool) -> Call:
    allowed = [one for one in found if one.user_invocable]
    if not allowed:
        why = "它的作者不许点名调用（user-invocable: false）"
        why = why if chinese else "its author lets nobody call it by name (user-invocable: false)"
        return Call(wanted=wanted, outcome="refused_call", ranked=[ruled_out(one, why) for one in found])
    reason = f"用户点名调用：{wanted}" if chinese else f"called by the user: {wanted}"
    ranked = [taken_as_called(one, reason, copies) for one, copies in _without_copies(allowed)]
    return Call(wanted=wanted, outcome="called" if len(ranked) == 1 else "ambiguous_call", ranked=ranked)


def _without_copies(skills: Sequence[Skill]) -> list[tuple[Skill, list[str]]]:
    """Return the first of those that say and do the same, with the ids of the others."""
    firsts: dict[tuple[str, str], tuple[Skill, list[str]]] = {}
    for skill in skills:
        key = skill.body_digest or skill.id, skill.description
        if key in firsts:
            firsts[key][1].append(skill.id)
        else:
            firsts[key] = skill, []
    return list(firsts.values())


def _unknown(wanted: str, catalog: Catalog) -> Call | None:
    """Return what is to be said of a name that no skill has; None for what is a path rather than a name."""
    parts = wanted.split("/")
    if parts[0].casefold() in _PLACES or not all(_NAME.fullmatch(part) for part in parts):
        return None
    offered = [one for one in near(catalog, wanted) if catalog.by_id[one].user_invocable]
    if not offered and len(parts) > 1:
        return None
    hint = f"; did you mean {' or '.join(f'/{one}' for one in offered)}?" if offered else ""
    fault: Degradation = {
        "step": "scan",
        "round": 0,
        "what": "call",
        "why": f"there is no skill {wanted!r}{hint}",
        "instead": "the words of the task",
    }
    return Call(wanted=f"/{wanted}", outcome=None, degraded=[fault])
