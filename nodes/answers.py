"""What a reasoner answered, checked: it may be code of the caller's own."""

from collections.abc import Iterable
from typing import Any

from skill_selector.graph.errors import ReasonerError
from skill_selector.graph.records import Degradation
from skill_selector.reasoners.base import AnalysisReply, Judgement, RankReply

_TEXTS = ("intent", "when_to_use")
_LISTS = ("keywords", "constraints", "tech_stack")


def check_analysis(reply: object, name: str) -> None:
    """Accept an answer to Reason #1.

    Raises:
        ReasonerError: it cannot be used; the message names the reasoner and what it must return.
    """
    if not isinstance(reply, AnalysisReply):
        raise _wrong(name, "analyze", reply, "an AnalysisReply")
    analysis: Any = reply.analysis
    if not isinstance(analysis, dict):
        raise _wrong(name, "analyze", analysis, "an AnalysisReply whose analysis is a dict")
    faults = [field for field in _TEXTS if not isinstance(analysis.get(field), str)]
    faults += [field for field in _LISTS if not _is_list_of_text(analysis.get(field))]
    if faults:
        expected = f"text in {', '.join(_TEXTS)} and lists of text in {', '.join(_LISTS)}"
        raise ReasonerError(
            f"the reasoner {name}: {', '.join(faults)} of its analysis cannot be used; expected {expected}"
        )


def check_ranking(reply: object, name: str) -> None:
    """Accept an answer to Reason #2.

    Raises:
        ReasonerError: it cannot be used; the message names the reasoner and what it must return.
    """
    if not isinstance(reply, RankReply):
        raise _wrong(name, "rank", reply, "a RankReply")
    judgements: Any = reply.judgements
    if not isinstance(judgements, tuple | list):
        raise _wrong(name, "rank", judgements, "a RankReply with a tuple of judgements")
    for one in judgements:
        if not isinstance(one, Judgement):
            raise _wrong(name, "rank", one, "a RankReply with a Judgement for each candidate")


def numbered(degraded: Iterable[Degradation], attempt: int) -> list[Degradation]:
    """Return the entries of one reply; those of a reasoner that does not count rounds get theirs."""
    return [{**one, "round": attempt} for one in degraded]


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _wrong(name: str, step: str, given: object, expected: str) -> ReasonerError:
    return ReasonerError(f"the reasoner {name}: `{step}` returned {type(given).__name__}; it must return {expected}")
