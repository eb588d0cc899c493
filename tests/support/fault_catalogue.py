"""Every fault of an endpoint and of its answers that a selection must survive or name.

`benchmarks/faults.py` prints them as a table; `tests/reasoners/test_faults.py` runs each of them, sync and async.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chat_server import Answer, ChatServer
from good_model import Entry, entries_of, good_answer, good_text, step_of, text_of

from skill_selector.graph.errors import ModelSetupError, SkillSelectorError

TASK = "merge two PDF files into one document"
BEST = "pdf-merge"
SKILLS = {
    "pdf-merge": "Merge several PDF files into one document and reorder their pages.",
    "csv-chart": "Draw bar charts from files of comma-separated values into one document.",
    "pdf-extract": "Extract the tables of PDF files into spreadsheets.",
}
Make = Callable[[dict[str, Any]], Answer]


def write_skills(root: Path) -> None:
    """Write the skills that the task is to choose from."""
    for name, description in SKILLS.items():
        (root / name).mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: {description}\n---\n\nDo it.\n"
        (root / name / "SKILL.md").write_text(text, encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault: what the endpoint does, and what the caller is to see."""

    name: str
    first: tuple[Answer, ...] = ()
    """Answers to the first requests, whatever they ask."""
    rank: tuple[Make, ...] = ()
    """Answers to the first requests for a ranking."""
    always: Make | None = None
    """Answers every request; None from it answers well."""
    settings: dict[str, Any] = field(default_factory=dict)
    error: type[SkillSelectorError] | None = None
    """What the caller gets instead of a selection."""
    degraded: str | None = None
    """What `degraded` says, as a regular expression; None where nothing fell back."""
    says: str = ""
    """What the error says."""
    by_model: bool = True
    """The selection still came from a model."""
    requests: int | None = None
    least: float = 0.0
    most: float = 3.0

    def install(self, chat: ChatServer) -> None:
        """Let the endpoint behave like this."""
        first, rank = list(self.first), list(self.rank)

        def reply(asked: dict[str, Any]) -> Answer:
            if first:
                return first.pop(0)
            made = self.always(asked) if self.always else None
            if made is None and rank and step_of(asked) == "rank":
                made = rank.pop(0)(asked)
            return made or good_answer(asked)

        chat.reply = reply


say, fail = ChatServer.completion, ChatServer.failure


def same(answer: Answer) -> Make:
    return lambda _asked: answer


def ranking(write: Callable[[list[Entry]], Any], **about: Any) -> Make:
    """An answer made of the right entries; what is no text is written as JSON."""

    def make(asked: dict[str, Any]) -> Answer:
        written = write(entries_of(asked))
        return say(written if isinstance(written, str) else json.dumps({"scores": written}), **about)

    return make


def changed(**parts: Any) -> Make:
    """The right entries with other values in the first one."""
    return ranking(lambda entries: [{**entries[0], **parts}, *entries[1:]])


def touchy(answer: Answer, word: str = "bar charts") -> Make:
    """Refuse every ranking that holds a word."""
    return lambda asked: answer if step_of(asked) == "rank" and word in text_of(asked) else None  # type: ignore[return-value]


def unless(refuses: Callable[[dict[str, Any]], bool], answer: Answer) -> Make:
    return lambda asked: answer if refuses(asked) else None  # type: ignore[return-value]


def whole(entries: list[Entry]) -> str:
    return json.dumps({"scores": entries})


FILTERED = fail(400, "Input data may contain inappropriate content.", "data_inspection_failed")
ONLY_FALSE = "parameter.enable_thinking must be set to false for non-streaming calls"
ONLY_TRUE = "The value of the enable_thinking parameter is restricted to True."
ONLY_STREAM = "This model only support stream mode, please enable the stream parameter."

TRANSPORT = (
    Fault(name="none", requests=2),
    Fault(
        name="silence",
        always=same(ChatServer.silence),
        settings={"llm_timeout": 0.3},
        degraded="in time",
        by_model=False,
    ),
    Fault(
        name="silence, five retries, LLM_TIME_BUDGET 0.7 s",
        always=same(ChatServer.silence),
        settings={"llm_timeout": 0.3, "llm_max_retries": 5, "llm_time_budget": 0.7},
        degraded="LLM_TIME_BUDGET is 0.7 s",
        by_model=False,
        least=0.6,
        most=2.5,
    ),
    Fault(
        name="a byte every 30 ms",
        first=(ChatServer.trickle,),
        settings={"llm_timeout": 0.3},
        degraded="in time",
        by_model=False,
    ),
    Fault(
        name="beginning, then silence",
        first=(ChatServer.stall,),
        settings={"llm_timeout": 0.3},
        degraded="in time",
        by_model=False,
    ),
    Fault(
        name="slow stream, thinking on",
        first=(ChatServer.stream({"content": "x" * 400}, pause=0.05),),
        settings={"llm_timeout": 0.3, "llm_enable_thinking": True},
        degraded="in time",
        by_model=False,
    ),
    Fault(
        name="connection refused",
        settings={"llm_base_url": "http://127.0.0.1:1/v1", "llm_max_retries": 2},
        degraded="cannot be reached at 127.0.0.1:1",
        by_model=False,
    ),
    Fault(
        name="connection closed in the middle",
        first=(ChatServer.hang_up,) * 2,
        degraded="reached|no chat completion",
        by_model=False,
    ),
    Fault(
        name="stream closed in the middle, thinking on",
        first=(ChatServer.stream({"content": good_text({"messages": []})}, finish_reason=None),),
        settings={"llm_enable_thinking": True},
        requests=3,
    ),
    Fault(
        name="429, Retry-After: 1",
        first=(fail(429, "slow down", **{"retry-after": "1"}),),
        settings={"llm_max_retries": 2},
        least=1.0,
    ),
    Fault(
        name="429, Retry-After: garbage",
        first=(fail(429, "slow down", **{"retry-after": "soon"}),),
        settings={"llm_max_retries": 2},
        least=0.3,
    ),
    Fault(
        name="429, Retry-After: 10800",
        first=(fail(429, "slow down", **{"retry-after": "10800"}),),
        settings={"llm_max_retries": 2},
        degraded=r"wait 10800 s, until \d{4}-\d\d-\d\d \d\d:\d\d UTC",
        by_model=False,
        requests=1,
    ),
    Fault(
        name="429, Retry-After beyond LLM_TIME_BUDGET",
        first=(fail(429, "slow down", **{"retry-after": "20"}),),
        settings={"llm_max_retries": 2, "llm_time_budget": 10},
        degraded="wait 20 s",
        by_model=False,
        requests=1,
    ),
    Fault(
        name="429, quota used up",
        first=(fail(429, "You exceeded your current quota.", "insufficient_quota"),),
        settings={"llm_max_retries": 2},
        degraded="quota of the key is used up",
        by_model=False,
        requests=1,
    ),
    *(
        Fault(name=f"{status} once", first=(fail(status, "busy"),), settings={"llm_max_retries": 2}, requests=3)
        for status in (429, 500, 503, 529)
    ),
    *(
        Fault(
            name=f"{status} for ever",
            always=same(fail(status, "busy")),
            settings={"llm_max_retries": 2},
            degraded=f"HTTP {status}",
            by_model=False,
            requests=3,
        )
        for status in (429, 500, 503, 529)
    ),
    Fault(
        name="529 three times, FALLBACK_MODEL set",
        always=unless(lambda asked: asked["model"] == "test-model", fail(529, "overloaded")),
        settings={"llm_max_retries": 2, "fallback_model": "small"},
        degraded="test-model is overloaded",
        requests=5,
    ),
    Fault(
        name="401",
        always=same(fail(401, "Incorrect API key provided.")),
        error=ModelSetupError,
        says="DASHSCOPE_API_KEY",
        requests=1,
    ),
    Fault(
        name="403",
        always=same(fail(403, "Access denied.")),
        error=ModelSetupError,
        says="may use the model test-model",
        requests=1,
    ),
    Fault(
        name="404, unknown model",
        always=same(fail(404, "no such model")),
        error=ModelSetupError,
        says="correct LLM_MODEL",
        requests=1,
    ),
    Fault(
        name="400, model not exist",
        always=same(fail(400, "Model not exist.")),
        error=ModelSetupError,
        says="correct LLM_MODEL",
        requests=1,
    ),
    Fault(
        name="a key with Chinese characters",
        settings={"dashscope_api_key": "sk-密钥"},
        error=ModelSetupError,
        says="copy the key once more",
        requests=0,
    ),
    Fault(
        name="an HTML page, 200",
        first=(ChatServer.body(200, "<html>Sign in</html>", "text/html"),),
        degraded="no chat completion",
        by_model=False,
    ),
    Fault(
        name="an HTML page, 502",
        always=same(ChatServer.body(502, "<h1>Bad Gateway</h1>", "text/html")),
        degraded="Bad Gateway",
        by_model=False,
    ),
    Fault(name="content filter, 400, one candidate", always=touchy(FILTERED), degraded="candidate csv-chart"),
    Fault(
        name="content filter, 200, one candidate",
        always=touchy(say(None, "content_filter")),
        degraded="candidate csv-chart",
    ),
    Fault(
        name="refusal in words, one candidate",
        always=touchy(say("I'm sorry, but I can't help with that.")),
        degraded="candidate csv-chart",
    ),
    Fault(
        name="content filter, every request",
        always=same(FILTERED),
        degraded="content filter",
        by_model=False,
        requests=1,
    ),
    Fault(
        name="content filter, every ranking",
        always=touchy(FILTERED, "<candidates>"),
        degraded="content filter",
        by_model=False,
        requests=6,
    ),
)

MANNER = (
    Fault(
        name="thinking must be off unless streamed",
        always=unless(lambda asked: asked.get("enable_thinking") is not False, fail(400, ONLY_FALSE)),
        degraded="thinking off",
        requests=3,
    ),
    Fault(
        name="thinking not supported, LLM_ENABLE_THINKING=true",
        always=unless(
            lambda asked: asked.get("enable_thinking") is True, fail(400, "this model does not support enable_thinking")
        ),
        settings={"llm_enable_thinking": True},
        degraded="thinking off",
        requests=3,
    ),
    Fault(
        name="stream only",
        always=unless(lambda asked: not asked.get("stream"), fail(400, ONLY_STREAM)),
        degraded="streamed",
        requests=3,
    ),
    Fault(
        name="thinking refused however it is asked",
        always=same(fail(400, ONLY_TRUE)),
        settings={"llm_enable_thinking": True},
        error=ModelSetupError,
        says="LLM_ENABLE_THINKING",
        requests=2,
    ),
    *(
        Fault(
            name=f"{method} refused",
            always=unless(lambda asked: "response_format" in asked or "tools" in asked, fail(400, said)),
            settings={"llm_structured_output": method},
            degraded=f"refuses {method}",
            requests=3,
        )
        for method, said in (
            ("json_schema", "response_format of type json_schema is not supported with this model"),
            ("json_mode", "Json mode response is not supported when enable_thinking is true"),
            ("function_calling", "tool_choice is not supported by this model"),
        )
    ),
    *(
        Fault(name=f"none, {method}", settings={"llm_structured_output": method}, requests=2)
        for method in ("json_schema", "json_mode", "function_calling")
    ),
    Fault(
        name="json_mode answers with nothing",
        always=unless(lambda asked: "response_format" in asked, say("")),
        settings={"llm_structured_output": "json_mode"},
        degraded="empty answer under json_mode",
        requests=3,
    ),
)

ANSWERS = (
    Fault(
        name="draft in <think>",
        rank=(
            ranking(
                lambda entries: f'<think>{{"scores": [{{"id": "c3", "score": 99}}]}} [1, 2]</think>{whole(entries)}'
            ),
        ),
        requests=2,
    ),
    Fault(
        name="two <think>, then a fence",
        rank=(ranking(lambda entries: f"<think>a</think>\n<THINK>b {{</THINK>\n```json\n{whole(entries)}\n```"),),
        requests=2,
    ),
    Fault(
        name="prose with braces before",
        rank=(ranking(lambda entries: f"Scores for {{task}}:\n{whole(entries)}"),),
        requests=2,
    ),
    Fault(
        name="another object before",
        rank=(ranking(lambda entries: f'{{"note": "draft"}}\n{whole(entries)}'),),
        requests=2,
    ),
    Fault(
        name="cut off once", rank=(ranking(lambda entries: whole(entries)[:120], finish_reason="length"),), requests=3
    ),
    Fault(
        name="cut off for ever",
        rank=(ranking(lambda entries: whole(entries)[:120], finish_reason="length"),) * 2,
        degraded="cut off",
        by_model=False,
    ),
    *(
        Fault(name=f"empty: {shown}", first=(answer,), requests=3)
        for shown, answer in (
            ("''", say("")),
            ("null", say(None)),
            ("blanks", say("   \n")),
            (
                "choices []",
                ChatServer.body(
                    200, {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": []}
                ),
            ),
        )
    ),
    Fault(
        name="answer in reasoning_content",
        rank=(
            ranking(lambda _: "", reasoning_content="no scores here"),
            lambda asked: say("", reasoning_content=good_text(asked)),
        ),
        requests=3,
    ),
    *(
        Fault(name=f"points {value!r} of 40", rank=(changed(intent=value),), requests=3)
        for value in (850, -3, None, True, "high", 0.85, "on 2026/04/19 it is 30")
    ),
    Fault(
        name="points as '8', '8/40', '5分', '10%'",
        rank=(
            ranking(
                lambda entries: [
                    {**one, "keywords": f"{one['keywords']}分", "intent": f"{one['intent']}/40"} for one in entries
                ]
            ),
        ),
        requests=2,
    ),
    Fault(name="an unknown id", rank=(changed(id="c9"),), requests=3),
    Fault(name="an unknown id, twice", rank=(changed(id="c9"),) * 2, degraded="no candidate 'c9'", by_model=False),
    Fault(name="a candidate is missing", rank=(ranking(lambda entries: entries[1:]),), requests=3),
    Fault(
        name="a candidate twice, differently",
        rank=(ranking(lambda entries: [*entries, {**entries[0], "intent": 1}]),),
        requests=3,
    ),
    Fault(name="other order than asked", rank=(ranking(lambda entries: entries[::-1]),), requests=2),
    Fault(name="total contradicts its parts", rank=(changed(total=95),), requests=3),
    Fault(name="total contradicts its parts, twice", rank=(changed(total=95),) * 2, requests=3),
    Fault(
        name="ranking contradicts the points",
        rank=(
            ranking(
                lambda entries: json.dumps(
                    {"scores": entries, "ranking": [min(entries, key=lambda one: one["intent"])["id"]]}
                )
            ),
        ),
        requests=3,
    ),
)

FAULTS = (*TRANSPORT, *MANNER, *ANSWERS)
