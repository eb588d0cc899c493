from hypothesis import given
from hypothesis import strategies as st

from skill_selector.graph.records import Candidate, RankedSkill, Round, TaskAnalysis
from skill_selector.nodes.decision import Bar, best_round, close_round, result_of, result_of_human

ANALYSIS: TaskAnalysis = {"intent": "", "keywords": [], "constraints": [], "tech_stack": [], "when_to_use": ""}
BAR = Bar(threshold=60, gap=10)


def ranked(*scores: float, veto: str | None = None) -> list[RankedSkill]:
    return [
        {
            "skill": {
                "id": f"s{place}",
                "name": "",
                "description": "",
                "path": "/s",
                "category": None,
                "version": None,
            },
            "score": score,
            "dimensions": {},
            "reason": "",
            "veto": veto if place == 0 else None,
            "routes": {},
            "retrieval_score": 0.0,
            "copies": [],
        }
        for place, score in enumerate(scores)
    ]


def candidates(count: int, *, fallback: bool = False) -> list[Candidate]:
    return [
        {"id": f"s{place}", "score": 1.0, "routes": {}, "fallback": fallback, "copies": []} for place in range(count)
    ]


def closed(*scores: float, number: int = 1, bar: Bar = BAR, fallback: bool = False, veto: str | None = None) -> Round:
    return close_round(number, ANALYSIS, candidates(len(scores), fallback=fallback), ranked(*scores, veto=veto), bar)


def test_worked_numbers_of_the_source() -> None:
    assert closed(85, 60)["outcome"] == "hit"
    assert closed(70, 60)["outcome"] == "hit"
    assert closed(69.9, 60)["outcome"] == "ambiguous"
    assert closed(59.9, 0)["outcome"] == "no_match"


def test_a_single_candidate_has_its_score_as_gap_and_the_threshold_still_decides() -> None:
    assert (closed(60)["outcome"], closed(60)["score_gap"]) == ("hit", 60)
    assert closed(59)["outcome"] == "no_match"


def test_no_candidate_at_all_is_no_match() -> None:
    assert (closed()["outcome"], closed()["reason"], closed()["top_score"]) == ("no_match", "no_overlap", 0)


def test_candidates_found_by_substring_only_are_reported_as_no_overlap() -> None:
    assert closed(20, 10, fallback=True)["reason"] == "no_overlap"


def test_a_veto_of_the_first_candidate_is_the_reason_of_a_refusal() -> None:
    assert closed(0, 0, veto="for Windows only")["reason"] == "vetoed"


@given(st.lists(st.floats(0, 100), max_size=6), st.floats(0, 100), st.floats(0, 100))
def test_outcome_follows_threshold_and_gap_for_any_scores(scores: list[float], threshold: float, gap: float) -> None:
    ordered = sorted(scores, reverse=True)
    record = closed(*ordered, bar=Bar(threshold=threshold, gap=gap))
    assert record["top_score"] == (ordered[0] if ordered else 0)
    if record["outcome"] == "no_match":
        assert not ordered or ordered[0] < max(threshold, 0.1)
    else:
        assert ordered[0] >= threshold
        assert (record["outcome"] == "hit") == (record["score_gap"] >= gap)


def test_a_hit_stands_before_no_hit_then_the_larger_gap_then_the_earlier() -> None:
    tie, wider, hit = closed(80, 78), closed(70, 65, number=2), closed(65, 50, number=3)
    assert best_round([tie, wider, hit]) is hit
    assert best_round([tie, wider]) is wider
    again = closed(70, 65, number=3)
    assert best_round([again, wider]) is wider


def test_tied_are_those_over_the_threshold_and_nearer_than_the_gap() -> None:
    assert [one["skill"]["id"] for one in BAR.tied(ranked(80, 75, 70, 60, 10))] == ["s0", "s1"]
    assert [one["skill"]["id"] for one in BAR.tied(ranked(62, 59))] == ["s0"]
    assert BAR.tied([]) == []


def test_a_strategy_that_takes_three_selects_what_reaches_the_threshold() -> None:
    bar = Bar(threshold=50, gap=0, take=3)
    result = result_of(closed(80, 60, 40, bar=bar), bar)
    assert [one["id"] for one in result["selected"]] == ["s0", "s1"]
    assert result["best"]["id"] == "s0"


def test_no_hit_leaves_best_path_and_selected_empty() -> None:
    result = result_of(closed(80, 78), BAR)
    assert (result["best"], result["skill_path"], result["selected"]) == (None, None, [])


def test_a_human_decides_over_the_scores() -> None:
    assert result_of_human(ranked(70)[0])["best"]["id"] == "s0"
    assert result_of_human(None) == {"outcome": "no_match", "hit": False, "reason": "declined", "decided_by": "human"}
