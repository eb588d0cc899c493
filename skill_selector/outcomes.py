"""Outcomes of compiled contexts: what is counted when a run worked or failed, or when a person scores its context."""

import asyncio
import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skill_selector.compiler.learning import (
    CHUNK,
    CONTEXT,
    DISLIKED,
    LIKED,
    chunk_subject,
    chunk_subjects,
    context_subject,
    weight_of,
)
from skill_selector.compiler.result import CompiledContext
from skill_selector.feedback.counts import Record
from skill_selector.feedback.exchange import record_to_dict
from skill_selector.feedback.place import open_feedback
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.errors import FeedbackError
from skill_selector.graph.settings import Settings, resolve_settings
from skill_selector.knowledge.observed import RUN, Run, read_run, run_note, with_runs
from skill_selector.knowledge.proposal import Proposal
from skill_selector.knowledge.registry import load_registry

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

SCORES = ("relevance", "completeness", "usability")
"""What a person scores, 1 to 5 (source 002). Completeness is about what is missing, so it counts for no chunk."""
LOWEST, HIGHEST = 1, 5


def record_outcome(
    context: CompiledContext | Mapping[str, Any],
    *,
    worked: bool | None = None,
    relevance: int | None = None,
    completeness: int | None = None,
    usability: int | None = None,
    note: str = "",
    chunks: Sequence[str] | None = None,
    feedback: "FeedbackStore | BaseStore | None" = None,
) -> dict[str, Any]:
    """Count what came of a compiled context, for the skill and for each chunk that it held.

    An outcome counts once. Of a person's scores, relevance and usability count for the chunks, and all three for the
    skill's contexts: 4 and 5 as good, 1 and 2 as bad, 3 as neither. The scores themselves stay on record as notes.

    Args:
        context: what was compiled, or its JSON.
        worked: whether the skill was carried out with it.
        relevance: 1 to 5, how much of it was on the subject.
        completeness: 1 to 5, whether anything was missing.
        usability: 1 to 5, whether it could be acted on.
        note: why, in words.
        chunks: ids of those that are meant; all that the context held by default.
        feedback: where it is counted: a `FeedbackStore`, a LangGraph store, or the settings' file.

    Returns:
        The skill's record and those of its chunks, with the `weight` that each has from now on.

    Raises:
        FeedbackError: nothing is judged, a score is out of range, the context holds no such chunk, or the counts cannot
            be kept.
    """
    made = context if isinstance(context, CompiledContext) else _read(context)
    scores = _checked({"relevance": relevance, "completeness": completeness, "usability": usability})
    if worked is None and not scores:
        raise FeedbackError("nothing is judged: say whether it worked, or give relevance, completeness or usability")
    if made.skill_id is None or not made.kept:
        raise FeedbackError("that context is empty, so that there is nothing to judge")
    settings = resolve_settings()
    store = open_feedback(feedback, settings.feedback_file)
    meant = _meant(made, chunks)
    whole = context_subject(made.skill_id)
    outcome = (int(worked is True), int(worked is False))
    of_chunks = _votes(scores, ("relevance", "usability"))
    good, bad = (one + other for one, other in zip(outcome, of_chunks, strict=True))
    ids = store.count(chunk_subjects(made.skill_id, meant), injected=1, good=good, bad=bad)
    good, bad = (one + other for one, other in zip(outcome, _votes(scores, SCORES), strict=True))
    run = run_note(made.parameters, [one.type for one in made.kept])
    said = None if worked is None else (RUN, float(worked), run)
    [own] = store.count([whole], injected=1, good=good, bad=bad, note=said)
    for name, value in scores.items():
        store.count([whole], note=(name, float(value), ""))
    if note:
        store.count([whole], note=("user", None if worked is None else float(worked), note))
    return _result(store, settings, own, ids)


async def arecord_outcome(context: CompiledContext | Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """As `record_outcome`, off the event loop."""
    return await asyncio.to_thread(record_outcome, context, **options)


def record_chunk(
    skill_id: str, chunk_id: str, *, good: bool, note: str = "", feedback: "FeedbackStore | BaseStore | None" = None
) -> dict[str, Any]:
    """Count that one chunk helped a skill, or that it did not.

    Raises:
        FeedbackError: an id is empty, or the counts cannot be kept.
    """
    if not skill_id.strip() or not chunk_id.strip():
        raise FeedbackError("a chunk's feedback needs the skill's id and the chunk's; `compile --json` shows both")
    settings = resolve_settings()
    store = open_feedback(feedback, settings.feedback_file)
    said = ("user", float(good), note) if note else None
    subject = chunk_subject(skill_id.strip(), chunk_id.strip())
    [found] = store.count([subject], good=int(good), bad=int(not good), note=said)
    return _shown(next(one for one in store.records(CHUNK) if one.id == found), settings)


async def arecord_chunk(skill_id: str, chunk_id: str, **options: Any) -> dict[str, Any]:
    """As `record_chunk`, off the event loop."""
    return await asyncio.to_thread(record_chunk, skill_id, chunk_id, **options)


def recorded_runs(skill_ids: Collection[str], *, feedback: "FeedbackStore | BaseStore | None" = None) -> list[Run]:
    """Return the recorded runs of definitions that worked, the oldest first.

    Raises:
        FeedbackError: the counts cannot be read.
    """
    store = open_feedback(feedback, resolve_settings().feedback_file)
    wanted = {one.id for one in store.records(CONTEXT) if not set(one.names).isdisjoint(skill_ids)}
    notes = [one for one in store.notes(CONTEXT) if one.id in wanted and one.key == RUN and one.score == 1.0]
    return [run for run in (read_run(one.comment) for one in notes) if run is not None]


def with_recorded_runs(
    proposal: Proposal,
    directory: str | os.PathLike[str],
    *,
    feedback: "FeedbackStore | BaseStore | None" = None,
) -> Proposal:
    """Return a proposal with what the recorded runs of its skill have shown.

    Args:
        proposal: of the skill in `directory`.
        directory: whose own definitions' runs count as well.
        feedback: where runs are recorded, as for `record_outcome`.

    Raises:
        DefinitionError: none that worked is on record.
        FeedbackError: the counts cannot be read.
    """
    own = load_registry(directory)
    ids = {str(proposal.values["id"]), *(one.id for one in own)}
    return with_runs(proposal, recorded_runs(ids, feedback=feedback))


async def awith_recorded_runs(proposal: Proposal, directory: str | os.PathLike[str], **options: Any) -> Proposal:
    """As `with_recorded_runs`, off the event loop."""
    return await asyncio.to_thread(with_recorded_runs, proposal, directory, **options)


def _read(value: Mapping[str, Any]) -> CompiledContext:
    try:
        return CompiledContext.from_dict(value)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise FeedbackError(f"that is no compiled context ({error}); pass what `compile --json` printed") from error


def _checked(scores: Mapping[str, int | None]) -> dict[str, int]:
    given = {name: value for name, value in scores.items() if value is not None}
    wrong = [
        f"{name} is {value!r}"
        for name, value in given.items()
        if isinstance(value, bool) or not isinstance(value, int) or not LOWEST <= value <= HIGHEST
    ]
    if wrong:
        raise FeedbackError(f"{', '.join(wrong)}; a score is a whole number from {LOWEST} to {HIGHEST}")
    return given


def _votes(scores: Mapping[str, int], names: Sequence[str]) -> tuple[int, int]:
    given = [scores[name] for name in names if name in scores]
    return sum(one >= LIKED for one in given), sum(one <= DISLIKED for one in given)


def _meant(context: CompiledContext, chunks: Sequence[str] | None) -> list[Any]:
    if chunks is None:
        return list(context.kept)
    kept = {one.chunk_id: one for one in context.kept}
    unknown = [one for one in chunks if one not in kept]
    if unknown:
        raise FeedbackError(f"the context does not hold {', '.join(unknown[:5])}; it holds {', '.join([*kept][:20])}")
    return [kept[one] for one in chunks]


def _result(store: FeedbackStore, settings: Settings, own: str, ids: Sequence[str]) -> dict[str, Any]:
    wanted = frozenset(ids)
    whole = next(one for one in store.records(CONTEXT) if one.id == own)
    return {
        "context": record_to_dict(whole),
        "chunks": [_shown(one, settings) for one in store.records(CHUNK) if one.id in wanted],
    }


def _shown(record: Record, settings: Settings) -> dict[str, Any]:
    weight = weight_of(record.counts, settings.feedback_prior, settings.feedback_shift)
    return {**record_to_dict(record), "weight": round(weight, 4)}
