"""The graph under a real `langgraph dev` on loopback, driven as Studio drives it."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

PROJECT = Path(__file__).parents[2]
PATIENCE = 90
"""Seconds that the server may take to start on a busy machine."""


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _write_skills(root: Path) -> None:
    for name, description in {
        "pdf-merge": "Merge several PDF files into one document and reorder their pages.",
        "pdf-split": "Split one PDF file into several documents by page ranges.",
        "meeting-notes": "把会议录音整理成会议纪要,列出决定和待办事项。",
    }.items():
        folder = root / name
        folder.mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: {description}\n---\n\nDo it step by step.\n"
        (folder / "SKILL.md").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def skills(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("served") / "skills"
    _write_skills(root)
    return str(root)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyncLangGraphClient]:
    """A client of a server that runs the project's own `langgraph.json`."""
    folder = tmp_path_factory.mktemp("server")
    # paths in it are relative to its own folder, where the server would leave its files
    written = (PROJECT / "langgraph.json").read_text(encoding="utf-8")
    (folder / "langgraph.json").write_text(written.replace('"./', f'"{PROJECT}/'), encoding="utf-8")
    port = _free_port()
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    hidden = ("DASHSCOPE_", "LLM_", "SELECTOR_", "LANGSMITH_", "FALLBACK_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    environment |= {"SELECTOR_REASONER": "local", "LANGSMITH_TRACING": "false"}
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(url, server, folder / "log")
            with get_sync_client(url=url) as client:
                yield client
        finally:
            server.terminate()
            server.wait(timeout=30)


def _wait(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(f"{url}/ok", timeout=2).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(f"the server did not start:\n{log.read_text(encoding='utf-8', errors='replace')[-3000:]}")


def test_an_assistant_with_changed_settings_serves_a_streamed_run(client: SyncLangGraphClient, skills: str) -> None:
    assistant = client.assistants.create("selector", context={"top_k": 1})
    thread = client.threads.create()
    given = {"task": "merge two PDF files into one", "skill_directory": skills}
    parts = list(
        client.runs.stream(thread["thread_id"], assistant["assistant_id"], input=given, stream_mode=["updates"])
    )
    assert not [part for part in parts if part.event == "error"], parts
    steps = [name for part in parts if part.event == "updates" for name in part.data]
    assert steps[:4] == ["scan", "analyze", "retrieve", "rank"]
    values: Any = client.threads.get_state(thread["thread_id"])["values"]
    assert values["ranked"][0]["skill"]["id"] == "pdf-merge"
    assert len(values["ranked"]) == 1


def test_the_history_of_a_thread_holds_every_step(client: SyncLangGraphClient, skills: str) -> None:
    thread = client.threads.create()
    given = {"task": "merge two PDF files into one", "skill_directory": skills}
    client.runs.wait(thread["thread_id"], "selector", input=given, context={"max_attempts": 1})
    history = client.threads.get_history(thread["thread_id"], limit=20)
    assert [list(one["next"]) for one in reversed(history)] == [
        ["__start__"],
        ["scan"],
        ["analyze"],
        ["retrieve"],
        ["rank"],
        [],
    ]


def test_a_run_waits_for_a_human_and_goes_on_with_the_answer(client: SyncLangGraphClient, skills: str) -> None:
    thread = client.threads.create()
    given = {"task": "merge or split PDF files", "skill_directory": skills}
    context: Any = {"on_ambiguous": "ask", "hit_threshold": 0.1, "min_gap": 100}
    client.runs.wait(thread["thread_id"], "selector", input=given, context=context)
    state = client.threads.get_state(thread["thread_id"])
    question: Any = state["tasks"][0]["interrupts"][0]["value"]
    offered = [one["id"] for one in question["candidates"]]
    assert "pdf-split" in offered
    result: Any = client.runs.wait(thread["thread_id"], "selector", command={"resume": "pdf-split"}, context=context)
    assert (result["outcome"], result["decided_by"], result["best"]["id"]) == ("hit", "human", "pdf-split")


def test_a_second_task_on_the_same_thread_starts_afresh(client: SyncLangGraphClient, skills: str) -> None:
    thread = client.threads.create()
    first: Any = client.runs.wait(
        thread["thread_id"], "selector", input={"task": "merge two PDF files into one", "skill_directory": skills}
    )
    assert first["ranked"][0]["skill"]["id"] == "pdf-merge"
    message: Any = {"role": "user", "content": "整理昨天的会议录音,列出待办"}
    second: Any = client.runs.wait(thread["thread_id"], "selector", input={"messages": [message]})
    assert second["ranked"][0]["skill"]["id"] == "meeting-notes"
    assert {one["round"] for one in second["selector_trace"]} <= {0, 1, 2}
    assert [one["step"] for one in second["selector_trace"]].count("scan") == 1


def test_a_mistake_comes_back_as_its_message(client: SyncLangGraphClient, skills: str) -> None:
    thread = client.threads.create()
    given = {"task": "merge two PDF files into one", "skill_directory": skills + "-missing"}
    parts = list(client.runs.stream(thread["thread_id"], "selector", input=given))
    errors = [part.data for part in parts if part.event == "error"]
    assert len(errors) == 1
    assert "served" in json.dumps(errors[0])


def test_schemas_reach_studio(client: SyncLangGraphClient) -> None:
    assistant = client.assistants.search(graph_id="selector")[0]
    schemas = client.assistants.get_schemas(assistant["assistant_id"])
    assert set((schemas["input_schema"] or {})["properties"]) == {"task", "messages", "skill_directory"}
    assert "top_k" in (schemas["context_schema"] or {})["properties"]
