from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.reasoners.json_text import decode_strictly
from skill_selector.reasoners.reply import ReplyFaultError
from skill_selector.reasoners.understanding import read_analysis

WHOLE = {
    "intent": "merge PDF files",
    "keywords": ["merge", "pdf"],
    "constraints": ["offline"],
    "tech_stack": ["PDF"],
    "when_to_use": "when files are to become one",
}


def test_a_whole_analysis_is_taken_as_it_is() -> None:
    assert read_analysis(WHOLE) == WHOLE


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({"tech_stack": None, "techStack": ["ArkTS"]}, {"tech_stack": ["ArkTS"]}),
        ({"when_to_use": None, "whenToUse": "随时"}, {"when_to_use": "随时"}),
        ({"when_to_use": None, "useWhen": "随时"}, {"when_to_use": "随时"}),
        ({"keywords": "验收测试、接口，报告; api"}, {"keywords": ["验收测试", "接口", "报告", "api"]}),
        ({"keywords": ["PDF", "pdf ", "", "merge"]}, {"keywords": ["pdf", "merge"]}),
        ({"keywords": ["python", 3.11]}, {"keywords": ["python", "3.11"]}),
        ({"constraints": None}, {"constraints": []}),
        ({"intent": ["merge", "compress"]}, {"intent": "merge; compress"}),
        ({"intent": "merge\n PDF\u200b files"}, {"intent": "merge PDF files"}),
        ({"confidence": 0.9, "thoughts": {"a": 1}}, {}),
    ],
)
def test_what_is_meant_is_understood(given: dict[str, Any], changed: dict[str, Any]) -> None:
    fields = {key: value for key, value in {**WHOLE, **given}.items() if value is not None}

    assert read_analysis(fields) == {**WHOLE, **changed}


def test_a_wrapped_analysis_is_found() -> None:
    assert read_analysis({"analysis": WHOLE}) == WHOLE


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"intent": ""}, '"intent" is empty'),
        ({"intent": 7}, '"intent" is no text'),
        ({"keywords": []}, '"keywords" is empty'),
        ({"keywords": [{"word": "pdf"}]}, '"keywords" is no list of texts'),
        ({"constraints": {"a": 1}}, '"constraints" is no list of texts'),
        ({"keywords": [True]}, '"keywords" is no list of texts'),
    ],
)
def test_a_field_of_the_wrong_kind_is_a_fault(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(ReplyFaultError, match=fault):
        read_analysis({**WHOLE, **given})


def test_all_faults_are_named_together() -> None:
    with pytest.raises(ReplyFaultError) as raised:
        read_analysis({"intent": 7, "keywords": 8, "tech_stack": 9})

    assert len(raised.value.faults) == 3


def test_two_values_for_one_field_are_a_fault() -> None:
    with pytest.raises(ReplyFaultError, match="given twice"):
        read_analysis(decode_strictly('{"intent": "a", "intent": "b", "keywords": ["x"]}'))


@pytest.mark.parametrize("value", [None, 1, "intent", [], ["intent"], {}, {"scores": []}, {"answer": 1}])
def test_anything_else_is_no_analysis(value: Any) -> None:
    assert read_analysis(value) is None


def test_lists_and_texts_are_bounded() -> None:
    analysis = read_analysis({**WHOLE, "keywords": [f"word{n}" for n in range(1000)], "intent": "x" * 10_000})

    assert analysis is not None
    assert len(analysis["keywords"]) <= 24
    assert len(analysis["intent"]) <= 400


@given(
    st.dictionaries(
        st.sampled_from([*WHOLE, "techStack", "x"]), st.none() | st.text() | st.integers() | st.lists(st.text())
    )
)
def test_any_object_is_read_or_is_a_fault(value: dict[str, Any]) -> None:
    try:
        analysis = read_analysis(value)
    except ReplyFaultError:
        return
    assert analysis is None or (analysis["intent"] and analysis["keywords"])
