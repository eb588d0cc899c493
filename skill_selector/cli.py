"""The `skill-selector` command: arguments in, exit status out."""

import argparse
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TypeAlias

from skill_selector.graph.errors import SkillSelectorError
from skill_selector.interruption import STOPPED, stops_soon

ERROR = 2
"""Exit status, besides those that the commands return and that of Ctrl-C."""

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_EPILOG = "exit status: 0 for a hit, 1 for no hit, 2 for an error. Results go to stdout, everything else to stderr."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; a user's mistake ends in one line on stderr."""
    if sys.stdout is None:
        return _fail("standard output is closed, so that there is nowhere to print the result; open it, or use a file")
    for stream in (sys.stdout, sys.stderr):
        # a terminal or file that cannot hold every character shall not stop the run
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    try:
        with stops_soon():
            return _run(options)
    except SkillSelectorError as error:
        return _fail(str(error))
    except BrokenPipeError:
        # whoever read our notes has seen enough; the commands see to the results themselves
        _silence()
        return ERROR
    except OSError as error:
        return _fail(_describe(error))
    except KeyboardInterrupt:
        return _fail("stopped", STOPPED)


def _fail(message: str, status: int = ERROR) -> int:
    """Say what was wrong in one line, whatever characters stand in it, and return the exit status."""
    from skill_selector.prompts.fencing import one_line  # noqa: PLC0415 - only errors need it

    print(f"skill-selector: {one_line(message)}", file=sys.stderr)  # noqa: T201 - the command's own error line
    return status


def _describe(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename is not None:
        return f"{error.filename}: {reason}; check that it is there and may be used"
    if isinstance(error, FileNotFoundError):
        # the lookup of the working folder is the one that names no file
        return "the working folder has been deleted; change to another one"
    _silence()
    return f"the output cannot be written ({reason}); make room, or send it elsewhere"


def _silence() -> None:
    from skill_selector.console import silence  # noqa: PLC0415 - heavy, and most runs end well

    silence()


def _run(options: argparse.Namespace) -> int:
    if options.command in {"define", "knowledge"}:
        from skill_selector import knowledge_commands  # noqa: PLC0415 - `--help` does without the heavy parts

        return knowledge_commands.run(options)
    if options.command == "compile":
        from skill_selector import compile_command  # noqa: PLC0415 - the same

        return compile_command.run(options)
    from skill_selector import commands  # noqa: PLC0415 - the same

    run = {
        "select": commands.select,
        "scan": commands.scan,
        "index": commands.index,
        "catalog": commands.catalog,
        "evaluate": commands.evaluate,
    }
    return run[options.command](options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="skill-selector",
        description="Choose the agent skill that fits a task, or say that none does or that several do, and why.",
        epilog=_EPILOG,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_select(commands)
    _add_scan(commands)
    _add_index(commands)
    _add_catalog(commands)
    _add_evaluate(commands)
    _add_define(commands)
    _add_knowledge(commands)
    _add_compile(commands)
    return parser


def _add_select(commands: Commands) -> None:
    command = commands.add_parser("select", help="choose the skill for a task", epilog=_EPILOG)
    command.add_argument("task", metavar="TASK", help="what somebody wants done, in words; - reads standard input")
    _add_skills(command)
    _add_choice(command)
    command.add_argument("--explain", action="store_true", help="show routes, rounds and steps as well")
    command.add_argument("--ask", action="store_true", help="let me choose when several skills fit equally")
    _add_json(command)


def _add_scan(commands: Commands) -> None:
    command = commands.add_parser("scan", help="list the skills of folders, and everything that is wrong with them")
    command.add_argument("directories", metavar="DIR", nargs="+", help="a folder of skills")
    command.add_argument("--strict", action="store_true", help="exit with 1 when anything was wrong")
    _add_json(command)


def _add_index(commands: Commands) -> None:
    command = commands.add_parser(
        "index",
        help="make what selections over folders need: index and vectors",
        epilog="Vectors are made once for each text. Stop it at any time: what is finished is kept.",
    )
    command.add_argument("directories", metavar="DIR", nargs="+", help="a folder of skills, lowest precedence first")
    command.add_argument("--strategy", metavar="NAME", help="the way to choose (react)")
    _add_json(command)


def _add_catalog(commands: Commands) -> None:
    command = commands.add_parser("catalog", help="print the <available_skills> block for a prompt")
    _add_skills(command)
    command.add_argument("--task", metavar="TASK", help="only the skills that come into question for this task")
    _add_choice(command)
    _add_json(command)


def _add_evaluate(commands: Commands) -> None:
    command = commands.add_parser(
        "evaluate",
        help="measure how well labelled tasks find their skills",
        epilog='A task is a line of JSON: {"id", "lang", "kind": "match" | "none" | "ambiguous", "task", "gold"}; gold '
        "is a list of lists of skill ids, those of an inner list being copies of each other. Exit status: 0, or 2 for "
        "an error.",
    )
    _add_skills(command)
    command.add_argument("--queries", metavar="FILE", required=True, help="the labelled tasks")
    command.add_argument("--predictions", metavar="OUT", help="write what each task came to into this file")
    command.add_argument(
        "--report", metavar="DIR", help="write a page with plots and the worst misses into this folder"
    )
    command.add_argument("--processes", metavar="N", help="share the tasks of the local reasoner (cores)")
    command.add_argument("--concurrency", metavar="N", help="how many tasks at once with a model (4)")
    _add_choice(command)
    _add_json(command)


def _add_define(commands: Commands) -> None:
    command = commands.add_parser(
        "define",
        help="propose the definition of a skill: id, schemas, category",
        epilog="The proposal is YAML with comments that say what was guessed from where: check it, then keep it as "
        "skill.yaml beside the SKILL.md.",
    )
    command.add_argument("directory", metavar="SKILL_DIR", help="the folder of one skill")
    command.add_argument("--out", metavar="FILE", help="write it into this file, which must not exist yet")
    _add_model(command)
    _add_json(command)


def _add_knowledge(commands: Commands) -> None:
    command = commands.add_parser("knowledge", help="index a folder of knowledge, or look into it")
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    index = actions.add_parser(
        "index",
        help="read, cut, embed and tag a folder",
        epilog="Only what changed is done again. Stop it at any time: what is finished is kept.",
    )
    show = actions.add_parser("show", help="list the chunks of a folder, or search them")
    for one in (index, show):
        one.add_argument("directory", metavar="DIR", help="the knowledge folder")
        one.add_argument(
            "--skills", metavar="DIR", action="append", help="a folder of skills whose definitions tag the chunks"
        )
        _add_json(one)
    _add_model(index)
    index.add_argument("--strict", action="store_true", help="exit with 1 when anything was wrong")
    show.add_argument("--type", metavar="TYPE", action="append", help="only chunks of this type; may be repeated")
    show.add_argument("--query", metavar="TEXT", help="search by meaning and words")
    show.add_argument("--name", metavar="NAME", action="append", help="search by a table, function, setting …")
    show.add_argument("--code", metavar="CODE", action="append", help="search by an error code")
    show.add_argument("--tag", metavar="SKILL_ID", help="search by a skill's tag; needs --skills")
    show.add_argument("--limit", metavar="N", type=int, default=20, help="how many chunks (20)")


def _add_compile(commands: Commands) -> None:
    command = commands.add_parser(
        "compile",
        help="compile the context that a skill needs from a folder of knowledge",
        epilog="Prints the prompt; --json prints the manifest of every piece kept or dropped as well. Exit status: 0, "
        "1 when there is no skill or nothing was found, 2 for an error.",
    )
    _add_skills(command)
    command.add_argument("--knowledge", metavar="DIR", required=True, help="the knowledge folder")
    command.add_argument("--skill", metavar="ID", help="of a definition or a skill; without it one is selected first")
    command.add_argument("--params", metavar="JSON", help="the skill's parameters as a JSON object, or @FILE")
    command.add_argument("--task", metavar="TEXT", help="what somebody wants done, in words")
    command.add_argument("--budget", metavar="N", help="tokens of the whole prompt (2000)")
    command.add_argument("--preference", metavar="NAME", help="how you like examples: terse or commented")
    _add_choice(command)
    _add_json(command)


def _add_model(command: argparse.ArgumentParser) -> None:
    way = command.add_mutually_exclusive_group()
    way.add_argument("--model", action="store_true", help="use the chat model; an error where there is no key")
    way.add_argument("--offline", action="store_true", help="do without model and network")


def _add_skills(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--skills",
        metavar="DIR",
        action="append",
        required=True,
        help="a folder of skills; may be repeated, lowest precedence first",
    )


def _add_choice(command: argparse.ArgumentParser) -> None:
    command.add_argument("--offline", action="store_true", help="reason locally, without key and network")
    command.add_argument("--top-k", metavar="N", help="how many candidates are ranked (5)")
    command.add_argument("--strategy", metavar="NAME", help="the way to choose (react)")


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
