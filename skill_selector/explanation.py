"""Why a selection came out as it did, and why the others lost: `select --explain --json`."""

from typing import Any, TypedDict

from skill_selector.graph.records import RankedSkill, TraceEntry
from skill_selector.selection import REASONS, SkillSelection


class Loss(TypedDict):
    """Why a candidate was not chosen."""

    why: str
    """A code: `vetoed`, `below_threshold`, `tied`, `lower_score` or `declined`."""
    text: str


def explain(selection: SkillSelection) -> dict[str, Any]:
    """Return the whole reasoning as a JSON object with keys that stay.

    Retrieval ranks count among all skills, from 1; places among the candidates. `thresholds` are null where the run
    never came to a ranking.
    """
    retrieved = _last(selection.trace, "retrieve", selection)
    order = [one["id"] for one in retrieved["output"]["candidates"]] if retrieved else []
    analysis = selection.analysis
    return {
        "outcome": selection.outcome,
        "reason": selection.reason,
        "why": REASONS[selection.reason],
        "decided_by": selection.decided_by,
        "strategy": retrieved["input"]["strategy"] if retrieved else None,
        "keywords": list(analysis["keywords"]) if analysis else [],
        "thresholds": selection.thresholds,
        "top_score": selection.top_score,
        "score_gap": selection.score_gap,
        "chosen": selection.chosen,
        "candidates": [_candidate(one, place, order, selection) for place, one in enumerate(selection.ranked, start=1)],
        "rounds": _rounds(selection.trace),
        "degraded": list(selection.degraded),
    }


def loss(one: RankedSkill, selection: SkillSelection) -> Loss | None:
    """Return why a candidate was not chosen; None where it was."""
    if one["skill"]["id"] in {chosen["id"] for chosen in selection.selected}:
        return None
    bar = selection.thresholds or {"score": 0.0, "gap": 0.0}
    behind = round(selection.ranked[0]["score"] - one["score"], 1)
    if one["veto"]:
        return {"why": "vetoed", "text": one["veto"]}
    if one["score"] < bar["score"]:
        short = round(bar["score"] - one["score"], 1)
        return {"why": "below_threshold", "text": f"{short:g} points short of the threshold {bar['score']:g}"}
    if selection.decided_by == "human":
        return {"why": "declined", "text": "the human chose otherwise"}
    if selection.outcome == "ambiguous" and one["skill"]["id"] in selection.chosen:
        return {"why": "tied", "text": f"{behind:g} points behind the best; a hit needs a lead of {bar['gap']:g}"}
    return {"why": "lower_score", "text": f"{behind:g} points behind the best"}


def _candidate(one: RankedSkill, place: int, order: list[str], selection: SkillSelection) -> dict[str, Any]:
    skill_id = one["skill"]["id"]
    ranks = one.get("ranks", {})
    return {
        "id": skill_id,
        "name": one["skill"]["name"],
        "place": place,
        "score": one["score"],
        "behind": round(selection.ranked[0]["score"] - one["score"], 1),
        "dimensions": dict(one["dimensions"]),
        "judgement": one["reason"],
        "retrieval": {
            "place": order.index(skill_id) + 1 if skill_id in order else None,
            "score": one["retrieval_score"],
            "routes": {name: {"share": share, "rank": ranks.get(name)} for name, share in one["routes"].items()},
        },
        "copies": list(one["copies"]),
        "lost": loss(one, selection),
    }


def _last(trace: list[TraceEntry], step: str, selection: SkillSelection) -> TraceEntry | None:
    """Return the step's entry of the round that stands: the last one that came up with these candidates."""
    ranked = {one["skill"]["id"] for one in selection.ranked}
    found = [entry for entry in trace if entry["step"] == step]
    standing = [entry for entry in found if {one["id"] for one in entry["output"]["candidates"]} == ranked]
    return next(reversed(standing or found), None)


def _rounds(trace: list[TraceEntry]) -> list[dict[str, Any]]:
    rounds: dict[int, dict[str, Any]] = {}
    for entry in trace:
        if entry["round"] == 0 or entry["step"] == "confirm":
            continue
        number = rounds.setdefault(entry["round"], {"number": entry["round"]})
        made = entry["output"]
        if entry["step"] == "analyze":
            number["keywords"] = made["keywords"]
        elif entry["step"] == "retrieve":
            number["retrieved"] = [one["id"] for one in made["candidates"]]
        elif entry["step"] == "rank":
            number |= {"ranked_by": entry["input"]["reasoner"], **made}
            number.pop("next_step", None)
    return list(rounds.values())
