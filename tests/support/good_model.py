"""A model that answers both Reason steps well: it reads the candidates out of the prompt."""

import json
import re
from typing import Any, Literal

from chat_server import Answer, ChatServer

Entry = dict[str, Any]

ANALYSIS = {
    "intent": "merge PDF files",
    "keywords": ["merge", "pdf", "合并"],
    "constraints": [],
    "tech_stack": ["PDF"],
    "when_to_use": "when several files are to become one",
}
_CANDIDATE = re.compile(r'<skill id="(c\d+)">\s*<name>(.*?)</name>')


def step_of(asked: dict[str, Any]) -> Literal["analyze", "rank"]:
    """Return which of the two steps a request belongs to."""
    return "rank" if "<candidates>" in text_of(asked) else "analyze"


def text_of(asked: dict[str, Any]) -> str:
    """Return the text of a request's messages, without the instructions."""
    return "\n".join(str(one["content"]) for one in asked["messages"] if one["role"] != "system")


def entries_of(asked: dict[str, Any], best: str = "pdf-merge") -> list[Entry]:
    """Return points for the candidates of a request: 92 for the best, 18 for each other."""
    found = []
    for opaque, name in _CANDIDATE.findall(text_of(asked)):
        points = (38, 27, 18, 9) if name == best else (8, 5, 3, 2)
        parts = dict(zip(("intent", "tech_stack", "constraints", "keywords"), points, strict=True))
        found.append({"id": opaque, **parts, "veto": None, "reason": f"about {name}"})
    return found


def good_text(asked: dict[str, Any]) -> str:
    """Return the right answer to a request."""
    return json.dumps(ANALYSIS if step_of(asked) == "analyze" else {"scores": entries_of(asked)}, ensure_ascii=False)


def good_answer(asked: dict[str, Any]) -> Answer:
    """Answer well, by the tool that the request offers where it offers one."""
    tools = asked.get("tools")
    if not tools:
        return ChatServer.completion(good_text(asked))
    function = {"name": tools[0]["function"]["name"], "arguments": good_text(asked)}
    return ChatServer.completion(
        None, "tool_calls", tool_calls=[{"id": "t1", "type": "function", "function": function}]
    )
