"""What `skill-selector feedback` does."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from skill_selector import console
from skill_selector.feedback.exchange import export_feedback, import_feedback
from skill_selector.feedback.place import open_feedback
from skill_selector.graph.errors import FeedbackError, SettingError
from skill_selector.graph.settings import resolve_settings
from skill_selector.opinions import list_feedback, record_feedback
from skill_selector.outcomes import SCORES, record_chunk, record_outcome

DONE = 0
"""Exit status."""


def feedback(options: argparse.Namespace) -> int:
    """Count a judgement, or list, export or import what was counted."""
    _check(options)
    if options.context is not None or options.chunk is not None:
        return outcome_of(options)
    if options.skill is not None:
        made = record_feedback(options.skill, good=options.good, directories=options.skills, note=options.note or "")
        _show([made], made, as_json=options.json)
        return DONE
    store = open_feedback(None, resolve_settings().feedback_file)
    if options.imported:
        number = import_feedback(store, _read(options.imported), "add" if options.add else "replace")
        console.note(f"{number:,} records imported")
        return DONE
    if options.export:
        with console.printing():
            console.out_json(export_feedback(store))
        return DONE
    listed = list_feedback(feedback=store)
    _show(listed, {"records": listed}, as_json=options.json)
    if not listed and not options.json:
        console.note("nothing was counted yet")
    return DONE


def outcome_of(options: argparse.Namespace) -> int:
    """Count what came of a context, or of one piece of it."""
    note = options.note or ""
    if options.context is None:
        made = {"chunks": [record_chunk(options.skill, options.chunk, good=options.good, note=note)]}
    else:
        try:
            context = json.loads(_read(options.context))
        except (ValueError, RecursionError) as error:
            raise FeedbackError(f"{options.context} is no JSON ({error}); pass what `compile --json` printed") from None
        if not isinstance(context, dict):
            raise FeedbackError(f"{options.context} holds no JSON object; pass what `compile --json` printed")
        chunks = None if options.chunk is None else [options.chunk]
        scores = {name: getattr(options, name) for name in SCORES}
        made = record_outcome(context, worked=options.good, note=note, chunks=chunks, **scores)
    with console.printing():
        if options.json:
            console.out_json(made)
            return DONE
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name in ("chunk", "good", "bad", "weight"):
            table.add_column(name, justify="left" if name == "chunk" else "right", overflow="fold")
        for one in made["chunks"]:
            cells = (one["label"] or one["names"][0], str(one["good"]), str(one["bad"]), f"{one['weight']:.2f}")
            table.add_row(*(Text(console.plain(cell)) for cell in cells))
        console.stdout().print(table)
    return DONE


def _check(options: argparse.Namespace) -> None:
    about_context = options.context is not None
    if about_context and (options.skill is not None or options.export or options.imported or options.skills):
        raise SettingError("--context says which skill is meant; leave out SKILL, --skills, --export and --import")
    if not about_context and any(getattr(options, name) is not None for name in SCORES):
        raise SettingError(f"--{', --'.join(SCORES)} score a context; add --context FILE")
    if about_context:
        return
    if options.chunk is not None and options.skill is None:
        raise SettingError("--chunk needs the definition's id as SKILL: feedback SKILL --chunk ID --good")
    if options.skill is None and (options.good is not None or options.note or options.skills):
        raise SettingError("--good, --bad, --note and --skills are about one skill; name it")
    if options.skill is not None and options.good is None:
        raise SettingError(f"was {options.skill} any good? add --good or --bad")
    if options.skill is not None and (options.export or options.imported):
        raise SettingError("--export and --import are about all skills; leave the skill out")
    if options.add and not options.imported:
        raise SettingError("--add says how to import; add --import FILE")


def _read(path: str) -> str:
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FeedbackError(f"{path} is no UTF-8 text; pass what `feedback --export` wrote") from error


def _show(records: list[dict[str, Any]], value: dict[str, Any], *, as_json: bool) -> None:
    with console.printing():
        if as_json:
            console.out_json(value)
            return
        if not records:
            return
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name in ("skill", "injected", "good", "bad", "effectiveness", "last"):
            table.add_column(name, justify="left" if name in ("skill", "last") else "right", overflow="fold")
        for one in records:
            share = "unknown" if one["effectiveness"] is None else f"{one['effectiveness']:.2f}"
            cells = [one["label"] or one["id"], one["injected"], one["good"], one["bad"], share, one["last_at"] or ""]
            table.add_row(*(Text(console.plain(str(cell))) for cell in cells))
        console.stdout().print(table)
    console.note(f"effectiveness with a prior of {records[0]['prior']:g} uses, half of them good")
