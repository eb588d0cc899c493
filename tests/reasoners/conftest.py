"""Skills and requests for both reasoners."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from chat_server import ChatServer

from skill_selector.catalog.skill import Skill
from skill_selector.graph.settings import Settings
from skill_selector.reasoners.base import AnalysisRequest, RankRequest, Reasoner
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.words import load_words

KEY = "sk-loopback-0123456789"


@pytest.fixture
def settings(chat: ChatServer) -> Settings:
    """Settings for `chat`, without retries."""
    return Settings(
        dashscope_api_key=KEY, llm_base_url=chat.url, llm_model="test-model", llm_timeout=5, llm_max_retries=0
    )


def run_sync(reasoner: Reasoner, step: str, request: Any) -> Any:
    return getattr(reasoner, step)(request)


def run_async(reasoner: Reasoner, step: str, request: Any) -> Any:
    return asyncio.run(getattr(reasoner, f"a{step}")(request))


Run = Callable[[Reasoner, str, Any], Any]


@pytest.fixture(params=[run_sync, run_async], ids=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    """Return a function that runs one step, "analyze" or "rank", by one half of a reasoner and then the other."""
    half: Run = request.param
    return half


def make_skill(skill_id: str, description: str, **fields: Any) -> Skill:
    return Skill(
        id=skill_id,
        name=fields.pop("name", skill_id),
        description=description,
        path=f"/skills/{skill_id}",
        file=f"/skills/{skill_id}/SKILL.md",
        root="/skills",
        digest=skill_id,
        loaded_body="",
        **fields,
    )


SKILLS = (
    make_skill("pdf-merge", "Merge several PDF files into one and reorder their pages."),
    make_skill("csv-chart", "Draw line and bar charts from CSV tables. Do not use for PDF files."),
    make_skill("会议纪要", "把会议录音整理成会议纪要，列出决定和待办事项。", language="zh"),
)


def make_rank_request(settings: Settings, task: str = "merge two PDF files", *skills: Skill) -> RankRequest:
    skills = skills or SKILLS
    return RankRequest(
        task=task,
        analysis={
            "intent": "merge PDF files",
            "keywords": ["merge", "pdf"],
            "constraints": [],
            "tech_stack": ["PDF"],
            "when_to_use": "when PDF files are to become one",
        },
        candidates=tuple(
            {"id": skill.id, "score": 1.0, "routes": {}, "fallback": False, "copies": []} for skill in skills
        ),
        skills={skill.id: skill for skill in skills},
        index=SkillIndex(skills),
        settings=settings,
        words=load_words(),
    )


@pytest.fixture
def analysis_request() -> AnalysisRequest:
    """Reason #1 for a short English task."""
    return AnalysisRequest(task="merge two PDF files", settings=Settings(), words=load_words())


@pytest.fixture
def rank_request() -> RankRequest:
    """Reason #2 for a short English task and three skills."""
    return make_rank_request(Settings())
