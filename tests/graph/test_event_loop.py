"""The async half never blocks the event loop, in a new process as in a warm one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PRELUDE = """
import asyncio, os, sys
from blockbuster import BlockingError, blockbuster_ctx
from skill_selector import SelectorContext, aselect_skill, build_selector
from skill_selector.testing import ScriptedChatModel
from obedient_model import obey

root = sys.argv[1]
english, chinese = "merge several PDF files into one document", "把会议录音整理成会议纪要"
"""

SELECTIONS = """
async def select(context, task, best, **options):
    selector = build_selector(context=context, **options)
    for _ in range(2):  # cold, then warm
        result = await selector.ainvoke({"task": task, "skill_directory": root})
        assert result["ranked"][0]["skill"]["id"] == best, result["ranked"]
"""

LOCAL = """
await select(SelectorContext(reasoner="local"), chinese, "meeting-notes")

seen = []
selection = await aselect_skill(english, root, offline=True, progress=lambda step, done: seen.append(step))
assert selection.best["id"] == "pdf-merge"

async def answer(question):
    return question["candidates"][0]["id"]
options = {"hit_threshold": 0, "min_gap": 100}
both = english + ", draw a bar chart of a CSV table"
selection = await aselect_skill(both, root, offline=True, ask=answer, **options)
assert selection.decided_by == "human"

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
selector = build_selector(context=SelectorContext(reasoner="local"))

@tool
async def choose(task: str) -> str:
    "Choose the skill for a task."
    result = await selector.ainvoke({"task": task, "skill_directory": root})
    return result["best"]["id"] if result["best"] else "none"

call = AIMessage("", tool_calls=[{"name": "choose", "args": {"task": english}, "id": "1", "type": "tool_call"}])
agent = create_agent(ScriptedChatModel([call, AIMessage("done")]), [choose])
result = await agent.ainvoke({"messages": [HumanMessage("merge my files")]})
assert [one.text for one in result["messages"] if isinstance(one, ToolMessage)] == ["pdf-merge"]
"""

MODEL = """
await select(None, english, "pdf-merge", llm=ScriptedChatModel(obey))

from langgraph.cache.sqlite import SqliteCache
cache = await asyncio.to_thread(SqliteCache, path=sys.argv[2])
await select(None, english, "pdf-merge", llm=ScriptedChatModel(obey), cache=cache)

from skill_selector.testing import RecordingChatModel
await select(None, english, "pdf-merge", llm=RecordingChatModel(ScriptedChatModel(obey), sys.argv[2] + ".jsonl"))

garbled = iter(["no JSON"])
again = ScriptedChatModel(lambda messages: next(garbled, None) or obey(messages))
await select(None, english, "pdf-merge", llm=again)
"""

GUARD = """
try:
    os.stat(root)
except BlockingError:
    pass
else:
    raise AssertionError("the guard of this test notices nothing")
"""


def run(body: str, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    lines = "\n".join(f"    {line}" for line in (body + GUARD).strip().splitlines())
    program = (
        f"{PRELUDE}\n{SELECTIONS}\nasync def main():\n{lines}\n\nwith blockbuster_ctx():\n    asyncio.run(main())\n"
    )
    support = str(Path(__file__).parents[1] / "support")
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        # a buffered stdout makes an interpreter that blockbuster has patched crash when it flushes at its end
        env={**os.environ, "PYTHONPATH": support, "PYTHONUNBUFFERED": "1", **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("body", [LOCAL, MODEL], ids=["local", "model"])
def test_nothing_blocks_the_event_loop_cold_or_warm(body: str, pdf_skills: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("[domain]\nfolios\n", encoding="utf-8")
    Path(".env").write_text("SELECTOR_TOP_K=4\n", encoding="utf-8")
    done = run(body, str(pdf_skills), str(tmp_path / "kept"), SELECTOR_WORDS_FILE=str(words))
    assert done.returncode == 0, done.stderr[-3000:]
