"""What `define` and `knowledge` do, between their arguments and their exit status."""

import argparse
import os
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from rich.table import Table
from rich.text import Text

from skill_selector import console
from skill_selector.graph.errors import DefinitionError, SettingError
from skill_selector.graph.settings import Settings, resolve_settings
from skill_selector.knowledge.chunk import CHUNK_TYPES
from skill_selector.knowledge.registry import SkillRegistry, load_registry
from skill_selector.knowledge.search import Hit, KnowledgeSearch
from skill_selector.progress import Progress

FOUND, NOTHING = 0, 1
"""Exit statuses."""


def knowledge(options: argparse.Namespace) -> int:
    """Index a knowledge folder, or show what is in it."""
    return index(options) if options.action == "index" else show(options)


def define(options: argparse.Namespace) -> int:
    """Propose a definition; 0 unless something was wrong."""
    from skill_selector.knowledge.proposal import propose_definition  # noqa: PLC0415 - one command needs it
    from skill_selector.outcomes import with_recorded_runs  # noqa: PLC0415 - the same

    if options.out and os.path.lexists(options.out):
        raise DefinitionError(f"{options.out} is there already; name another file, or remove it first")
    settings = resolve_settings()
    proposal = propose_definition(options.directory, model=_model(options, settings), settings=settings)
    if options.from_runs:
        proposal = with_recorded_runs(proposal, options.directory)
    text = proposal.to_yaml()
    if options.out:
        with Path(options.out).open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        console.note(f"written to {options.out}; check it and keep it as skill.yaml beside the SKILL.md")
    with console.printing():
        if options.json:
            shown = {"definition": dict(proposal.values), "origins": dict(proposal.origins)}
            console.out_json({**shown, "notes": list(proposal.notes), "file": options.out})
        elif not options.out:
            console.out(text.rstrip("\n"))
    return FOUND


def index(options: argparse.Namespace) -> int:
    """Index a folder; 1 with `--strict` when anything was wrong."""
    from skill_selector.knowledge.indexing import index_knowledge  # noqa: PLC0415 - one action needs it
    from skill_selector.knowledge.tagging import Tagger  # noqa: PLC0415 - the same

    settings = resolve_settings()
    registry = _registry(options)
    model = _model(options, settings) if len(registry) else None
    with Progress() as progress:
        made = index_knowledge(
            options.directory,
            registry,
            settings=settings,
            tagger=Tagger(model=model, settings=settings) if model else None,
            progress=progress.report,
        )
    made["definitions"] = [one.to_dict() for one in registry.diagnostics]
    with console.printing():
        if options.json:
            console.out_json(made)
        else:
            _show_index(made)
    return NOTHING if options.strict and (made["diagnostics"] or made["definitions"]) else FOUND


def show(options: argparse.Namespace) -> int:
    """List or search chunks; 1 when there are none."""
    from skill_selector.knowledge.library import KnowledgeLibrary  # noqa: PLC0415 - one action needs it
    from skill_selector.retrievers.embedder import choose_embedder  # noqa: PLC0415 - the same

    unknown = [one for one in options.type or () if one not in CHUNK_TYPES]
    if unknown:
        raise SettingError(f"--type {unknown[0]}: the types are {', '.join(CHUNK_TYPES)}")
    if options.limit < 1:
        raise SettingError(f"--limit {options.limit}: it must be at least 1")
    settings = resolve_settings()
    with Progress() as progress:
        search = KnowledgeLibrary(settings.cache_dir).open(
            options.directory,
            _registry(options),
            embedder=choose_embedder(settings) if options.query else None,
            progress=progress.report,
        )
        hits = _hits(search, options)
    places = {chunk.id: at for at, chunk in enumerate(search.base.chunks)}
    chunks = [
        search.base.get(hit.chunk_id).to_dict()
        | {"score": round(hit.score, 4), "tags": [tag._asdict() for tag in search.tags.of(places[hit.chunk_id])]}
        for hit in hits
    ]
    with console.printing():
        if options.json:
            found = [one.to_dict() for one in search.base.diagnostics]
            console.out_json({"root": search.base.root.shown, "chunks": chunks, "diagnostics": found})
        else:
            _show_chunks(chunks)
    if search.missing_vectors:
        console.note(
            f"{search.missing_vectors:,} chunks have no vector yet; skill-selector knowledge index {options.directory}"
        )
    return FOUND if chunks else NOTHING


def _hits(search: KnowledgeSearch, options: argparse.Namespace) -> list[Hit]:
    bounds: dict[str, Any] = {"limit": options.limit, "types": options.type}
    if options.tag:
        return search.by_tag(options.tag, query=options.query or "", **bounds)
    if options.code:
        return search.by_codes(options.code, **bounds)
    if options.name:
        return search.by_names(options.name, **bounds)
    if options.query:
        near, held = search.semantic(options.query, **bounds), search.keyword(options.query, **bounds)
        best: dict[str, float] = {}
        for hit in (*near, *held):
            best[hit.chunk_id] = max(hit.score, best.get(hit.chunk_id, 0.0))
        ordered = sorted(best.items(), key=lambda pair: -pair[1])[: options.limit]
        return [Hit(chunk_id, score) for chunk_id, score in ordered]
    wanted = [chunk for chunk in search.base.chunks if not options.type or chunk.type in options.type]
    return [Hit(chunk.id, 1.0) for chunk in wanted[: options.limit]]


def _registry(options: argparse.Namespace) -> SkillRegistry:
    return load_registry(options.skills) if options.skills else SkillRegistry()


def _model(options: argparse.Namespace, settings: Settings) -> BaseChatModel | None:
    """Return the chat model where it is wanted, or where there is a key and nobody said otherwise."""
    from skill_selector.reasoners.model import make_model  # noqa: PLC0415 - not every run asks a model

    if options.offline or (not options.model and settings.reasoner == "local"):
        return None
    if not options.model and settings.dashscope_api_key is None and settings.reasoner == "auto":
        return None
    return make_model(settings)


def _show_index(made: dict[str, Any]) -> None:
    types = ", ".join(f"{count:,} {name}" for name, count in made["types"].items())
    console.out(f"{made['chunks']:,} chunks of {made['files']:,} files, {made['read']:,} of them read now")
    if types:
        console.out(types)
    if made["skills"]:
        console.out(f"{made['tagged']:,} chunks help with {len(made['skills'])} skills: {', '.join(made['skills'])}")
    said = made["model"]
    if said:
        open_again = said["failed"] + said["not_asked"]
        console.note(f"the model tagged {said['tagged']:,} chunks; rules stand in for {open_again:,}, run it again")
        for why, count in said["reasons"].items():
            console.note(f"{count:,} chunks: {why}")
    for one in (*made["diagnostics"], *made["definitions"]):
        console.note(f"{one['path']}: {one['severity']}: {one['message']}; {one['fix']}")
    console.note(f"vectors: {made['embedder'] or 'none'}; kept in {made['folder']}")


def _show_chunks(chunks: list[dict[str, Any]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("score", "source", "type", "title", "date", "tags"):
        table.add_column(column, overflow="fold")
    for one in chunks:
        tags = ", ".join(f"{tag['skill_id']} {tag['confidence']:.2f}" for tag in one["tags"])
        cells = (f"{one['score']:.2f}", one["source"], one["type"], one["title"], one["date"] or "", tags)
        table.add_row(*(Text(console.plain(cell)) for cell in cells))
    if chunks:
        console.stdout().print(table)
