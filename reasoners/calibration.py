"""A calibration: threshold, gap and weights of the local score that were fitted to a user's own tasks, in a file.

The file is JSON that people can read. It says what it was fitted on and what that came to; only `settings` and `score`
change a selection, and only one that is decided by the local reasoner over the strategy that it was fitted with.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from os import PathLike, fspath, stat
from stat import S_ISREG
from typing import Any, Self

from skill_selector.graph.errors import SettingError
from skill_selector.graph.records import RUBRIC, Dimension
from skill_selector.reasoners.rubric import MODELS, Model, ModelName

FORMAT, VERSION = "skill-selector calibration", 1
"""The version changes with the signals: weights of others would mean something else."""

LARGEST_FILE = 1_000_000
"""Bytes."""
LARGEST_WEIGHT = 1000.0
"""Log-odds a unit of a signal."""

_SECTIONS: dict[str, frozenset[str] | None] = {
    "settings": frozenset({"hit_threshold", "min_gap"}),
    "score": frozenset({"model", "weights", "shift"}),
    "goal": frozenset({"wrong_hit"}),
    "fitted_on": frozenset(
        {"tasks", "match", "none", "ambiguous", "tasks_digest", "skills", "catalog_digest", "strategy", "embeddings"}
    ),
    "figures": frozenset({"before", "after"}),
}
"""The objects of the file, with their keys."""


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """What was fitted, and on what."""

    hit_threshold: float
    min_gap: float
    """Both 0 to 100."""
    model: ModelName
    """Whose weights were fitted; the other models stay as they are shipped."""
    weights: Mapping[str, float]
    """Log-odds a unit of each signal of the model."""
    shift: float
    """Log-odds that every candidate gets besides."""
    goal: Mapping[str, float]
    fitted_on: Mapping[str, Any]
    figures: Mapping[str, Any]

    @property
    def settings(self) -> dict[str, float]:
        """The settings that it sets, where nothing else does."""
        return {"hit_threshold": self.hit_threshold, "min_gap": self.min_gap}

    @cached_property
    def models(self) -> dict[ModelName, Model]:
        """The weights of the local score, by model."""
        return {**MODELS, self.model: reweighted(MODELS[self.model], self.weights, self.shift)}

    def to_dict(self) -> dict[str, Any]:
        """Return the object that the file holds."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "settings": self.settings,
            "score": {"model": self.model, "weights": dict(self.weights), "shift": self.shift},
            "goal": dict(self.goal),
            "fitted_on": dict(self.fitted_on),
            "figures": dict(self.figures),
        }

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Return the calibration that an object of `to_dict` describes.

        Raises:
            ValueError: it does not; the message names every fault.
        """
        faults = list(_faults(value))
        if faults:
            raise ValueError("; ".join(faults))
        score, settings = value["score"], value["settings"]
        return cls(
            hit_threshold=float(settings["hit_threshold"]),
            min_gap=float(settings["min_gap"]),
            model=score["model"],
            weights={name: float(weight) for name, weight in score["weights"].items()},
            shift=float(score["shift"]),
            goal=value["goal"],
            fitted_on=value["fitted_on"],
            figures=value["figures"],
        )


GivenCalibration = Calibration | str | PathLike[str] | None
"""A calibration, or the file that holds one."""


def take_calibration(given: GivenCalibration) -> Calibration | None:
    """Return the calibration that a caller passed in. Blocks where it is a file.

    Raises:
        SettingError: it is none; or as `load_calibration`.
    """
    if given is None or isinstance(given, Calibration):
        return given
    if isinstance(given, str | PathLike):
        return load_calibration(given)
    raise SettingError(f"calibration={given!r:.80} is none; pass what `calibrate` returned, or the file that it wrote")


def load_calibration(path: str | PathLike[str]) -> Calibration:
    """Return the calibration of a file. Blocks; a file that has not changed is read once.

    Raises:
        SettingError: it cannot be read, is none, or is of another version; the message says what to do.
    """
    shown = fspath(path)
    try:
        status = stat(shown)
        if not S_ISREG(status.st_mode) or status.st_size > LARGEST_FILE:
            raise SettingError(
                f"{shown} is no calibration: it must be a file of at most {LARGEST_FILE:,} bytes that "
                "`skill-selector calibrate --out` wrote"
            )
        return _read(shown, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise SettingError(f"the calibration {shown} cannot be read: {error.strerror or error}") from error


@lru_cache(maxsize=8)
def _read(path: str, _modified: int, _size: int) -> Calibration:
    try:
        with open(path, encoding="utf-8-sig") as file:
            value = json.load(file)
        return Calibration.from_dict(value)
    except (ValueError, RecursionError) as error:
        raise SettingError(
            f"{path} is no calibration that can be used: {error}; make it anew with `skill-selector calibrate`, or "
            "leave SELECTOR_CALIBRATION out"
        ) from error


def total_weights(model: Model) -> dict[str, float]:
    """Return the weight of each signal of a model, added up over the parts that share it."""
    totals: dict[str, float] = {}
    for terms in model.values():
        for name, (weight, _) in terms.items():
            totals[name] = totals.get(name, 0.0) + weight
    return totals


def intercept(model: Model) -> float:
    """Return the log-odds of a model where every signal is 0."""
    return -math.fsum(weight * level for terms in model.values() for weight, level in terms.values())


def reweighted(model: Model, weights: Mapping[str, float], shift: float) -> Model:
    """Return the model with other weights, split among its parts as before, and a shift in their proportion."""
    totals = total_weights(model)
    found: dict[Dimension, dict[str, tuple[float, float]]] = {
        part: {name: (weights[name] * weight / totals[name], level) for name, (weight, level) in terms.items()}
        for part, terms in model.items()
    }
    for part, terms in found.items():
        terms["constant"] = (shift * RUBRIC[part] / 100, 0.0)
    return found


def _faults(value: Any) -> Iterator[str]:
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        yield f'it is no object whose "format" is "{FORMAT}"'
        return
    if value.get("version") != VERSION:
        yield f"its version is {value.get('version')!r:.40}, and this program reads version {VERSION}"
        return
    yield from _key_faults("it", value, frozenset({"format", "version", *_SECTIONS}))
    for name, keys in _SECTIONS.items():
        section = value.get(name, {})
        if not isinstance(section, dict):
            yield f'"{name}" is no object'
        elif keys is not None:
            yield from _key_faults(f'"{name}"', section, keys)
            yield from _value_faults(name, section)


def _key_faults(what: str, value: Mapping[str, Any], keys: frozenset[str]) -> Iterator[str]:
    if unknown := sorted(value.keys() - keys):
        yield f"{what} has the unknown key {unknown[0]!r:.60}"
    if missing := sorted(keys - value.keys()):
        yield f"{what} lacks {', '.join(missing)}"


def _value_faults(name: str, section: Mapping[str, Any]) -> Iterator[str]:
    if name == "settings":
        for key, number in section.items():
            if not _is_number(number, 0, 100):
                yield f'"{key}" is {number!r:.40}; it must be a number from 0 to 100'
    elif name == "score":
        yield from _score_faults(section)
    elif name == "fitted_on" and not isinstance(section.get("strategy", ""), str):
        yield '"strategy" is no text'
    elif name == "goal" and not _is_number(section.get("wrong_hit", 0), 0, 1):
        yield f'"wrong_hit" is {section["wrong_hit"]!r:.40}; it must be a number from 0 to 1'


def _score_faults(score: Mapping[str, Any]) -> Iterator[str]:
    if not _is_number(score.get("shift", 0), -LARGEST_WEIGHT, LARGEST_WEIGHT):
        yield f'"shift" is {score["shift"]!r:.40}; it must be a number'
    model: Model | None = MODELS.get(score["model"]) if isinstance(score.get("model"), str) else None
    weights = score.get("weights")
    if model is None:
        yield f'"model" is {score.get("model")!r:.40}; it must be one of {", ".join(MODELS)}'
    elif not isinstance(weights, dict):
        yield '"weights" is no object'
    else:
        yield from _key_faults('"weights"', weights, frozenset(total_weights(model)))
        for name, weight in weights.items():
            if not _is_number(weight, -LARGEST_WEIGHT, LARGEST_WEIGHT):
                yield f"the weight of {name!r:.60} is {weight!r:.40}; it must be a number"


def _is_number(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
