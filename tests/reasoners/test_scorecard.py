import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.graph.records import RUBRIC
from skill_selector.reasoners.base import Judgement
from skill_selector.reasoners.json_text import decode_strictly
from skill_selector.reasoners.reply import ReplyFaultError
from skill_selector.reasoners.scorecard import read_points, read_scores

IDS = {"c1": "pdf-merge", "c2": "csv-chart"}
GOOD = {"intent": 38, "tech_stack": 28, "constraints": 18, "keywords": 9}
POOR = {"intent": 8, "tech_stack": 6, "constraints": 4, "keywords": 1}


def entry(opaque: Any, points: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"id": opaque, **points, "veto": None, "reason": "because", **fields}


def scores(*entries: dict[str, Any], final: bool = False, **beside: Any) -> dict[str, Judgement]:
    judgements = read_scores({"scores": list(entries), **beside}, IDS, final=final)
    assert judgements is not None
    return {judgement.skill_id: judgement for judgement in judgements}


def faults(*entries: dict[str, Any], final: bool = False, **beside: Any) -> tuple[str, ...]:
    with pytest.raises(ReplyFaultError) as raised:
        scores(*entries, final=final, **beside)
    return raised.value.faults


@pytest.mark.parametrize("order", [1, -1])
def test_points_belong_to_ids_whatever_the_order(order: int) -> None:
    found = scores(*[entry("c1", GOOD), entry("c2", POOR)][::order])

    assert found["pdf-merge"].score == 93
    assert found["csv-chart"].score == 19
    assert found["pdf-merge"].reason == "because"


@pytest.mark.parametrize("opaque", ["C1", " c1 ", "c 1", "[c1]", "ｃ１", "c-1"])
def test_case_and_space_variants_of_an_id_are_known(opaque: str) -> None:
    assert scores(entry(opaque, GOOD), entry("c2", POOR))["pdf-merge"].score == 93


@pytest.mark.parametrize("opaque", ["c9", 0, 1, "1", "pdf-merge", "", "c1c2", True])
def test_an_id_outside_the_candidates_is_refused(opaque: Any) -> None:
    assert any(
        "there is no candidate" in fault for fault in faults(entry(opaque, GOOD), entry("c1", GOOD), entry("c2", POOR))
    )


def test_a_missing_candidate_is_named() -> None:
    assert faults(entry("c2", POOR)) == ("missing: c1",)
    assert faults(entry("c2", POOR), final=True) == ("missing: c1",)


def test_a_candidate_that_appears_twice_is_a_fault() -> None:
    assert faults(entry("c1", GOOD), entry("C1", POOR), entry("c2", POOR), final=True) == ("c1 appears 2 times",)


def test_all_faults_are_named_together() -> None:
    named = faults(entry("c1", {**GOOD, "intent": 850, "keywords": None}), entry("c9", POOR))

    assert len(named) == 4
    assert "850" in named[0]
    assert "c9" in " ".join(named)
    assert "missing: c2" in named


@pytest.mark.parametrize(
    ("given", "most", "points"),
    [
        (35, 40, 35),
        (35.5, 40, 35.5),
        ("35", 40, 35),
        ("35/40", 40, 35),
        ("35 / 40", 40, 35),
        ("35分", 40, 35),
        ("35 points", 40, 35),
        ("３５", 40, 35),
        (0, 10, 0),
        ("0%", 40, 0),
        (1, 10, 1),
        ("8/10", 40, 32),
        ("8/10", 10, 8),
        ("90%", 40, 36),
        ("90/100", 40, 36),
        ("85/100", 100, 85),
        ("85分", 100, 85),
        ("85.5", 100, 85.5),
    ],
)
def test_unambiguous_points_are_read(given: Any, most: float, points: float) -> None:
    assert read_points(given, most) == points


@pytest.mark.parametrize(
    "given",
    [
        850, -3, "-3", None, True, False, "high", "", [], {}, 0.85, "0.85", ".5", float("nan"), float("inf"), 41, "41",
        "45/40", "25%", "25/100", "30/50", "1/0", "on 2026/04/19 it was 30", "30-35", "~30", "1e1", "30 / 40 / 50",
    ],
)  # fmt: skip
def test_points_that_mean_nothing_certain_are_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="it must be a number from 0 to 40"):
        read_points(given, 40)


@given(st.integers(0, 40))
def test_a_number_means_the_same_as_text_and_as_a_fraction(points: int) -> None:
    assert read_points(points, 40) == read_points(str(points), 40) == read_points(f"{points}/40", 40) == points


@given(st.text() | st.floats() | st.integers(), st.sampled_from(sorted(RUBRIC.values())))
def test_points_are_in_range_or_refused(given: Any, most: float) -> None:
    try:
        points = read_points(given, most)
    except ValueError:
        return
    assert 0 <= points <= most


def test_a_total_that_contradicts_its_parts_is_a_fault_at_first_and_loses_in_the_end() -> None:
    told = [entry("c1", POOR, total=95), entry("c2", POOR)]

    assert faults(*told) == ("c1: the total '95' is not the sum of its parts, 19",)
    assert scores(*told, final=True)["pdf-merge"].score == 19


def test_a_total_that_agrees_or_is_zero_after_a_veto_is_fine() -> None:
    found = scores(entry("c1", GOOD, total="93/100"), entry("c2", POOR, score=0, veto="only for tables"))

    assert found["pdf-merge"].score == 93
    assert found["csv-chart"].veto == "only for tables"


@pytest.mark.parametrize("beside", [{"order": ["c2", "c1"]}, {"best": "c2"}, {"ranking": ["c2"]}])
def test_an_order_that_contradicts_the_points_is_a_fault_at_first(beside: dict[str, Any]) -> None:
    told = [entry("c1", GOOD), entry("c2", POOR)]

    assert "contradicts the points" in faults(*told, **beside)[0]
    assert scores(*told, final=True, **beside)["pdf-merge"].score == 93
    assert scores(*told, best="c1")["pdf-merge"].score == 93


def test_equal_points_for_all_are_taken_as_they_are() -> None:
    found = scores(entry("c1", GOOD), entry("c2", GOOD))

    assert found["pdf-merge"].score == found["csv-chart"].score


@pytest.mark.parametrize("veto", [None, False, "", "none", "None.", "null", "无", "没有", "N/A", "no", []])
def test_what_says_that_there_is_no_veto_is_none(veto: Any) -> None:
    assert scores(entry("c1", GOOD, veto=veto), entry("c2", POOR))["pdf-merge"].veto is None


@pytest.mark.parametrize(
    ("veto", "text"),
    [
        ("仅适用于 Windows", "仅适用于 Windows"),
        (True, "because"),
        (["Windows", "paid"], "Windows; paid"),
        ("a\nb", "a b"),
    ],
)
def test_a_veto_keeps_its_words_and_takes_the_points_out(veto: Any, text: str) -> None:
    judgement = scores(entry("c1", GOOD, veto=veto), entry("c2", POOR))["pdf-merge"]

    assert judgement.veto == text
    assert judgement.score == 0
    assert judgement.points["intent"] == 38


def test_a_veto_of_another_kind_is_a_fault() -> None:
    assert faults(entry("c1", GOOD, veto={"why": "x"}), entry("c2", POOR)) == ('c1: "veto" must be null or a text',)


@pytest.mark.parametrize(
    "shape",
    [
        lambda one, two: {"scores": [one, two]},
        lambda one, two: {"ranked": [one, two], "note": "x"},
        lambda one, two: {"result": {"scores": [one, two]}},
        lambda one, two: [one, two],
        lambda one, two: {"scores": {"c1": one, "c2": two}},
        lambda one, two: {"scores": [{"id": "c1", "parts": GOOD, "reason": "because"}, two]},
        lambda one, two: {"scores": [{"candidateId": "c1", "techStack": 28, **one}, two]},
    ],
)
def test_every_usual_shape_is_understood(shape: Any) -> None:
    judgements = read_scores(shape(entry("c1", GOOD), entry("c2", POOR)), IDS, final=False)

    assert judgements is not None
    assert [judgement.score for judgement in judgements] == [93, 19]


@pytest.mark.parametrize(
    "value", [None, 3, "c1", [], [1, 2], {}, {"note": "draft"}, {"intent": "x", "keywords": ["y"]}]
)
def test_anything_else_is_no_scorecard(value: Any) -> None:
    assert read_scores(value, IDS, final=True) is None


def test_two_values_for_one_part_or_one_candidate_are_faults() -> None:
    twice = json.dumps(entry("c1", GOOD)).replace('"intent": 38', '"intent": 38, "intent": 1')
    value = decode_strictly(f'{{"scores": [{twice}, {json.dumps(entry("c2", POOR))}]}}')
    with pytest.raises(ReplyFaultError, match="c1: a field was given twice"):
        read_scores(value, IDS, final=True)
    with pytest.raises(ReplyFaultError, match="the scores were given twice"):
        read_scores(decode_strictly(f'{{"scores": [{twice}], "scores": []}}'), IDS, final=True)
    keyed = decode_strictly(f'{{"scores": {{"c1": {json.dumps(GOOD)}, "c1": {json.dumps(POOR)}}}}}')
    with pytest.raises(ReplyFaultError, match="given twice"):
        read_scores(keyed, IDS, final=True)


def test_reasons_lose_what_cannot_be_seen_and_are_bounded() -> None:
    found = scores(entry("c1", GOOD, reason="\x1b[31mfits\u202e" + "x" * 1000), entry("c2", POOR, reason=None))

    assert found["pdf-merge"].reason.startswith("[31mfitsx")
    assert len(found["pdf-merge"].reason) <= 300
    assert found["csv-chart"].reason == ""
