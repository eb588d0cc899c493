from pathlib import Path

import pytest

from skill_selector.graph.errors import DefinitionError
from skill_selector.knowledge.runs import Run, RunStore, propose_from_runs

SKILL = "report.weekly"


def runs(count: int, *, worked: bool = True) -> list[Run]:
    return [
        Run(
            skill=SKILL,
            task=f"write the weekly report of team {at} 周报",
            parameters={
                "team": f"t{at}",
                "format": ("pdf", "md")[at % 2],
                "pages": at,
                **({"draft": True} if at else {}),
            },
            worked=worked,
        )
        for at in range(count)
    ]


def test_a_definition_is_proposed_from_runs_that_worked() -> None:
    definition = propose_from_runs(SKILL, [*runs(6), *runs(3, worked=False)]).to_definition()
    properties = definition.input_schema["properties"]
    assert properties["format"] == {"type": "string", "enum": ["md", "pdf"]}
    assert properties["team"] == {"type": "string"}
    assert properties["pages"] == {"type": "integer"}
    assert properties["draft"] == {"type": "boolean"}
    assert definition.input_schema["required"] == ["team", "format", "pages"]
    assert "report" in definition.related_keywords
    assert "周报" in definition.related_keywords


def test_the_proposal_says_what_it_was_made_from() -> None:
    assert "3 runs that worked" in propose_from_runs(SKILL, runs(3)).to_yaml()


def test_values_of_several_kinds_leave_the_type_open() -> None:
    mixed = [Run(skill=SKILL, task="x", parameters={"a": one}) for one in (1, "b", None)]
    assert propose_from_runs(SKILL, mixed).values["input_schema"]["properties"]["a"] == {}


def test_too_few_runs_are_a_clear_error() -> None:
    with pytest.raises(DefinitionError, match="2 runs"):
        propose_from_runs(SKILL, [*runs(2), *runs(5, worked=False)])


def test_runs_come_back_as_they_were_kept_by_skill(tmp_path: Path) -> None:
    store = RunStore(str(tmp_path / "runs.sqlite"))
    assert store.runs(SKILL) == []
    for run in runs(2):
        store.add(run)
    store.add(Run(skill="other", task="y"))
    assert store.runs(SKILL) == runs(2)
