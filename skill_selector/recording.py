"""The file of recorded exchanges: one JSON object a line, known by a digest of the request, without secrets."""

import json
import os
import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, message_to_dict, messages_from_dict
from pydantic import SecretStr

FORMAT = 1
SECRET = "[secret]"  # noqa: S105 - what stands where one was

_LEAST_SECRET = 8
"""Shorter values would be found in ordinary words."""
_SECRET_NAME = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
_SECRET_TEXT = re.compile(
    r"\b(?:sk|pk|ak)-[A-Za-z0-9][\w-]{14,}"
    r"|\b(?:gh[opsu]_|github_pat_|xox[abpr]-|AKIA|AIza|hf_|lsv2_)[\w-]{12,}"
    r"|(?<=Bearer )[\w.~+/=-]{12,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"
)
_appending = Lock()

Entry = dict[str, Any]
"""`request`, its digest; `messages` and `options`, for readers; `reply`; and `chunks`, where it was streamed."""


class RecordingError(AssertionError):
    """A recording is missing, or cannot be used. An assertion, so that no fallback hides it from a test."""


def digest_of(messages: Sequence[BaseMessage], stop: list[str] | None, options: dict[str, Any]) -> str:
    """Return what a request is known by: its messages, without their ids, its stop words and its options."""
    asked = {"messages": [_asked(one) for one in messages], "stop": stop or [], "options": options}
    text = json.dumps(asked, sort_keys=True, default=repr)
    return sha256(text.encode()).hexdigest()


def append(path: Path, entry: Entry, model: BaseChatModel) -> None:
    """Write one exchange to the end of the file, without the secrets that the model or the environment holds."""
    secrets = sorted(_secrets(model), key=len, reverse=True)
    line = json.dumps(_without(secrets, {"format": FORMAT, **entry}), ensure_ascii=False, default=repr) + "\n"
    with _appending:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(line)


def entry_of(
    request: str,
    messages: Iterable[BaseMessage],
    options: dict[str, Any],
    reply: BaseMessage,
    chunks: Sequence[BaseMessage],
) -> Entry:
    """Return an exchange as it is written."""
    entry: Entry = {"request": request, "messages": [_asked(one) for one in messages], "options": options}
    entry["reply"] = message_to_dict(reply)
    return {**entry, "chunks": [message_to_dict(one) for one in chunks]} if chunks else entry


def load(path: Path) -> dict[str, list[Entry]]:
    """Return the exchanges of a file by request, in the order in which they were recorded.

    Raises:
        RecordingError: the file is missing, or a line is no exchange.
    """
    try:
        # a text may hold characters that `splitlines` takes for line ends
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise RecordingError(f"there is no recording {path}; make one with RecordingChatModel") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingError(f"the recording {path} cannot be read: {error}") from error
    found: dict[str, list[Entry]] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            entry = _entry(path, number, line)
            found.setdefault(entry["request"], []).append(entry)
    return found


def message_from(data: dict[str, Any]) -> BaseMessage:
    """Return a recorded message."""
    return messages_from_dict([data])[0]


def missing(path: Path, request: str, messages: Sequence[BaseMessage], recorded: dict[str, list[Entry]]) -> str:
    """Return what to say of a request that is not in the file."""
    asked = [_asked(one) for one in messages]
    last = str(messages[-1].text) if messages else ""
    count = sum(map(len, recorded.values()))
    near = max(
        (one for entries in recorded.values() for one in entries), key=lambda one: _alike(one, asked), default=None
    )
    apart = f"; the nearest recorded request differs at {_difference(near['messages'], asked)}" if near else ""
    return (
        f"{path} holds {count} exchanges, and none for the request {request[:12]}: {len(messages)} messages, the last "
        f"of which begins {last[:120]!r}{apart}. If the request was meant to change, delete the file and record it "
        "anew with RecordingChatModel"
    )


def _entry(path: Path, number: int, line: str) -> Entry:
    try:
        entry: Any = json.loads(line)
        for one in (entry["reply"], *entry.get("chunks", ())):
            message_from(one)
        usable = isinstance(entry["request"], str) and entry["format"] == FORMAT
    except (ValueError, TypeError, KeyError, AttributeError):
        usable = False
    if not usable:
        raise RecordingError(f"line {number} of {path} is no recorded exchange; delete the file and record it anew")
    return dict(entry)


def _asked(message: BaseMessage) -> dict[str, Any]:
    data: dict[str, Any] = {"type": message.type.removesuffix("MessageChunk").lower(), "content": message.content}
    if message.name:
        data["name"] = message.name
    if isinstance(message, AIMessage) and message.tool_calls:
        data["tool_calls"] = [{"name": one["name"], "args": one["args"]} for one in message.tool_calls]
    return data


def _alike(entry: Entry, asked: list[dict[str, Any]]) -> int:
    """Return how many characters two requests share at their beginning."""
    return _common(_flat(entry["messages"]), _flat(asked))


def _difference(recorded: list[dict[str, Any]], asked: list[dict[str, Any]]) -> str:
    old, new = _flat(recorded), _flat(asked)
    if old == new:
        return "its options (tools, response format or stop words)"
    at = _common(old, new)
    start = max(0, at - 20)
    return f"character {at}: {old[start : at + 40]!r} was recorded, {new[start : at + 40]!r} is asked"


def _common(one: str, other: str) -> int:
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


def _flat(messages: list[dict[str, Any]]) -> str:
    return "\n".join(str(one.get("content", "")) for one in messages)


def _secrets(model: BaseChatModel) -> set[str]:
    held = (getattr(model, name, None) for name in type(model).model_fields)
    found = {one.get_secret_value() for one in held if isinstance(one, SecretStr)}
    found |= {value for name, value in os.environ.items() if _SECRET_NAME.search(name)}
    return {one for one in found if len(one) >= _LEAST_SECRET}


def _without(secrets: Sequence[str], value: Any) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, SECRET)
        return _SECRET_TEXT.sub(SECRET, value)
    if isinstance(value, dict):
        return {_without(secrets, key): _without(secrets, one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without(secrets, one) for one in value]
    return value
