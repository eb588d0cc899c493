"""The `skill-selector` command: arguments in, exit status out."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import TypeAlias

from skill_selector.graph.errors import SkillSelectorError
from skill_selector.interruption import STOPPED, stops_soon

ERROR = 2
"""Exit status, besides those that the commands return and that of Ctrl-C."""

_STRATEGIES = "the way to choose: react, source, detect, template, embedding, or one of your own (react)"

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_EPILOG = "exit status: 0 for a hit, 1 for no hit, 2 for an error. Results go to stdout, everything else to stderr."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; a user's mistake ends in one line on stderr."""
    if sys.stderr is None:
        # `print` would take stdout instead, and the next file that is opened the number of stderr
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
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


_HOMES = {
    "select": "commands",
    "scan": "commands",
    "index": "commands",
    "catalog": "commands",
    "evaluate": "commands",
    "calibrate": "commands",
    "feedback": "opinion_command",
    "logs": "agent_commands",
    "mcp": "agent_commands",
}
"""The module of each command's function, which is named as the command; loaded when the command runs."""


def _run(options: argparse.Namespace) -> int:
    module = import_module(f"skill_selector.{_HOMES[options.command]}")
    status: int = getattr(module, options.command)(options)
    return status


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
    _add_calibrate(commands)
    _add_feedback(commands)
    _add_logs(commands)
    _add_mcp(commands)
    return parser


def _add_select(commands: Commands) -> None:
    command = commands.add_parser("select", help="choose the skill for a task", epilog=_EPILOG)
    command.add_argument("task", metavar="TASK", help="what somebody wants done, in words; - reads standard input")
    _add_skills(command)
    _add_choice(command)
    _add_project(command)
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
    command.add_argument("--strategy", metavar="NAME", help=_STRATEGIES)
    _add_json(command)


def _add_catalog(commands: Commands) -> None:
    command = commands.add_parser(
        "catalog",
        help="print the <available_skills> block, or whole skills, for a prompt",
        epilog="Exit status: 0, 1 when there is nothing to print, 2 for an error. Figures go to stderr.",
    )
    _add_skills(command)
    command.add_argument("--task", metavar="TASK", help="only what the strategy chooses for this task")
    command.add_argument("--form", metavar="FORM", default="auto", help="auto, full, compact, or skill: whole skills")
    command.add_argument("--budget", metavar="N", help="the most tokens, estimated (8000; 24000 for whole skills)")
    command.add_argument("--location", metavar="WHAT", default="path", help="path, or id for models with load_skill")
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


def _add_calibrate(commands: Commands) -> None:
    command = commands.add_parser(
        "calibrate",
        help="fit threshold, gap and weights of the local score to labelled tasks",
        epilog="Tasks are as for `evaluate`, 10 at least. The figures are of tasks that were left out of the fit. Exit "
        "status: 0, or 2 for an error.",
    )
    _add_skills(command)
    command.add_argument("--queries", metavar="FILE", required=True, help="the labelled tasks")
    command.add_argument("--out", metavar="FILE", help="write the calibration, for `--calibration`, into this file")
    command.add_argument("--wrong-hit", metavar="SHARE", help="the most wrong hits, as a share of tasks (0.05)")
    command.add_argument("--processes", metavar="N", help="share the tasks among so many processes (cores)")
    command.add_argument("--top-k", metavar="N", help="how many candidates are ranked (5)")
    command.add_argument("--strategy", metavar="NAME", help="the way to choose (react)")
    _add_json(command)


def _add_feedback(commands: Commands) -> None:
    command = commands.add_parser(
        "feedback",
        help="say whether a skill helped, or list what was counted",
        epilog="Counts follow a skill to another folder, name or description, and through edits of its text in place. "
        "The strategies template and embedding rank by them. Exit status: 0, or 2 for an error.",
    )
    command.add_argument("skill", metavar="SKILL", nargs="?", help="its id or name; left out: list what was counted")
    said = command.add_mutually_exclusive_group()
    said.add_argument("--good", action="store_true", default=None, help="it helped")
    said.add_argument("--bad", dest="good", action="store_false", help="it did not")
    command.add_argument("--note", metavar="TEXT", help="why")
    command.add_argument("--skills", metavar="DIR", action="append", help="a folder that the skill lies in")
    command.add_argument("--export", action="store_true", help="print everything that was counted as JSON")
    command.add_argument("--import", dest="imported", metavar="FILE", help="take counts from an export; - reads input")
    command.add_argument("--add", action="store_true", help="add the imported counts instead of replacing")
    _add_json(command)


def _add_logs(commands: Commands) -> None:
    command = commands.add_parser(
        "logs",
        help="list executions of tools, the latest first",
        epilog="Secrets are masked, and long results cut, before they are kept. Exit status: 0, or 2 for an error.",
    )
    command.add_argument("--limit", metavar="N", default="100", help="how many at most (100)")
    command.add_argument("--tool", metavar="NAME", help="of this tool only")
    command.add_argument("--user", metavar="ID", help="of this user only")
    command.add_argument("--since", metavar="TIME", help="that began then or later, such as 2026-11-30T08:00:00Z")
    command.add_argument("--file", metavar="FILE", help="the log (SELECTOR_LOG_FILE, or the user's data folder)")
    _add_json(command)


def _add_mcp(commands: Commands) -> None:
    command = commands.add_parser(
        "mcp",
        help="serve select_skill, search_skills, load_skill and list_skills to MCP clients",
        epilog="Over standard input and output, until the client goes; with --http at http://HOST:PORT/mcp.",
    )
    _add_skills(command)
    _add_choice(command)
    command.add_argument("--http", action="store_true", help="serve over HTTP")
    command.add_argument("--host", metavar="HOST", default="127.0.0.1", help="where to listen (127.0.0.1)")
    command.add_argument("--port", metavar="PORT", default="8765", help="the same (8765)")


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
    command.add_argument("--strategy", metavar="NAME", help=_STRATEGIES)
    command.add_argument("--calibration", metavar="FILE", help="what `calibrate --out` wrote, for the local reasoner")


def _add_project(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--project", metavar="DIR", help="whose files show which skills are at home there (the working folder)"
    )


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")
