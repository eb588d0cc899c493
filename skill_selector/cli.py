"""The `skill-selector` command: arguments in, exit status out."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper

from skill_selector.agent_arguments import add_logs, add_mcp
from skill_selector.arguments import EPILOG, add_catalog, add_feedback, add_index, add_scan, add_select
from skill_selector.graph.errors import SkillSelectorError
from skill_selector.interruption import STOPPED, stops_soon
from skill_selector.knowledge_arguments import add_compile, add_define, add_knowledge
from skill_selector.measuring_arguments import add_ablate, add_calibrate, add_evaluate

ERROR = 2
"""Exit status, besides those that the commands return and that of Ctrl-C."""


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
    "define": "knowledge_commands",
    "knowledge": "knowledge_commands",
    "compile": "compile_command",
    "ablate": "ablation_command",
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
        epilog=EPILOG,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_select(commands)
    add_scan(commands)
    add_index(commands)
    add_catalog(commands)
    add_evaluate(commands)
    add_calibrate(commands)
    add_feedback(commands)
    add_logs(commands)
    add_mcp(commands)
    add_define(commands)
    add_knowledge(commands)
    add_compile(commands)
    add_ablate(commands)
    return parser
