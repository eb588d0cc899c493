import asyncio
from pathlib import Path
from typing import Any

import pytest
from agents import Run, write_skill


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    root = tmp_path / "skills"
    write_skill(
        root,
        "git-release",
        "Cut a git release, tag the version, push the tag and write release notes. Use when publishing a new version.",
        "Run `git tag`, then push the tag.",
        allowed_tools="run_command(git:*) read_file",
        disallowed_tools="send_mail",
    )
    write_skill(root, "invoice-ocr", "从发票图片中识别金额、税号和日期，并导出为表格。", "先识别，再核对金额。")
    write_skill(root, "csv-chart", "Draw line and bar charts from CSV files with matplotlib.", "Use matplotlib.")
    return root


@pytest.fixture(params=["invoke", "ainvoke"])
def run(request: pytest.FixtureRequest) -> Run:
    """Run an agent with one message, or on with a command, sync and async."""

    def call(agent: Any, given: Any, config: dict[str, Any] | None = None) -> dict[str, Any]:
        values = {"messages": [("user", given)]} if isinstance(given, str) else given
        if request.param == "invoke":
            return dict(agent.invoke(values, config))
        return dict(asyncio.run(agent.ainvoke(values, config)))

    return call
