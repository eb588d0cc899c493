"""Every fault of the catalogue through a whole selection, sync and async, against a real endpoint on loopback."""

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, ChatServer
from fault_catalogue import BEST, FAULTS, TASK, Fault, write_skills
from good_model import good_answer, step_of

import skill_selector.reasoners.endpoint  # noqa: F401 - importing it takes longer than any fault
from skill_selector import aselect_skill, select_skill
from skill_selector.selection import SkillSelection

Select = Callable[..., SkillSelection]


def select_async(*arguments: Any, **options: Any) -> SkillSelection:
    return asyncio.run(aselect_skill(*arguments, **options))


@pytest.fixture(params=[select_skill, select_async], ids=["sync", "async"])
def select(request: pytest.FixtureRequest) -> Select:
    chosen: Select = request.param
    return chosen


@pytest.fixture
def endpoint(chat: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that sets the environment for `chat`, with settings by their field names."""

    def set_up(**settings: Any) -> None:
        values = {
            "dashscope_api_key": "sk-x",
            "llm_base_url": chat.url,
            "llm_model": "test-model",
            "llm_max_retries": 0,
        }
        for name, value in {**values, "selector_embeddings": "none", **settings}.items():
            monkeypatch.setenv(name.upper(), str(value))

    return set_up


@pytest.fixture(scope="module")
def skills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all faults, so that it is scanned and indexed once."""
    root = tmp_path_factory.mktemp("skills")
    write_skills(root)
    return root


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_leaves_a_right_answer_or_one_clear_error(
    fault: Fault, select: Select, chat: ChatServer, endpoint: Callable[..., None], skills: Path
) -> None:
    endpoint(**fault.settings)
    fault.install(chat)
    started = time.monotonic()

    if fault.error:
        with pytest.raises(fault.error, match=fault.says) as raised:
            select(TASK, skills)
        assert "\n" not in str(raised.value)
    else:
        selection = select(TASK, skills)
        told = json.dumps(selection.degraded, ensure_ascii=False)
        assert selection.outcome == "hit"
        assert selection.best is not None
        assert selection.best["id"] == BEST
        assert bool(selection.degraded) == bool(fault.degraded), told
        assert re.search(fault.degraded or "", told), told
        assert any(one["instead"] == "local" for one in selection.degraded) != fault.by_model

    assert fault.least <= time.monotonic() - started < fault.most
    assert fault.requests in (None, len(chat.requests))


@pytest.mark.parametrize("step", ["analyze", "rank"])
async def test_a_selection_that_is_cancelled_leaves_no_connection_and_no_task(
    step: str, chat: ChatServer, endpoint: Callable[..., None], skills: Path
) -> None:
    endpoint()
    waiting = threading.Event()

    def reply(asked: dict[str, Any]) -> Answer:
        if step_of(asked) != step:
            return good_answer(asked)
        waiting.set()
        return chat.until_closed

    chat.reply = reply
    selection = asyncio.create_task(aselect_skill(TASK, skills))
    assert await asyncio.to_thread(waiting.wait, 5)

    selection.cancel()
    with pytest.raises(asyncio.CancelledError):
        await selection

    assert await asyncio.to_thread(chat.closed.wait, 2)
    assert len(asyncio.all_tasks()) == 1
