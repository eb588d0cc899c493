"""A model's reply: what it says, and the JSON answer inside it.

What is unambiguous is read; everything else is a fault that names itself, so that the model can be asked once more.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.messages import BaseMessage

from skill_selector.reasoners.json_text import decode, decode_strictly

T = TypeVar("T")
Read = Callable[[Any], T | None]
"""Turns a decoded value into an answer; None where the value is something else altogether.

Raises ReplyFaultError where it is meant as the answer and has faults.
"""

MAX_STARTS = 400
"""Brackets in prose that are tried as the beginning of an answer."""

_CUT_OFF = {"length", "max_tokens", "model_length"}
_FILTERED = {"content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "sensitive"}
_THINKING = r"(?:think|thinking|thought|reasoning)"
_THOUGHT = re.compile(rf"<{_THINKING}>.*?</{_THINKING}>", re.IGNORECASE | re.DOTALL)
_THOUGHT_END = re.compile(rf"^.*</{_THINKING}>", re.IGNORECASE | re.DOTALL)
_THOUGHT_START = re.compile(rf"<{_THINKING}>.*$", re.IGNORECASE | re.DOTALL)


_REFUSES = re.compile(
    r"\b(?:I['’]?m|I am) (?:really |very )?(?:sorry|unable|not able)\b|\bI (?:must|have to) decline\b"
    r"|\b(?:can['’]?t|cannot|unable to) (?:assist|help|comply|respond|discuss|fulfil)\b"
    r"|(?:抱歉|对不起|很遗憾).{0,20}(?:无法|不能|不便)|^.{0,12}(?:无法|不能)(?:回答|协助|提供|处理|满足)",
    re.IGNORECASE | re.DOTALL,
)
MOST_REFUSAL = 600
"""Characters; a longer text without an answer is taken for an answer gone wrong."""


class ReplyFaultError(ValueError):
    """The reply cannot be used; `faults` says why, each in words that the model understands."""

    def __init__(self, *faults: str) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Reply:
    """What a model said."""

    text: str
    reasoning: str = ""
    """What the endpoint delivered apart from the answer."""
    cut_off: bool = False
    refusal: str | None = None
    """What the model or a content filter said instead of an answer."""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @classmethod
    def from_message(cls, message: BaseMessage) -> "Reply":
        """Read a message, whichever endpoint it comes from."""
        about = message.response_metadata
        finish = next((about[key] for key in ("finish_reason", "stop_reason", "done_reason") if about.get(key)), "")
        finish = str(finish).lower()
        refusal = message.additional_kwargs.get("refusal")
        if not refusal and finish in _FILTERED:
            refusal = f"finish reason {finish}"
        usage = getattr(message, "usage_metadata", None)
        usage = usage if isinstance(usage, dict) else {}
        return cls(
            text=_called(message) or str(message.text),
            reasoning=_reasoning(message),
            cut_off=finish in _CUT_OFF,
            refusal=str(refusal) if refusal else None,
            prompt_tokens=_count(usage.get("input_tokens")),
            completion_tokens=_count(usage.get("output_tokens")),
        )

    @classmethod
    def from_error(cls, error: Exception) -> "Reply | None":
        """Return the reply that a client raised because it was cut off; None for every other error."""
        if type(error).__name__ != "LengthFinishReasonError":
            return None
        usage = getattr(getattr(error, "completion", None), "usage", None)
        told = [_count(getattr(usage, name, None)) for name in ("prompt_tokens", "completion_tokens")]
        return cls(text="", cut_off=True, prompt_tokens=told[0], completion_tokens=told[1])

    @property
    def refuses(self) -> bool:
        """Whether the text, in which no answer was found, declines in words."""
        text = _without_thoughts(self.text)
        return len(text) <= MOST_REFUSAL and "{" not in text and bool(_REFUSES.search(text))


def _called(message: BaseMessage) -> str:
    """Return the arguments of the tool that the message calls, as JSON, or an empty text."""
    for call in (*getattr(message, "tool_calls", ()), *getattr(message, "invalid_tool_calls", ())):
        given = call.get("args")
        if given:
            return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return ""


def _count(tokens: object) -> int:
    """Return a count of tokens; what cannot be one counts as none."""
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 else 0


def _reasoning(message: BaseMessage) -> str:
    apart = message.additional_kwargs.get("reasoning_content")
    if isinstance(apart, str):
        return apart
    if isinstance(message.content, str):
        return ""
    blocks = [block for block in message.content if isinstance(block, dict)]
    return "\n".join(str(block.get("reasoning") or block.get("thinking") or "") for block in blocks).strip()


def find_answer(reply: Reply, read: Read[T]) -> T:
    """Return the one answer that the reply holds.

    The whole text counts first, then the text without thoughts, then every object in code fences and prose. What the
    endpoint delivered as reasoning counts only where there is no text and the answer in it is without fault.

    Raises:
        ReplyFaultError: the reply is empty or cut off, holds no answer, a faulty one, or several different ones.
    """
    if reply.cut_off:
        raise ReplyFaultError("it was cut off at the limit of tokens")
    if reply.text.strip():
        return _find(reply.text, read)
    if reply.reasoning:
        try:
            return _find(reply.reasoning, read)
        except ReplyFaultError:
            pass
    raise ReplyFaultError("it was empty")


def _find(text: str, read: Read[T]) -> T:
    for whole in (text, _without_thoughts(text)):
        try:
            value = decode_strictly(whole)
        except ValueError:
            continue
        answer = read(value)
        if answer is not None:
            return answer
    return _one_of(_values(_without_thoughts(text)), read)


def _one_of(values: Iterator[Any], read: Read[T]) -> T:
    answers: list[T] = []
    faulty: list[ReplyFaultError] = []
    for value in values:
        try:
            answer = read(value)
        except ReplyFaultError as fault:
            faulty.append(fault)
            continue
        if answer is not None and answer not in answers:
            answers.append(answer)
    if len(answers) == 1:
        return answers[0]
    if answers:
        raise ReplyFaultError(f"it held {len(answers)} different answers; give one")
    if faulty:
        raise min(faulty, key=lambda fault: len(fault.faults))
    raise ReplyFaultError("it held no complete JSON object of the form asked for")


def _without_thoughts(text: str) -> str:
    text = _THOUGHT.sub("", text)
    text = _THOUGHT_END.sub("", text)
    return _THOUGHT_START.sub("", text).strip()


def _values(text: str) -> Iterator[Any]:
    """Yield every outermost object and list of the text, slightly broken ones too, but only whole ones."""
    at = 0
    for _ in range(MAX_STARTS):
        start = re.compile(r"[{\[｛［【]").search(text, at)
        if start is None:
            return
        try:
            value, at = decode(text, start.start())
        except ValueError:
            at = start.end()
            continue
        yield value
