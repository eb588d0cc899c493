"""What a skill's text does to be chosen, instead of saying what the skill is for.

The wordings stand in `data/persuasion.txt`. To find one proves nothing: it is a reason to look, and no veto.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal, get_args

from skill_selector.catalog.diagnostic import Report

Persuasion = Literal["claims_everything", "instructs_reader", "closes_block"]
"""It claims to serve every task; it gives orders to whoever reads it; it holds marks that prompts are divided by."""

SHOWN = 80
"""Characters of a wording that a diagnostic quotes."""

_MESSAGES: dict[Persuasion, tuple[str, str]] = {
    "claims_everything": ("it claims to serve every task", "say what it is for, and what it is not for"),
    "instructs_reader": (
        "it gives orders to whoever chooses a skill",
        "say what the skill does; leave the choice to the reader",
    ),
    "closes_block": ("it holds marks that prompts are divided by", "leave them out, or name them in words"),
}


def find_persuasion(text: str) -> dict[Persuasion, str]:
    """Return the wording that was found, for each kind that was."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    lower = " ".join(text.lower().split())
    found: dict[Persuasion, str] = {}
    for one in _wordings():
        if one.kind not in found and any(hint in lower for hint in one.hints):
            match = one.pattern.search(text)
            if match:
                found[one.kind] = match.group().strip()
    return found


def check_persuasion(text: str, report: Report) -> tuple[Persuasion, ...]:
    """Note what a name, description and when-to-use do to be chosen; return the kinds."""
    found = find_persuasion(text)
    for kind, wording in found.items():
        what, fix = _MESSAGES[kind]
        shown = " ".join(wording.split())
        shown = shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + "…"
        report.note(kind, f"{what}: {shown!r}", fix)
    return tuple(found)


@dataclass(frozen=True)
class _Wording:
    kind: Persuasion
    hints: tuple[str, ...]
    """Lower case; a text without any of them need not be searched."""
    pattern: re.Pattern[str]


@lru_cache(maxsize=1)
def _wordings() -> tuple[_Wording, ...]:
    text = (files("skill_selector.catalog") / "data" / "persuasion.txt").read_text(encoding="utf-8")
    kinds = {f"[{kind}]": kind for kind in get_args(Persuasion)}
    kind: Persuasion = "claims_everything"
    found = []
    for line in text.splitlines():
        if line in kinds:
            kind = kinds[line]
        elif line and not line.startswith("# "):
            hints, _, pattern = line.partition(" => ")
            spaced = pattern.replace(" ", r"\s+").replace(r"\s+?", r"\s*")
            compiled = re.compile(spaced, re.IGNORECASE | re.MULTILINE)
            found.append(_Wording(kind, tuple(hints.split(",")), compiled))
    return tuple(found)
