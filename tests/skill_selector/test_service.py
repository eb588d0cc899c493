import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from agents import write_skill
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from skill_selector.cli import main


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    root = tmp_path / "skills"
    write_skill(root, "pdf-merge", "Merge several PDF files into one document, in a given order.", "Use qpdf.")
    write_skill(root, "发票识别", "从发票图片中识别金额、税号和日期，并导出为表格。", "先识别，再核对金额。")
    write_skill(root, "release", "Cut a release.", disable_model_invocation="true")
    return root


ARGUMENTS = ["-m", "skill_selector", "mcp", "--offline", "--skills"]


@asynccontextmanager
async def over_stdio(skills: Path) -> AsyncIterator[ClientSession]:
    parameters = StdioServerParameters(command=sys.executable, args=[*ARGUMENTS, str(skills)], env=_environment())
    async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def over_http(skills: Path) -> AsyncIterator[ClientSession]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, *ARGUMENTS, str(skills), "--http", "--port", str(port)]
    process = await asyncio.create_subprocess_exec(*command, stderr=subprocess.DEVNULL, env=_environment())
    try:
        await _wait_for(port)
        address = f"http://127.0.0.1:{port}/mcp"
        async with streamable_http_client(address) as (reading, writing, _), ClientSession(reading, writing) as session:
            await session.initialize()
            yield session
    finally:
        process.terminate()
        await process.wait()


def _environment() -> dict[str, str]:
    return {**os.environ, "SELECTOR_EMBEDDINGS": "none", "SELECTOR_REASONER": "local"}


async def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        await asyncio.sleep(0.1)
    raise AssertionError("the server did not start")


async def ask(session: ClientSession, tool: str, **arguments: Any) -> Any:
    answer = await session.call_tool(tool, arguments)
    text = answer.content[0].text  # type: ignore[union-attr]
    assert not answer.isError, text
    return json.loads(text) if text.startswith("{") else text


@pytest.mark.parametrize("connect", [over_stdio, over_http])
async def test_a_client_chooses_searches_lists_and_loads(skills: Path, connect: Any) -> None:
    async with connect(skills) as session:
        offered = {one.name for one in (await session.list_tools()).tools}
        assert offered == {"select_skill", "search_skills", "load_skill", "list_skills"}
        assert (await ask(session, "select_skill", task="Merge these PDF files into one"))["best"]["id"] == "pdf-merge"
        assert (await ask(session, "select_skill", task="识别发票图片里的金额和税号"))["best"]["id"] == "发票识别"
        assert (await ask(session, "select_skill", task="How tall is the Eiffel tower?"))["outcome"] == "no_match"
        found = await ask(session, "search_skills", query="发票", limit=1)
        assert [one["id"] for one in found["skills"]] == ["发票识别"]
        listed = await ask(session, "list_skills", limit=1)
        assert (listed["total"], listed["next_offset"]) == (2, 1)
        assert "Use qpdf." in await ask(session, "load_skill", id="pdf-merge")
        for tool, wrong in (
            ("load_skill", {"id": "release"}),
            ("load_skill", {"id": "../release"}),
            ("select_skill", {"task": " "}),
            ("list_skills", {"limit": 0}),
            ("list_skills", {"offset": -1}),
        ):
            assert (await session.call_tool(tool, wrong)).isError


async def test_a_skill_that_came_later_is_served_too(skills: Path) -> None:
    async with over_stdio(skills) as session:
        write_skill(skills, "csv-chart", "Draw charts from CSV files.", "Use matplotlib.")
        assert (await ask(session, "list_skills"))["total"] == 3
        assert "Use matplotlib." in await ask(session, "load_skill", id="csv-chart")


@pytest.mark.parametrize(
    "wrong", [["--skills", "none"], ["--skills", ".", "--port", "x"], ["--skills", ".", "--strategy", "none"]]
)
def test_what_cannot_be_used_is_one_line_and_status_2(
    wrong: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["mcp", *wrong]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 1
