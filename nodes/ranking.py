"""Candidates and their judgements, put together into the ranked list."""

import math
from collections.abc import Mapping, Sequence

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import ReasonerError
from skill_selector.graph.records import RUBRIC, Candidate, RankedSkill, SkillRef
from skill_selector.reasoners.base import Judgement
from skill_selector.retrievers.text import has_chinese

SHOWN_DESCRIPTION = 1024
"""Characters of a description in a result: the format's own limit. More would swell every checkpoint."""


def rank_candidates(
    candidates: Sequence[Candidate], skills: Mapping[str, Skill], judgements: Sequence[Judgement] | None
) -> list[RankedSkill]:
    """Return the candidates best first.

    Args:
        candidates: in the order of retrieval, which decides between equal scores.
        skills: the candidates' skills by id.
        judgements: one a candidate, in any order; None where the strategy's own score, 0 to 1, is the judge.

    Raises:
        ReasonerError: the judgements are not exactly one for each candidate.
    """
    if judgements is None:
        ranked = [_by_route(candidate, skills[candidate["id"]]) for candidate in candidates]
    else:
        by_id = {judgement.skill_id: judgement for judgement in judgements}
        if len(judgements) != len(candidates) or by_id.keys() != {candidate["id"] for candidate in candidates}:
            raise ReasonerError(
                f"{len(judgements)} judgements, of {sorted(by_id)}, do not match the {len(candidates)} candidates; "
                "a reasoner must return one for each"
            )
        ranked = [_by_rubric(one, skills[one["id"]], by_id[one["id"]]) for one in candidates]
    for one, candidate in zip(ranked, candidates, strict=True):
        if "ranks" in candidate:
            one["ranks"] = candidate["ranks"]
        if flags := skills[one["skill"]["id"]].flags:
            one["flags"] = list(flags)
    return sorted(ranked, key=lambda one: -one["score"])


def rank_excluded(excluded: Sequence[Candidate], skills: Mapping[str, Skill], task: str) -> list[RankedSkill]:
    """Return the skills that a task rules out by name, without points."""
    why = "excluded by user: the task names it as one not to use"
    if has_chinese(task):
        why = "用户已排除（excluded by user）：任务点名不用这个技能"
    return [ruled_out(skills[one["id"]], why, one) for one in excluded]


def _by_rubric(candidate: Candidate, skill: Skill, judgement: Judgement) -> RankedSkill:
    return {
        "skill": skill_ref(skill),
        "score": judgement.score,
        "dimensions": judgement.dimensions,
        "reason": judgement.reason,
        "veto": judgement.veto,
        "routes": candidate["routes"],
        "retrieval_score": candidate["score"],
        "copies": candidate["copies"],
    }


def _by_route(candidate: Candidate, skill: Skill) -> RankedSkill:
    notes = candidate.get("notes", {})
    shares = "; ".join(
        f"{name} {share:.2f}" + (f" ({notes[name]})" if name in notes else "")
        for name, share in candidate["routes"].items()
    )
    return {
        "skill": skill_ref(skill),
        "score": 0.0 if candidate["fallback"] else round(100 * min(1.0, candidate["score"]), 1),
        "dimensions": {},
        "reason": f"score of the routes: {shares}" if shares else "found by substring only",
        "veto": None,
        "routes": candidate["routes"],
        "retrieval_score": candidate["score"],
        "copies": candidate["copies"],
    }


def taken_as_called(skill: Skill, reason: str, copies: list[str]) -> RankedSkill:
    """Return a skill that a human named: all points, since nothing tells more surely what somebody wants."""
    return {
        "skill": skill_ref(skill),
        "score": math.fsum(RUBRIC.values()),
        "dimensions": dict(RUBRIC),
        "reason": reason,
        "veto": None,
        "routes": {},
        "retrieval_score": 0.0,
        "copies": copies,
    }


def ruled_out(skill: Skill, why: str, candidate: Candidate | None = None) -> RankedSkill:
    """Return a skill that is out before anybody scored it."""
    return {
        "skill": skill_ref(skill),
        "score": 0.0,
        "dimensions": dict.fromkeys(RUBRIC, 0.0),
        "reason": why,
        "veto": why,
        "routes": candidate["routes"] if candidate else {},
        "retrieval_score": candidate["score"] if candidate else 0.0,
        "copies": candidate["copies"] if candidate else [],
    }


def skill_ref(skill: Skill) -> SkillRef:
    """Return a skill as results show it."""
    description = skill.description
    if len(description) > SHOWN_DESCRIPTION:
        description = description[: SHOWN_DESCRIPTION - 1].rstrip() + "…"
    return {
        "id": skill.id,
        "name": skill.name,
        "description": description,
        "path": skill.path,
        "category": skill.category,
        "version": skill.version,
    }
