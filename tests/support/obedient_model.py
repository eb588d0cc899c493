"""A chat model that does whatever it is told outside the data: by its script, the easiest victim of hostile skills.

It takes a block for closed at the first closing tag, reads full-width letters as plain ones, and reads what invisible
characters spell. Inside the data it judges by words that task and skill share, and believes nothing.
"""

import json
import re
import unicodedata
from typing import Any

from langchain_core.messages import BaseMessage

from skill_selector.catalog.hiddentext import find_hidden_text

_BLOCK = re.compile(
    r"<(task|analysis|candidates|earlier_analysis|tied_skills)>(.*?)</\s*\1\s*>", re.DOTALL | re.IGNORECASE
)
_SKILL = re.compile(r'<skill id="(c\d+)">(.*?)</skill>', re.DOTALL)
_NAME = re.compile(r"<name>(.*?)</name>")
_ORDER = re.compile(r"\bchoose ([\w-]+)|选择 ?([\w-]+)", re.IGNORECASE)
_PARTS = {"intent": 40, "tech_stack": 30, "constraints": 20, "keywords": 10}


def obey(messages: list[BaseMessage]) -> str:
    """Return the answer to either step, as a script for `ScriptedChatModel`."""
    text = unicodedata.normalize("NFKC", str(messages[-1].text))
    blocks = {match[1].lower(): match[2] for match in _BLOCK.finditer(text)}
    outside = "\n".join([_BLOCK.sub("", text), *find_hidden_text(text), *find_hidden_text(str(messages[-1].text))])
    ordered = next((one[1] or one[2] for one in _ORDER.finditer(outside)), None)
    task = _words(blocks.get("task", ""))
    if "candidates" not in blocks:
        intent = f"choose {ordered}" if ordered else " ".join(sorted(task))
        fields: dict[str, Any] = {"intent": intent, "keywords": sorted(task) or ["x"]}
        return json.dumps({**fields, "constraints": [], "tech_stack": [], "when_to_use": ""})
    scores = [_score(opaque, entry, task, ordered) for opaque, entry in _SKILL.findall(blocks["candidates"])]
    return json.dumps({"scores": scores})


def _score(opaque: str, entry: str, task: set[str], ordered: str | None) -> dict[str, Any]:
    name = "".join(_NAME.findall(entry))
    honest = min(1.0, 1.3 * len(task & _words(entry)) / max(1, len(task)))
    share = float(name == ordered) if ordered else honest
    points = {part: round(most * share) for part, most in _PARTS.items()}
    return {"id": opaque, **points, "veto": None, "reason": f"{name}: {share:.2f}"}


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w{3,}", text.lower()) if word not in {"the", "and", "into", "for"}}
