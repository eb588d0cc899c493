"""Which marks of a skill are there in a project."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import SettingError
from skill_selector.retrievers.marks import MOST_MARKS, marks_of
from skill_selector.retrievers.project import (
    ContextRoute,
    Project,
    ProjectLimits,
    context_route,
    context_score,
    matches,
)
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.strategy import RouteSpec

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("k8s/prod/app.yaml", "Dockerfile", "infra/net/main.tf", ".github/workflows/ci.yml", "src/日志.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("mark", "there"),
    [
        ("Dockerfile", True),
        ("Dockerfile/", False),
        ("k8s/", True),
        ("k8s", True),
        ("k8s/prod/app.yaml", True),
        ("main.tf", False),
        ("**/*.tf", True),
        ("*.tf", False),
        ("infra/**", True),
        ("infra/**/main.tf", True),
        ("**/net/", True),
        ("**/main.tf/", False),
        (".github/workflows/", True),
        ("src/*志.py", True),
        ("Docker*", True),
        ("docker*", False),
        ("src/?.py", False),
    ],
)
def test_marks_are_patterns_below_the_folder(project: Path, mark: str, there: bool) -> None:
    assert Project(str(project)).has(mark) is there


@pytest.mark.parametrize(
    ("given", "marks"),
    [
        (["Dockerfile", "k8s/", "**/*.tf"], ("Dockerfile", "k8s/", "**/*.tf")),
        ("Dockerfile, k8s/", ("Dockerfile", "k8s/")),
        ("./Dockerfile", ("Dockerfile",)),
        ("k8s\\prod", ("k8s/prod",)),
        ("fork", ()),
        (["/etc/passwd", "../secret", "a/../../b", "~/x", "C:/x", "file:///x"], ()),
        ("production environment", ()),
        ([f"f{at}" for at in range(500)], tuple(f"f{at}" for at in range(MOST_MARKS))),
        ("x" * 1000, ()),
    ],
)
def test_a_skill_names_its_marks_in_its_frontmatter(
    make_skill: MakeSkill, given: object, marks: tuple[str, ...]
) -> None:
    assert marks_of(make_skill("one", metadata={"context": given})) == marks


def test_marks_are_read_from_the_file_at_the_top_and_below_metadata(write_skill: Any, skills_root: Path) -> None:
    from skill_selector.catalog.scanner import scan

    write_skill("top", "One.", context="[Dockerfile, k8s/, '**/*.tf']")
    write_skill("below", "Two.", metadata="{context: [Dockerfile]}")
    found = {skill.id: marks_of(skill) for skill in scan(str(skills_root)).skills}
    assert found == {"top": ("Dockerfile", "k8s/", "**/*.tf"), "below": ("Dockerfile",)}


def test_a_skill_without_marks_takes_those_of_its_category_in_both_languages(make_skill: MakeSkill) -> None:
    assert "Dockerfile" in marks_of(make_skill("a", category="DevOps"))
    assert marks_of(make_skill("b", category="运维")) == marks_of(make_skill("a", category="DevOps"))
    assert "k8s/" in marks_of(make_skill("c", category="cloud; kubernetes"))
    assert "tests/" in marks_of(make_skill("d", category="test-automation"))
    assert marks_of(make_skill("e", category="cooking")) == marks_of(make_skill("f")) == ()


def test_each_mark_adds_one_half_as_in_the_source() -> None:
    """Source 001: Dockerfile 0.5, k8s/ 0.5."""
    both = ("Dockerfile", "k8s/")
    assert context_score(both, ()) == 0
    assert context_score(both, both[:1]) == 0.5
    assert context_score(both, both) == 1
    assert context_score((*both, "x"), both) == 1
    assert context_score(both[:1], both[:1]) == 1


def test_the_route_scores_and_says_what_is_there(
    make_skill: MakeSkill, make_request: MakeRequest, project: Path
) -> None:
    skills = [
        make_skill("deploy", metadata={"context": ["Dockerfile", "helm/"]}),
        make_skill("poems"),
    ]
    route = route_of(make_request(skills, "x"), str(project))
    assert route.scores.tolist() == [0.5, 0]
    assert route.applies is not None
    assert route.applies.tolist() == [True, False]
    assert route.note(0) == "1 of 2 marks are there: Dockerfile"
    nowhere = route_of(make_request(skills, "x"), None)
    assert nowhere.applies is not None
    assert not nowhere.applies.any()


def test_bounds_keep_the_look_short_and_what_was_cut_is_said(
    project: Path, make_skill: MakeSkill, make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = Project(str(project), ProjectLimits(entries=3))
    assert few.cut == "only 3 names of it were looked at"
    assert not Project(str(project), ProjectLimits(depth=1)).has("k8s/prod/")
    assert Project(str(project)).cut is None
    late = Project(str(project), ProjectLimits(seconds=-1))
    assert late.cut is not None
    monkeypatch.setattr("skill_selector.retrievers.project.Project._list", lambda self, *_: setattr(self, "cut", "cut"))
    request = make_request([make_skill("a", category="docker")], "x")
    route_of(request, str(project))
    assert [one["what"] for one in request.faults] == ["project"]


def test_links_are_listed_and_not_followed(project: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.key").write_text("", encoding="utf-8")
    os.symlink(tmp_path / "outside", project / "link")
    os.symlink(project, project / "loop")
    found = Project(str(project))
    assert found.has("link/")
    assert not found.has("link/secret.key")
    assert not found.has("**/secret.key")


def test_folders_of_other_peoples_files_are_not_looked_into(project: Path) -> None:
    (project / "node_modules" / "x").mkdir(parents=True)
    (project / "node_modules" / "x" / "pom.xml").write_text("", encoding="utf-8")
    assert not Project(str(project)).has("**/pom.xml")


def test_a_project_that_is_none_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"nowhere.*--project"):
        Project(str(tmp_path / "nowhere"))


def test_a_hostile_pattern_takes_no_time() -> None:
    import time

    start = time.perf_counter()
    assert not matches(["a" * 250] * 5, [*["**", "*a*a*a*a*a*a*a*b"] * 10])
    assert time.perf_counter() - start < 1


def route_of(request: SearchRequest, project: str | None) -> ContextRoute:
    object.__setattr__(request, "project", project)
    route = context_route(request, RouteSpec("context"), {"name": "context", "index": request.index})
    assert isinstance(route, ContextRoute)
    return route
