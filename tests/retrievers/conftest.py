"""Skills and requests made in memory."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from skill_selector.catalog.skill import Skill
from skill_selector.graph.settings import Settings
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.search import SearchRequest
from skill_selector.retrievers.strategy import SOURCE, Strategy
from skill_selector.retrievers.words import WordLists

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]


@pytest.fixture
def make_skill() -> MakeSkill:
    """Return a function that makes a skill with a body in memory."""

    def make(skill_id: str, description: str = "", body: str = "", **more: Any) -> Skill:
        folder = f"/skills/{skill_id}"
        values = {"name": skill_id, "path": folder, "file": f"{folder}/SKILL.md", "root": "/skills", "digest": skill_id}
        return Skill(id=skill_id, description=description, loaded_body=body, **values | more)

    return make


@pytest.fixture
def make_request() -> MakeRequest:
    """Return a function that makes a request over skills, with word lists of a few words."""

    def make(
        skills: Sequence[Skill],
        task: str = "",
        *,
        keywords: Sequence[str] = (),
        intent: str = "",
        when_to_use: str = "",
        strategy: Strategy = SOURCE,
        index: SkillIndex | None = None,
        **settings: Any,
    ) -> SearchRequest:
        return SearchRequest(
            task=task,
            analysis={
                "intent": intent,
                "keywords": list(keywords),
                "constraints": [],
                "tech_stack": [],
                "when_to_use": when_to_use,
            },
            skills=skills,
            index=index or SkillIndex.build(skills),
            settings=Settings(**settings),
            words=WordLists(
                action=frozenset({"merge", "audit", "acceptance test", "合并", "验收测试"}),
                domain=frozenset({"invoice", "audit trail", "接口规格"}),
            ),
            strategy=strategy,
        )

    return make
