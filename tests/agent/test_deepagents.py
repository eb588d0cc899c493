"""Ours in front of deepagents' own SkillsMiddleware, the real one."""

from pathlib import Path
from typing import Any

import pytest
from agents import TOOLS, AgentModel, Run, calling, texts
from deepagents.backends.filesystem import FilesystemBackend
from deepagents.middleware.skills import SkillsMiddleware as DeepSkills
from langchain.agents import create_agent

from skill_selector.agent.middleware import SkillsMiddleware

RELEASE = "Publish a new version: tag the git release and push the tag"
NOTHING = "What is the tallest mountain on Mars?"


def deep_agent(model: AgentModel, skills: Path) -> Any:
    ours: SkillsMiddleware[Any, Any] = SkillsMiddleware(
        skills, context={"reasoner": "local", "embeddings": "none"}, inject="none"
    )
    backend = FilesystemBackend(root_dir=str(skills.parent), virtual_mode=True)
    theirs = DeepSkills(backend=backend, sources=[f"/{skills.name}/"])
    stack: Any = [ours, theirs]
    return create_agent(model, tools=TOOLS, middleware=stack)


def test_its_list_is_narrowed_to_the_skill_of_the_turn(skills: Path, run: Run) -> None:
    model = AgentModel(["done"])
    run(deep_agent(model, skills), RELEASE)
    prompt = texts(model.asked[0])
    assert "git-release" in prompt
    assert "csv-chart" not in prompt
    assert "<skill_content name=" not in prompt


def test_it_lists_nothing_where_nothing_fits(skills: Path, run: Run) -> None:
    model = AgentModel(["done"])
    state = run(deep_agent(model, skills), NOTHING)
    assert not any(name in texts(model.asked[0]) for name in ("git-release", "csv-chart", "invoice-ocr"))
    assert state["skill_selection"]["outcome"] == "no_match"


@pytest.mark.parametrize(("command", "allowed"), [("git tag v1", True), ("rm -rf /", False)])
def test_the_skills_tool_lists_hold_there_too(skills: Path, run: Run, command: str, allowed: bool) -> None:
    model = AgentModel([calling("run_command", command=command), "done"])
    state = run(deep_agent(model, skills), RELEASE)
    assert state["messages"][-2].status == ("success" if allowed else "error")
    assert model.seen_tools[0] == ["run_command", "read_file"]
