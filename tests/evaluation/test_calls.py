"""Tasks at the same time in one process."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector.evaluation import evaluate
from skill_selector.evaluation.task import LabelledTask
from skill_selector.graph.errors import ModelSetupError
from skill_selector.reasoners.base import AnalysisReply, AnalysisRequest, RankReply, RankRequest
from skill_selector.reasoners.scripted import ScriptedReasoner

MakeTask = Callable[..., LabelledTask]


class Busy(ScriptedReasoner):
    """Takes a while, and notes how many tasks are under way; fails at one of them where asked."""

    def __init__(self, fails_at: str = "") -> None:
        super().__init__({"pdf-merge": 90.0})
        self.now = self.most = self.cancelled = 0
        self.fails_at = fails_at
        self.full = asyncio.Event()

    async def aanalyze(self, request: AnalysisRequest) -> AnalysisReply:
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now == 3:
            self.full.set()
        if request.task == self.fails_at:
            await self.full.wait()
            raise ModelSetupError("DASHSCOPE_API_KEY is wrong")
        try:
            await asyncio.sleep(10 if self.fails_at else 0.02)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return await super().aanalyze(request)

    async def arank(self, request: RankRequest) -> RankReply:
        self.now -= 1
        return await super().arank(request)


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (3, 3), (None, 4)])
def test_no_more_tasks_are_under_way_than_allowed(
    make_task: MakeTask, pdf_skills: Path, concurrency: int | None, most: int
) -> None:
    reasoner = Busy()
    tasks = [make_task(f"t{number}", gold=["pdf-merge"], task="merge PDF files") for number in range(9)]
    steps: list[int] = []
    result = evaluate(
        tasks,
        pdf_skills,
        reasoner=reasoner,
        concurrency=concurrency,
        progress=lambda step, done: steps.append(done) if step == "evaluate" else None,
    )
    assert reasoner.most == most
    assert [made["id"] for made in result.predictions] == [task.id for task in tasks]
    assert steps == list(range(1, 10))


def test_an_error_stands_for_itself_and_ends_what_is_under_way(make_task: MakeTask, pdf_skills: Path) -> None:
    reasoner = Busy(fails_at="do t2")
    tasks = [make_task(f"t{number}", gold=["pdf-merge"]) for number in range(9)]
    with pytest.raises(ModelSetupError, match="DASHSCOPE_API_KEY is wrong"):
        evaluate(tasks, pdf_skills, reasoner=reasoner, concurrency=3)
    assert (reasoner.most, reasoner.cancelled) == (3, 2)
