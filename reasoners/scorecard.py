"""The model's points for the candidates, checked."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Any

from skill_selector.graph.records import RUBRIC, Dimension
from skill_selector.prompts.fencing import one_line
from skill_selector.reasoners.base import Judgement
from skill_selector.reasoners.json_text import RepeatedKeys
from skill_selector.reasoners.reply import ReplyFaultError
from skill_selector.reasoners.understanding import plain_keys

MOST_CHARACTERS = 300
TOLERANCE = 0.5
"""A stated total may differ from the sum of its parts by a rounding."""

_LISTS = ("scores", "ranked", "ranking", "candidates", "results", "skills")
_PARTS: dict[Dimension, tuple[str, ...]] = {
    "intent": ("intent",),
    "tech_stack": ("techstack", "tech"),
    "constraints": ("constraints", "constraint"),
    "keywords": ("keywords", "keyword"),
}
_IDS = ("id", "candidateid", "candidate", "skillid")
_NESTED = ("parts", "points", "dimensions", "scores", "breakdown")
_TOTALS = ("total", "score", "totalscore", "sum")
_NUMBER = re.compile(r"(\d{1,4}(?:\.\d+)?)(?: ?(?:分|points?|pts?))?", re.IGNORECASE)
_FRACTION = re.compile(r"(\d{1,4}(?:\.\d+)?) ?/ ?(\d{1,4})(?: ?(?:分|points?|pts?))?", re.IGNORECASE)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?) ?%")
_NO_VETO = {"", "none", "null", "no", "nil", "false", "n/a", "na", "-", "no veto", "not vetoed", "none applies"}
_NO_VETO |= {"无", "否", "没有", "无否决", "没有否决", "未否决"}


def read_scores(value: Any, skill_ids: Mapping[str, str], *, final: bool) -> tuple[Judgement, ...] | None:
    """Return a judgement for every candidate, or None where the decoded value is no scorecard.

    Args:
        value: a decoded JSON value.
        skill_ids: what each opaque id stands for.
        final: nobody will ask again. The parts then count, whatever total or order the reply states beside them;
            before that a contradiction is a fault.

    Raises:
        ReplyFaultError: ids or points are missing, unknown, given twice or not usable; every fault is named.
    """
    entries = _entries(value)
    if entries is None:
        return None
    faults: list[str] = []
    judgements: dict[str, Judgement] = {}
    stated: Counter[str] = Counter()
    for entry in entries:
        if not isinstance(entry, dict):
            faults.append("an entry is no object")
            continue
        fields = plain_keys(entry)
        opaque = _known_id(_given_id(entry), skill_ids, faults)
        if opaque is None:
            continue
        stated[opaque] += 1
        own: list[str] = ["a field was given twice with different values"] if isinstance(entry, RepeatedKeys) else []
        judgement = _judgement(skill_ids[opaque], fields, own, final=final)
        faults += [f"{opaque}: {fault}" for fault in own]
        if judgement is not None:
            judgements[opaque] = judgement
    faults += [f"{opaque} appears {times} times" for opaque, times in stated.items() if times > 1]
    missing = [opaque for opaque in skill_ids if opaque not in stated]
    faults += [f"missing: {', '.join(missing)}"] if missing else []
    if not final and not faults:
        faults += _order_faults(value, judgements)
    if faults:
        raise ReplyFaultError(*faults)
    return tuple(judgements[opaque] for opaque in skill_ids)


def read_points(value: Any, most: float) -> float:
    """Return the points of one part, 0 to `most`.

    Numbers, numbers as text, with a unit, and fractions and percentages that can mean one thing only are understood.

    Raises:
        ValueError: it is none of these, or out of range; the message says what is expected.
    """
    expected = f"must be a number from 0 to {most:g}"
    number = _share(value, most) if isinstance(value, str) else value
    if not isinstance(number, int | float) or isinstance(number, bool) or not 0 <= number <= most:
        raise ValueError(f"is {_shown(value)}; it {expected}")
    if 0 < number < 1:
        raise ValueError(f"is {_shown(value)}, which looks like a fraction; it {expected}, in whole points")
    return round(float(number), 1)


def _share(text: str, most: float) -> float | None:
    text = unicodedata.normalize("NFKC", text).strip()
    if number := _NUMBER.fullmatch(text):
        return float(number[1])
    if fraction := _FRACTION.fullmatch(text):
        part, whole = float(fraction[1]), float(fraction[2])
    elif percent := _PERCENT.fullmatch(text):
        part, whole = float(percent[1]), 100.0
    else:
        return None
    # 25 of 100 may be a quarter of this part, or 25 points of the whole rubric: only more than the part can be a share.
    if whole == most or part <= whole < most or (whole == 100 and (most < part <= 100 or part == 0)):
        return part / whole * most if whole else None
    return None


def _entries(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        fields = plain_keys(value)
        if isinstance(value, RepeatedKeys) and fields.keys() & set(_LISTS):
            raise ReplyFaultError("the scores were given twice, differently")
        lists = [fields[name] for name in _LISTS if name in fields]
        inner = next((one for one in lists if isinstance(one, dict) or _has_objects(one)), None)
        if inner is None and len(value) == 1:
            return _entries(next(iter(value.values())))
        value = inner
        if isinstance(value, dict) and value and all(isinstance(one, dict) for one in value.values()):
            if isinstance(value, RepeatedKeys):
                raise ReplyFaultError("a candidate was given twice with different points")
            return [{**entry, "id": opaque} for opaque, entry in value.items()]
    return value if _has_objects(value) else None


def _has_objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) and _given_id(one) is not None for one in value)


def _given_id(entry: dict[str, Any]) -> Any:
    fields = plain_keys(entry)
    return next((fields[name] for name in _IDS if name in fields), None)


def _known_id(given: Any, skill_ids: Mapping[str, str], faults: list[str]) -> str | None:
    if isinstance(given, str):
        if given in skill_ids:
            return given
        variant = re.sub(r"[\s_\-\[\]()#\"'`]+", "", unicodedata.normalize("NFKC", given)).lower()
        if variant in skill_ids:
            return variant
    faults.append(f"there is no candidate {_shown(given)}")
    return None


def _judgement(skill_id: str, fields: dict[str, Any], faults: list[str], *, final: bool) -> Judgement | None:
    nested: dict[str, Any] = next((fields[name] for name in _NESTED if isinstance(fields.get(name), dict)), {})
    given = {**fields, **plain_keys(nested)}
    points: dict[Dimension, float] = {}
    for part, most in RUBRIC.items():
        value = next((given[name] for name in _PARTS[part] if name in given), None)
        try:
            points[part] = read_points(value, most)
        except ValueError as fault:
            faults.append(f'"{part}" {fault}')
    veto = _veto(fields, faults)
    if faults:
        return None
    total = next((fields[name] for name in _TOTALS if name in fields and not isinstance(fields[name], dict)), None)
    if total is not None and not final and not _agrees(total, sum(points.values()), vetoed=veto is not None):
        faults.append(f"the total {_shown(total)} is not the sum of its parts, {sum(points.values()):g}")
        return None
    return Judgement(skill_id=skill_id, points=points, reason=_words(fields, "reason", "why", "rationale"), veto=veto)


def _agrees(total: Any, parts: float, *, vetoed: bool) -> bool:
    try:
        stated = read_points(total, 100)
    except ValueError:
        return False
    return abs(stated - parts) <= TOLERANCE or (vetoed and stated == 0)


def _veto(fields: dict[str, Any], faults: list[str]) -> str | None:
    value = fields.get("veto", fields.get("vetoed", fields.get("hardveto")))
    if value is None or value is False or value == []:
        return None
    if isinstance(value, list):
        value = "; ".join(map(str, value))
    if value is True:
        return _words(fields, "reason", "why", "rationale") or "ruled out by the model"
    if not isinstance(value, str):
        faults.append('"veto" must be null or a text')
        return None
    text = one_line(value)[:MOST_CHARACTERS]
    return None if text.rstrip(".。!").lower() in _NO_VETO else text


def _words(fields: dict[str, Any], *names: str) -> str:
    value = next((fields[name] for name in names if isinstance(fields.get(name), str)), "")
    return one_line(value)[:MOST_CHARACTERS]


def _order_faults(value: Any, judgements: Mapping[str, Judgement]) -> list[str]:
    """Compare a ranking that is stated beside the scores with them."""
    fields = plain_keys(value) if isinstance(value, dict) else {}
    for name in ("ranking", "order", "best"):
        order = [fields[name]] if isinstance(fields.get(name), str) else fields.get(name)
        if (
            not isinstance(order, list)
            or not order
            or not all(one in judgements for one in order if isinstance(one, str))
        ):
            continue
        scores = [judgements[one].score for one in order if isinstance(one, str)]
        rest = [one.score for opaque, one in judgements.items() if opaque not in order]
        if scores and (scores != sorted(scores, reverse=True) or max(rest, default=0) > scores[-1]):
            return [f'"{name}" contradicts the points']
    return []


def _shown(value: Any) -> str:
    return "missing" if value is None else repr(one_line(str(value))[:40])
