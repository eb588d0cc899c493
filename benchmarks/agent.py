"""What skills cost an agent: time and prompt characters a model call, beside a middleware that lists all skills.

    python benchmarks/agent.py POOL [--skills 190] [--seed 7] [--turns 20]

Draws skills from the folders below POOL, copies them, and runs two agents with an instant scripted model over the same
turns, each turn in a thread of its own and with two model calls: one with our SkillsMiddleware, one with deepagents'
own. Turns go to both in turn, so that a slow moment of the machine hits each alike. A first turn warms both up.
"""

import argparse
import logging
import random
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from deepagents.backends.filesystem import FilesystemBackend
from deepagents.middleware.skills import SkillsMiddleware as WholeCatalogue
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool

from skill_selector.agent.middleware import SkillsMiddleware
from skill_selector.catalog.scanner import scan
from skill_selector.testing import ScriptedChatModel

CALLS = 2
"""Model calls a turn: a call of a tool, and the answer."""


@tool
def read_file(path: str) -> str:
    """Read a file."""
    return path


def answer(messages: list[BaseMessage]) -> AIMessage:
    """Call a tool first, then end the turn."""
    if messages[-1].type == "tool":
        return AIMessage("done")
    return AIMessage("", tool_calls=[{"name": "read_file", "args": {"path": "a"}, "id": "1"}])


def draw(pool: Path, count: int, seed: int, folder: Path) -> list[str]:
    """Copy skills that both can read, flat; return a task for each: how its description begins."""
    catalog = scan([str(pool)])
    faulty = {one.path for one in catalog.diagnostics}
    named = [one for one in catalog.skills if one.name == Path(one.path).name and one.file not in faulty]
    tasks: list[str] = []
    for skill in random.Random(seed).sample(named, min(count * 2, len(named))):  # noqa: S311 - a draw, not a secret
        if len(tasks) < count and not (folder / skill.name).exists():
            shutil.copytree(skill.path, folder / skill.name, ignore_dangling_symlinks=True)
            tasks.append(skill.description[:120])
    return tasks


def turn(agent: Any, model: ScriptedChatModel, task: str) -> tuple[float, float]:
    """Return milliseconds and prompt characters a model call."""
    model.asked.clear()
    start = time.perf_counter()
    agent.invoke({"messages": [("user", task)]})
    spent = (time.perf_counter() - start) * 1000
    sizes = [sum(len(str(one.content)) for one in messages) for messages in model.asked]
    return spent / len(sizes), sum(sizes) / len(sizes)


def agents(folder: Path) -> dict[str, tuple[Any, ScriptedChatModel]]:
    """Return both agents with their models, by name."""
    backend = FilesystemBackend(root_dir=str(folder.parent), virtual_mode=True)
    found: dict[str, tuple[Any, ScriptedChatModel]] = {}
    for name, middleware in (
        ("skill-selector", SkillsMiddleware(str(folder), context={"reasoner": "local"}, tool_constraints="ignore")),
        ("whole catalogue", WholeCatalogue(backend=backend, sources=[f"/{folder.name}/"])),
    ):
        model = ScriptedChatModel(answer)
        stack: Any = [middleware]
        found[name] = create_agent(model, tools=[read_file], middleware=stack), model
    return found


def measure(folder: Path, tasks: Sequence[str]) -> dict[str, list[tuple[float, float]]]:
    """Run the turns; the first one is not counted."""
    both = agents(folder)
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in both}
    for at, task in enumerate([tasks[0], *tasks]):
        for name, (agent, model) in both.items():
            found = turn(agent, model, task)
            if at:
                figures[name].append(found)
    return figures


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pool", type=Path)
    parser.add_argument("--skills", type=int, default=190)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--turns", type=int, default=20)
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "skills"
        folder.mkdir()
        tasks = draw(options.pool, options.skills, options.seed, folder)
        figures = measure(folder, tasks[: options.turns])
    rows = {name: [median(column) for column in zip(*found, strict=True)] for name, found in figures.items()}
    print(f"{len(tasks)} skills, {options.turns} turns of {CALLS} model calls; medians")
    print(f"{'':<18}{'ms a call':>12}{'characters':>14}")
    for name, (spent, size) in rows.items():
        print(f"{name:<18}{spent:>12.1f}{size:>14,.0f}")
    ours, theirs = rows["skill-selector"], rows["whole catalogue"]
    print(f"{'ratio':<18}{ours[0] / theirs[0]:>12.2f}{ours[1] / theirs[1]:>14.3f}")


if __name__ == "__main__":
    main()
