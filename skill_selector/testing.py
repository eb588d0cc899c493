"""Stand-ins for a real model, to test what embeds the selector: by a script, or by what a real model once answered.

A reasoner that says which skill scores how much, for tests of what follows from a selection:

    selector = build_selector(reasoner=ScriptedReasoner({"pdf-merge": 90}))

A chat model that gives these replies in their order, for tests of what a model may do:

    model = ScriptedChatModel(['{"intent": …}', TimeoutError("slow"), '{"scores": […]}'])
    selector = build_selector(llm=model)
    …
    assert len(model.asked) == 3

A real model's answers, recorded at the first run and played back at every later one, without key and network:

    model = recorded_model("tests/answers.jsonl", lambda: ChatOpenAI(model="…", api_key=…))
    selector = build_selector(llm=model)
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Self, TypeAlias

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from skill_selector.reasoners.scripted import ScriptedReasoner
from skill_selector.recording import RecordingError
from skill_selector.replay import RecordingChatModel, ReplayChatModel, recorded_model

__all__ = [
    "RecordingChatModel",
    "RecordingError",
    "ReplayChatModel",
    "Script",
    "ScriptEndedError",
    "ScriptedChatModel",
    "ScriptedReasoner",
    "ScriptedReply",
    "recorded_model",
]

ScriptedReply: TypeAlias = str | AIMessage | Exception
Script: TypeAlias = Sequence[ScriptedReply] | Callable[[list[BaseMessage]], ScriptedReply]


class ScriptEndedError(AssertionError):
    """The model was called more often than its script has replies."""


class ScriptedChatModel(BaseChatModel):
    """Answers from a list, in order, or from a function of the messages; an exception in place of a text is raised.

    It answers `invoke` and `ainvoke` alike, from any thread, and reports usage: about one token for four characters.
    """

    delay: float = 0.0
    """Seconds that each call takes."""
    model_name: str = "scripted"

    _script: Script = PrivateAttr()
    _asked: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _lock: Lock = PrivateAttr(default_factory=Lock)

    def __init__(self, script: Script, **fields: Any) -> None:
        super().__init__(**fields)
        self._script = script

    @property
    def asked(self) -> list[list[BaseMessage]]:
        """The messages of every call so far."""
        return self._asked

    @property
    def prompts(self) -> list[str]:
        """The text of every call so far, all its messages in one."""
        return ["\n\n".join(str(message.text) for message in messages) for messages in self._asked]

    def bind_tools(self, tools: Sequence[Any], **_options: Any) -> Self:
        """Return itself: whether a tool is called is up to the script."""
        return self

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        time.sleep(self.delay)
        return self._reply(messages)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        await asyncio.sleep(self.delay)
        return self._reply(messages)

    def _reply(self, messages: list[BaseMessage]) -> ChatResult:
        with self._lock:
            number = len(self._asked)
            self._asked.append(list(messages))
        if callable(self._script):
            reply = self._script(list(messages))
        elif number < len(self._script):
            reply = self._script[number]
        else:
            raise ScriptEndedError(f"the script has {len(self._script)} replies and the model was called once more")
        if isinstance(reply, Exception):
            raise reply
        message = AIMessage(reply) if isinstance(reply, str) else reply.model_copy()
        if message.usage_metadata is None:
            message.usage_metadata = _usage(messages, message)
        return ChatResult(generations=[ChatGeneration(message=message)])


def _usage(messages: list[BaseMessage], reply: AIMessage) -> UsageMetadata:
    prompt = sum(len(message.text) for message in messages) // 4
    completion = len(reply.text) // 4
    return UsageMetadata(input_tokens=prompt, output_tokens=completion, total_tokens=prompt + completion)
