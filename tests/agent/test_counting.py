from pathlib import Path
from typing import Any

from agents import AgentModel, Run, an_agent, calling, write_skill

from skill_selector.agent.middleware import SkillsMiddleware
from skill_selector.feedback.sqlite import SqliteFeedback

RELEASE = "Publish a new version: tag the git release and push the tag"


def counted(skills: Path, file: Path, **more: Any) -> SkillsMiddleware[Any, Any]:
    context = {"reasoner": "local", "embeddings": "none"}
    return SkillsMiddleware(skills, context=context, feedback=SqliteFeedback(file), **more)


def injections(file: Path) -> dict[str, int]:
    return {one.label: one.counts.injected for one in SqliteFeedback(file).records("skill")}


def test_a_skill_that_went_into_a_prompt_is_counted_once_a_turn(skills: Path, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "feedback.sqlite"
    model = AgentModel([calling("read_file", path="a"), "done"])
    state = run(an_agent(model, counted(skills, file)), RELEASE)
    assert injections(file) == {"git-release": 1}
    turn = state["skill_selection"]["turn"]
    assert [one.label for one in SqliteFeedback(file).injected_in(turn)] == ["git-release"]


def test_a_skill_that_was_only_listed_is_not_counted_until_the_model_opens_it(
    skills: Path, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "feedback.sqlite"
    run(an_agent(AgentModel(["done"]), counted(skills, file, inject="catalog")), RELEASE)
    assert injections(file) == {}
    model = AgentModel([calling("load_skill", id="git-release"), "done"])
    run(an_agent(model, counted(skills, file, inject="catalog")), RELEASE)
    assert injections(file) == {"git-release": 1}


def test_counts_that_cannot_be_kept_do_not_stop_the_agent(skills: Path, run: Run, tmp_path: Path) -> None:
    write_skill(skills, "another", "Another skill.")
    state = run(an_agent(AgentModel(["done"]), counted(skills, tmp_path)), RELEASE)
    assert state["messages"][-1].content == "done"
