"""Counts as JSON, to be carried from one place to another."""

import json
import math
from collections.abc import Mapping
from typing import Any

from skill_selector.feedback.counts import Counts, Record
from skill_selector.feedback.store import FeedbackStore, Merge, now
from skill_selector.graph.errors import FeedbackError

FORMAT = "skill-selector feedback"
VERSION = 1
"""Of the JSON; one with a later number is read as far as it is known, and keeps its other fields."""

_COUNTS = ("injected", "good", "bad")
_OWN = ("kind", "id", "label", "names", *_COUNTS, "first_at", "last_at")


def export_feedback(store: FeedbackStore) -> dict[str, Any]:
    """Return everything that a store has counted, and what was said, as a JSON object."""
    notes = [
        {"kind": one.kind, "id": one.id, "at": one.at, "key": one.key, "score": one.score, "comment": one.comment}
        for one in store.notes()
    ]
    records = [record_to_dict(one) for one in store.records()]
    return {"format": FORMAT, "version": VERSION, "exported_at": now(), "records": records, "notes": notes}


def import_feedback(store: FeedbackStore, text: str, merge: Merge = "replace") -> int:
    """Keep the records of an export, and return how many there were. Notes stay where they were made.

    Args:
        store: where they go; what it has under other ids stays.
        text: the export's JSON.
        merge: `replace` makes a second import change nothing; `add` adds counts from another machine.

    Raises:
        FeedbackError: the text is no export; nothing was kept then.
    """
    try:
        given = json.loads(text)
    except ValueError as error:
        raise FeedbackError(f"the export is no JSON ({error}); pass what `feedback --export` wrote") from error
    if not isinstance(given, dict) or given.get("format") != FORMAT or not isinstance(given.get("records"), list):
        raise FeedbackError(f"the JSON is no export: its format is not {FORMAT!r}; pass what `feedback --export` wrote")
    records = [record_from(one, f"record {number}") for number, one in enumerate(given["records"], 1)]
    return store.put(records, merge)


def record_to_dict(record: Record) -> dict[str, Any]:
    """Return a record as JSON, with the fields that a later version put beside those of ours."""
    counts = {name: getattr(record.counts, name) for name in _COUNTS}
    own = {"kind": record.kind, "id": record.id, "label": record.label, "names": list(record.names), **counts}
    return {**record.more, **own, "first_at": record.first_at, "last_at": record.last_at}


def record_from(value: object, where: str) -> Record:
    """Return the record that a JSON object holds.

    Raises:
        FeedbackError: it is none; the message names every fault, and where the object stands.
    """
    if not isinstance(value, Mapping):
        raise FeedbackError(f"{where} is no JSON object")
    faults = [name for name in ("kind", "id") if not isinstance(value.get(name), str) or not value[name]]
    faults += [name for name in _COUNTS if not _is_count(value.get(name, 0))]
    names, label = value.get("names", []), value.get("label", "")
    if not isinstance(names, list) or not all(isinstance(one, str) and one for one in names):
        faults.append("names")
    faults += [] if isinstance(label, str) else ["label"]
    faults += [name for name in ("first_at", "last_at") if not isinstance(value.get(name), str | None)]
    if faults:
        raise FeedbackError(f"{where}: {', '.join(faults)} cannot be used; counts are whole numbers of 0 or more")
    return Record(
        kind=value["kind"],
        id=value["id"],
        label=label,
        names=tuple(names),
        counts=Counts(**{name: int(value.get(name, 0)) for name in _COUNTS}),
        first_at=value.get("first_at"),
        last_at=value.get("last_at"),
        more={name: one for name, one in value.items() if name not in _OWN},
    )


def _is_count(value: object) -> bool:
    whole = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value) and value == int(value))
    return whole and not isinstance(value, bool) and 0 <= int(value) < 2**63  # type: ignore[call-overload]
