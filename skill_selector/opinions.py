"""Feedback on skills from scripts, notebooks and the command line: who is meant, and what is counted."""

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from skill_selector.catalog.cache import open_cache
from skill_selector.catalog.lookup import find, near
from skill_selector.catalog.scanner import scan
from skill_selector.catalog.skill import Skill
from skill_selector.catalog.snapshot import Snapshots
from skill_selector.feedback.counts import NO_COUNTS, Subject
from skill_selector.feedback.exchange import record_to_dict
from skill_selector.feedback.place import open_feedback
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.errors import FeedbackError
from skill_selector.graph.settings import resolve_settings
from skill_selector.retrievers.effectiveness import KIND, skill_subject

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

Directories = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def record_feedback(
    skill: Skill | str,
    *,
    good: bool,
    directories: Directories | None = None,
    note: str = "",
    key: str = "user",
    feedback: "FeedbackStore | BaseStore | None" = None,
) -> dict[str, Any]:
    """Count that a skill helped, or that it did not.

    Args:
        skill: the skill, or its id or name.
        good: whether it helped.
        directories: the folders that it lies in; without them an id or name is looked for among what was counted.
        note: why, in words.
        key: what was judged.
        feedback: where it is counted: a `FeedbackStore`, a LangGraph store, or the settings' file.

    Returns:
        The skill's record: `label`, `injected`, `good`, `bad`, `effectiveness` under the settings' prior, and more.

    Raises:
        FeedbackError: there is no such skill, or several; or the counts cannot be kept.
        SkillDirectoryError: a folder cannot be read.
    """
    store = open_feedback(feedback, resolve_settings().feedback_file)
    subject = skill_subject(skill) if isinstance(skill, Skill) else _find(skill, directories, store)
    said = (key, 1.0 if good else 0.0, note) if note else None
    [found] = store.count([subject], good=int(good), bad=int(not good), note=said)
    return next(one for one in list_feedback(feedback=store) if one["id"] == found)


async def arecord_feedback(skill: Skill | str, **options: Any) -> dict[str, Any]:
    """As `record_feedback`, off the event loop."""
    return await asyncio.to_thread(record_feedback, skill, **options)


def list_feedback(*, feedback: "FeedbackStore | BaseStore | None" = None) -> list[dict[str, Any]]:
    """Return what was counted of each skill, with its `effectiveness`, which is null where nothing is known.

    Raises:
        FeedbackError: the counts cannot be read.
    """
    settings = resolve_settings()
    records = open_feedback(feedback, settings.feedback_file).records(KIND)
    return [
        {
            **record_to_dict(one),
            "effectiveness": (
                None if one.counts == NO_COUNTS else round(one.counts.effectiveness(settings.feedback_prior), 4)
            ),
            "prior": settings.feedback_prior,
        }
        for one in records
    ]


def _find(wanted: str, directories: Directories | None, store: FeedbackStore) -> Subject:
    if directories is None:
        return _find_counted(wanted, store)
    catalog = scan(directories, snapshots=Snapshots(open_cache(resolve_settings().cache_dir)))
    skills = find(catalog, wanted)
    if len(skills) == 1:
        return skill_subject(skills[0])
    if skills:
        raise FeedbackError(f"{wanted!r} is several skills: {', '.join(one.id for one in skills)}; give the id of one")
    close = near(catalog, wanted)
    hint = f"did you mean {', '.join(close)}?" if close else "see: skill-selector scan"
    raise FeedbackError(f"there is no skill {wanted!r} in {', '.join(catalog.roots)}; {hint}")


def _find_counted(wanted: str, store: FeedbackStore) -> Subject:
    plain = wanted.strip().casefold()
    found = [one for one in store.records(KIND) if plain in (one.id, one.label.casefold()) and one.names]
    if len(found) != 1:
        what = "is several skills" if found else "is no skill that anything was counted of yet"
        raise FeedbackError(f"{wanted!r} {what}; say where it lies: --skills DIR")
    return Subject(kind=KIND, names=found[0].names, label=found[0].label)
