"""What a selection costs beside scanning and retrieving, with a model that answers at once, all from one run.

    python benchmarks/overhead.py SKILLS TASKS [--limit N] [--embeddings NAME] [--profile]

SKILLS is a folder of skills, TASKS a file of labelled tasks, of which only the texts are used. Every task is selected
for once, after one selection that is not counted. What remains of a selection's time without its scan, its retrieval
and the model's own time is the overhead: graph, settings, prompts, parsing, checks. It must take no longer than
retrieval. The model makes the first round clear, so that calls and prompt tokens are those of an ordinary selection.
"""

import argparse
import cProfile
import json
import pstats
import re
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from skill_selector.evaluation import load_tasks
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.selector import build_selector
from skill_selector.prompts.shortening import estimate_tokens
from skill_selector.testing import ScriptedChatModel

MOST_RATIO = 1.0
MOST_CALLS = 2
MOST_TOKENS = 2_500

_POINTS = {"intent": 38, "tech_stack": 28, "constraints": 18, "keywords": 9}


class InstantModel:
    """Answers both steps at once, well enough that the first round is clear; knows how long it took for it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        """Return an analysis made of the task's words, or points that leave one candidate clearly ahead."""
        began = time.perf_counter()
        text = str(messages[-1].text)
        task = text.partition("<task>\n")[2].partition("\n</task>")[0]
        ids = re.findall(r'<skill id="(c\d+)">', text)
        reply = _scores(ids) if ids else _analysis(task)
        prompt, completion = sum(estimate_tokens(str(one.text)) for one in messages), estimate_tokens(reply)
        usage: Any = {"input_tokens": prompt, "output_tokens": completion, "total_tokens": prompt + completion}
        message = AIMessage(reply, usage_metadata=usage)
        self.seconds += time.perf_counter() - began
        return message


def _analysis(task: str) -> str:
    # about as long as the examples that the prompt gives
    words = re.findall(r"[^\W_]{2,8}", task)[:8] or ["task"]
    fields = {"intent": task[:40] or "do it", "keywords": words, "constraints": words[:2], "tech_stack": words[:1]}
    return json.dumps({**fields, "when_to_use": task[:40]}, ensure_ascii=False)


def _scores(ids: Sequence[str]) -> str:
    reason = "twenty words or so of a reason, as a model gives them, with what fits and what does not fit"
    entries = [{"id": one, "veto": None, "reason": reason, **_POINTS} for one in ids]
    for entry in entries[1:]:
        entry.update({part: points // 4 for part, points in _POINTS.items()})
    return json.dumps({"scores": entries})


def measure(selector: Any, model: InstantModel, task: str, skills: str) -> dict[str, float]:
    """Select once; return the seconds of each part, the calls and the prompt tokens."""
    model.seconds = 0.0
    began = time.perf_counter()
    result = selector.invoke({"task": task, "skill_directory": skills})
    whole = time.perf_counter() - began
    trace = result["selector_trace"]
    parts = {step: sum(one["seconds"] for one in trace if one["step"] == step) for step in ("scan", "retrieve")}
    return {
        **parts,
        "model": model.seconds,
        "overhead": whole - sum(parts.values()) - model.seconds,
        "calls": sum(one["cost"]["calls"] for one in trace),
        "tokens": sum(one["cost"]["prompt_tokens"] for one in trace),
        "rounds": max(one["round"] for one in trace),
    }


def spread(values: Sequence[float]) -> str:
    """Return median, 95th percentile and maximum."""
    ordered = sorted(values)
    return f"{median(ordered):>9.1f}{ordered[int(0.95 * (len(ordered) - 1))]:>9.1f}{ordered[-1]:>9.1f}"


def report(rows: Sequence[dict[str, float]]) -> None:
    """Print distributions and ratios."""
    print(f"{len(rows)} selections{'':<12}{'median':>9}{'95 %':>9}{'most':>9}")
    for name in ("scan", "retrieve", "overhead", "model"):
        print(f"{name + ', ms':<24}{spread([1000 * one[name] for one in rows])}")
    clear = [one for one in rows if one["rounds"] == 1]
    print(f"{'model calls':<24}{spread([one['calls'] for one in clear])}   at most {MOST_CALLS}")
    print(f"{'prompt tokens':<24}{spread([one['tokens'] for one in clear])}   at most {MOST_TOKENS:,}")
    over = sum(one["tokens"] > MOST_TOKENS or one["calls"] > MOST_CALLS for one in clear)
    print(f"{len(clear)} with a clear first round, {over} of them above a limit")
    whole = sum(one["overhead"] for one in rows) / sum(one["retrieve"] for one in rows)
    medians = median(one["overhead"] for one in rows) / median(one["retrieve"] for one in rows)
    worst = sum(one["overhead"] > MOST_RATIO * one["retrieve"] for one in rows)
    print(
        f"overhead ÷ retrieval: {medians:.2f} of medians, {whole:.2f} of sums, at most {MOST_RATIO:g}; above in {worst}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("skills")
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--limit", type=int, default=None, help="use only so many tasks")
    parser.add_argument("--embeddings", default="none", help="bundled, none, or openai:MODEL (none)")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    options = parser.parse_args()
    tasks = [one.task for one in load_tasks(options.tasks)][: options.limit]
    model = InstantModel()
    context = SelectorContext(embeddings=options.embeddings)
    selector = build_selector(llm=ScriptedChatModel(model.answer), context=context)
    measure(selector, model, tasks[0], options.skills)
    profile = cProfile.Profile()
    if options.profile:
        profile.enable()
    rows = [measure(selector, model, task, options.skills) for task in tasks]
    profile.disable()
    report(rows)
    if options.profile:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(60)


if __name__ == "__main__":
    main()
