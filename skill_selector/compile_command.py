"""What `compile` does, between its arguments and its exit status."""

import argparse
import json
from pathlib import Path
from typing import Any

from skill_selector import commands, console
from skill_selector.compiler.result import CompiledContext
from skill_selector.compiling import compile_context
from skill_selector.graph.errors import ParameterError, TaskError
from skill_selector.graph.settings import run_context
from skill_selector.progress import Progress
from skill_selector.selection import SkillSelection

COMPILED, EMPTY = 0, 1
"""Exit statuses."""
MOST_BYTES = 4 * 1024 * 1024
"""Of a file of parameters."""


def compile(options: argparse.Namespace) -> int:
    """Compile context, after a selection where no skill is named; 1 when there is none or nothing was found."""
    parameters = read_parameters(options.params)
    skill: str | SkillSelection | None = options.skill
    if skill is None:
        if not (options.task or "").strip():
            raise TaskError("without --skill a skill is selected first, which needs a task; add --task or --skill")
        skill = commands.select_for(options.task, options)
        console.note(skill.best["id"] if skill.best else f"no skill was chosen: {skill.reason}")
    made = _compile(skill, parameters, options)
    with console.printing():
        if options.json:
            console.out_json(made.to_dict())
        elif made.prompt:
            console.out(made.prompt)
    if not options.json:
        _describe(made)
    return EMPTY if made.empty else COMPILED


def _compile(skill: str | SkillSelection, parameters: dict[str, Any], options: argparse.Namespace) -> CompiledContext:
    settled = run_context({}, offline=options.offline)
    with Progress() as progress:
        return compile_context(
            skill,
            parameters,
            knowledge=options.knowledge,
            skills=options.skills,
            task=options.task or "",
            embeddings=settled.embeddings,
            progress=progress.report,
            context_budget=options.budget,
            preference=options.preference,
        )


def read_parameters(given: str | None) -> dict[str, Any]:
    """Return the parameters of `--params`: JSON, or `@` and the file that holds it.

    Raises:
        ParameterError: it is no JSON object, or the file cannot be used.
    """
    if given is None:
        return {}
    name = "--params"
    if given.startswith("@"):
        name, given = f"--params {given}", _content(given[1:])
    try:
        value = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise ParameterError(f'{name} is no JSON ({error}); write an object such as \'{{"name": "value"}}\'') from None
    if not isinstance(value, dict):
        raise ParameterError(f"{name} is {type(value).__name__}; it must be an object with a value for each name")
    return value


def _content(path: str) -> str:
    file = Path(path)
    try:
        if file.stat().st_size > MOST_BYTES:
            raise ParameterError(f"{path} is longer than {MOST_BYTES:,} bytes; that is no file of parameters")
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ParameterError(f"{path} cannot be read ({error.strerror or error}); check the path after @") from error
    except UnicodeDecodeError:
        raise ParameterError(f"{path} is not UTF-8; save it as UTF-8") from None


def _describe(made: CompiledContext) -> None:
    if made.message:
        console.note(made.message)
    if made.skill_id:
        counts: dict[str, int] = {}
        for one in made.dropped:
            counts[one.reason] = counts.get(one.reason, 0) + 1
        dropped = ", ".join(f"{count:,} {reason}" for reason, count in counts.items()) or "none"
        console.note(f"{len(made.kept)} pieces, {made.tokens:,} of {made.budget:,} tokens; left out: {dropped}")
    for conflict in made.conflicts:
        by = f"by {conflict.resolved_by}" if conflict.resolved_by != "unresolved" else "unresolved"
        console.note(f"conflict on {conflict.subject}: {conflict.chosen_source} against {conflict.other_source}, {by}")
    for fall in made.degraded:
        console.note(f"{fall['step']}: {fall['what']}: {fall['why']}; instead: {fall['instead']}")
