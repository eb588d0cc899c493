"""What a caller sees of each fault of a model's endpoint, and how long it takes: a table in Markdown.

    python benchmarks/faults.py [--async] > faults.md

The faults and their settings are those of `tests/support/faults.py`, against a real HTTP server on loopback. Waits are
scaled down by settings (`LLM_TIMEOUT` 0.3 s instead of 60), so that seconds are to be read against these.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from chat_server import ChatServer
from fault_catalogue import FAULTS, TASK, Fault, write_skills

import skill_selector.reasoners.endpoint  # noqa: F401 - importing it takes longer than most faults
from skill_selector import SkillSelectorError, aselect_skill, select_skill
from skill_selector.graph.settings import ENVIRONMENT_NAMES


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--async", dest="by_async", action="store_true", help="call aselect_skill")
    by_async = parser.parse_args().by_async
    os.environ["LANGSMITH_TRACING"] = "false"
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        root = Path(scratch, "skills")
        write_skills(root)
        _run(FAULTS[0], root, by_async)
        print("| fault | settings | what the caller saw | requests | seconds |\n|---|---|---|---|---|")
        for fault in FAULTS:
            seen, requests, seconds = _run(fault, root, by_async)
            settings = ", ".join(f"{name.upper()}={value}" for name, value in fault.settings.items())
            print(f"| {fault.name} | {settings} | {_cell(seen)} | {requests} | {seconds:.2f} |")


def _run(fault: Fault, root: Path, by_async: bool) -> tuple[str, int, float]:
    chat = ChatServer()
    own = {"dashscope_api_key": "sk-x", "llm_base_url": chat.url, "llm_model": "test-model", "llm_max_retries": 0}
    for name, variable in ENVIRONMENT_NAMES.items():
        os.environ.pop(variable, None)
        if name in {**own, **fault.settings}:
            os.environ[variable] = str({**own, **fault.settings}[name])
    os.environ.update(SELECTOR_CACHE_DIR="off", SELECTOR_EMBEDDINGS="none")
    fault.install(chat)
    started = time.perf_counter()
    try:
        found = asyncio.run(aselect_skill(TASK, root)) if by_async else select_skill(TASK, root)
    except SkillSelectorError as error:
        seen = f"{type(error).__name__}: {error}"
    else:
        best = found.best["id"] if found.best else "nothing"
        notes = [f"{one['step']}: {one['why']} → {one['instead']}" for one in found.degraded]
        seen = f"{found.outcome} {best}; " + ("; ".join(notes) or "nothing degraded")
    seconds = time.perf_counter() - started
    chat.close()
    return seen, len(chat.requests), seconds


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    main()
