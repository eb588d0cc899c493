"""Calibrations: what the file says is what counts, and every fault of it is named."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.graph.errors import SettingError
from skill_selector.graph.records import RUBRIC
from skill_selector.reasoners.calibration import (
    VERSION,
    Calibration,
    intercept,
    load_calibration,
    reweighted,
    take_calibration,
    total_weights,
)
from skill_selector.reasoners.rubric import LEXICAL_MODEL, MODELS, ModelName, evidence

Edit = Callable[[dict[str, Any]], object]


def made(model: ModelName = "lexical", **changes: Any) -> Calibration:
    values: dict[str, Any] = {
        "hit_threshold": 55.0,
        "min_gap": 5.0,
        "model": model,
        "weights": total_weights(MODELS[model]),
        "shift": 0.0,
        "goal": {"wrong_hit": 0.05},
        "fitted_on": {
            **dict.fromkeys(("tasks", "match", "none", "ambiguous", "skills"), 1),
            **dict.fromkeys(("tasks_digest", "catalog_digest", "embeddings"), "a"),
            "strategy": "react",
        },
        "figures": {"before": {}, "after": {}},
    }
    return Calibration(**(values | changes))


def write(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize("model", list(MODELS))
def test_a_file_gives_back_what_was_written(model: ModelName, tmp_path: Path) -> None:
    calibration = made(model, shift=0.25)

    assert load_calibration(write(tmp_path / "标定.json", calibration.to_dict())) == calibration


@given(st.sampled_from(sorted(MODELS)), st.floats(-5, 5), st.floats(0.1, 3))
def test_weights_and_shift_come_out_in_the_log_odds(model: ModelName, shift: float, factor: float) -> None:
    weights = {name: factor * weight for name, weight in total_weights(MODELS[model]).items()}
    changed = reweighted(MODELS[model], weights, shift)
    values = {name: 0.3 for name in weights if name != "standing"}
    at_zero = evidence(dict.fromkeys(values, 0.0), 0.0, changed)
    found = evidence(values, 2.0, changed)

    assert math.fsum(at_zero.values()) == pytest.approx(factor * intercept(MODELS[model]) + shift)
    rise = sum(weight * (2.0 if name == "standing" else 0.3) for name, weight in weights.items())
    assert math.fsum(found.values()) - math.fsum(at_zero.values()) == pytest.approx(rise)


def test_a_shift_is_shared_by_the_parts_as_the_rubric_shares_points() -> None:
    weights = total_weights(LEXICAL_MODEL)
    values = dict.fromkeys(weights, 0.5)
    plain = evidence(values, 3.0, LEXICAL_MODEL)
    shifted = evidence(values, 3.0, reweighted(LEXICAL_MODEL, weights, 2.0))

    assert {part: shifted[part] - plain[part] for part in RUBRIC} == pytest.approx(
        {"intent": 0.8, "tech_stack": 0.6, "constraints": 0.4, "keywords": 0.2}
    )


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda one: one.update(version=VERSION + 1), ["version is 2", f"reads version {VERSION}"]),
        (lambda one: one.update(format="other"), ["format"]),
        (lambda one: one.update(hit_threshold=50), ["unknown key 'hit_threshold'"]),
        (lambda one: one["settings"].update(top_k=3), ["unknown key 'top_k'"]),
        (lambda one: one["settings"].pop("min_gap"), ["lacks min_gap"]),
        (lambda one: one["settings"].update(hit_threshold=101), ["hit_threshold", "0 to 100"]),
        (lambda one: one["settings"].update(hit_threshold=True), ["hit_threshold", "0 to 100"]),
        (lambda one: one["score"].update(model="llm"), ["'llm'", "semantic"]),
        (lambda one: one["score"]["weights"].update(charm=1.0), ["unknown key 'charm'"]),
        (lambda one: one["score"]["weights"].update(standing="much"), ["standing", "a number"]),
        (lambda one: one["score"].update(shift=math.nan), ["shift", "a number"]),
        (lambda one: one.pop("figures"), ["lacks figures"]),
        (lambda one: one.update(score=[]), ['"score" is no object']),
        (lambda one: one["settings"].update(min_gap=-1, hit_threshold=-1), ["min_gap", "hit_threshold"]),
    ],
)
def test_a_fault_is_named_with_the_file_and_the_way_out(edit: Edit, words: list[str], tmp_path: Path) -> None:
    value = made().to_dict()
    edit(value)
    path = write(tmp_path / "cal.json", value)

    with pytest.raises(SettingError) as caught:
        load_calibration(path)
    for word in (str(path), "skill-selector calibrate", *words):
        assert word in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "[" * 5000, "\ufeff"])
def test_a_damaged_file_is_one_clear_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"cal\.json"):
        load_calibration(write(tmp_path / "cal.json", text))


def test_what_is_no_readable_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot be read"):
        load_calibration(tmp_path / "missing.json")
    with pytest.raises(SettingError, match="is no calibration"):
        load_calibration(tmp_path)
    (tmp_path / "latin.json").write_bytes(b'{"format": "\xff"}')
    with pytest.raises(SettingError, match=r"latin\.json"):
        load_calibration(tmp_path / "latin.json")


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda one: (
            st.lists(one)
            | st.dictionaries(st.sampled_from(["format", "version", "settings", "score", "model", "weights"]), one)
        ),
    )
)
def test_no_value_raises_anything_but_a_value_error(value: Any) -> None:
    whole = made().to_dict()
    for name in ("settings", "score", "fitted_on", "goal", "figures"):
        with pytest.raises(ValueError, match=r"."):
            Calibration.from_dict({**whole, name: value, "extra": 1})
    with pytest.raises(ValueError, match=r"."):
        Calibration.from_dict(value)


def test_a_caller_may_pass_a_calibration_or_its_file(tmp_path: Path) -> None:
    calibration = made()
    path = write(tmp_path / "cal.json", calibration.to_dict())

    assert take_calibration(None) is None
    assert take_calibration(calibration) is calibration
    assert take_calibration(str(path)) == take_calibration(path) == calibration
    with pytest.raises(SettingError, match="calibration=5"):
        take_calibration(5)  # type: ignore[arg-type]
