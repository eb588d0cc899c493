from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from good_model import ANALYSIS, good_answer

from skill_selector.graph.settings import Settings
from skill_selector.reasoners.base import AnalysisRequest, Reasoner
from skill_selector.reasoners.llm import LLMReasoner
from skill_selector.reasoners.manner import MANNERS, Manner, other_manner
from skill_selector.reasoners.model import make_model

Run = Callable[[Reasoner, str, Any], Any]


class Model:
    def __init__(self, manner: Manner) -> None:
        self.manner = manner

    def in_manner(self, manner: Manner) -> "Model":
        return Model(manner)


ONLY_FALSE = "parameter.enable_thinking must be set to false for non-streaming calls"


@pytest.mark.parametrize(
    ("now", "said", "other"),
    [
        (Manner(None, False), ONLY_FALSE, Manner(False, False)),
        (Manner(True, False), ONLY_FALSE, Manner(True, True)),
        (Manner(True, True), ONLY_FALSE, Manner(False, False)),
        (Manner(False, False), "enable_thinking is restricted to True", Manner(True, True)),
        (Manner(True, True), "thinking is not supported", Manner(False, False)),
        (Manner(False, False), "unknown parameter enable_thinking", Manner(None, False)),
        (Manner(False, False), "This model only support stream mode", Manner(False, True)),
        (Manner(None, False), "enable thinking can not be support when `stream=False`", Manner(False, False)),
        (Manner(None, True), "This model only support stream mode", None),
        (Manner(None, False), "max_tokens is too large", None),
        (Manner(False, False), "the downstream model must not be empty", None),
    ],
)
def test_the_error_says_which_manner_is_left(now: Manner, said: str, other: Manner | None) -> None:
    assert other_manner(Model(now), said) == other


def test_a_model_of_another_kind_has_one_manner_only() -> None:
    assert other_manner(object(), ONLY_FALSE) is None


def test_every_manner_is_found_by_its_name() -> None:
    assert len(MANNERS) == 6
    assert all(MANNERS[str(one)] == one for one in MANNERS.values())


@pytest.mark.parametrize("thinking", [True, False])
def test_the_rest_of_the_task_begins_in_the_manner_that_worked(
    run: Run, chat: Any, settings: Settings, analysis_request: AnalysisRequest, thinking: bool
) -> None:
    own = replace(settings, llm_enable_thinking=thinking)
    refusal = "enable_thinking is not supported" if thinking else ONLY_FALSE
    asked: list[Any] = []

    def reply(sent: dict[str, Any]) -> Any:
        asked.append((sent.get("enable_thinking"), bool(sent.get("stream"))))
        return good_answer(sent) if asked[-1] == (False, False) else chat.failure(400, refusal)

    chat.reply = reply
    request = replace(analysis_request, settings=own)
    first = run(LLMReasoner(make_model(own)), "analyze", request)
    second = run(LLMReasoner(make_model(own)), "analyze", replace(request, degraded=first.degraded))

    assert (first.analysis, second.analysis) == (ANALYSIS, ANALYSIS)
    assert [(one["what"], one["instead"]) for one in first.degraded] == [("thinking", "thinking off")]
    assert second.degraded == ()
    assert asked == [(True, True) if thinking else (None, False), (False, False), (False, False)]
