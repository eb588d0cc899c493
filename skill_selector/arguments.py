"""Arguments of the commands that choose, and what several commands take."""

import argparse
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

EPILOG = "exit status: 0 for a hit, 1 for no hit, 2 for an error. Results go to stdout, everything else to stderr."

STRATEGIES = "the way to choose: react, source, detect, template, embedding, or one of your own (react)"


def add_select(commands: Commands) -> None:
    """Add `select`."""
    command = commands.add_parser("select", help="choose the skill for a task", epilog=EPILOG)
    command.add_argument("task", metavar="TASK", help="what somebody wants done, in words; - reads standard input")
    add_skills(command)
    add_choice(command)
    add_project(command)
    command.add_argument("--explain", action="store_true", help="show routes, rounds and steps as well")
    command.add_argument("--ask", action="store_true", help="let me choose when several skills fit equally")
    add_json(command)


def add_scan(commands: Commands) -> None:
    """Add `scan`."""
    command = commands.add_parser("scan", help="list the skills of folders, and everything that is wrong with them")
    command.add_argument("directories", metavar="DIR", nargs="+", help="a folder of skills")
    command.add_argument("--strict", action="store_true", help="exit with 1 when anything was wrong")
    add_json(command)


def add_index(commands: Commands) -> None:
    """Add `index`."""
    command = commands.add_parser(
        "index",
        help="make what selections over folders need: index and vectors",
        epilog="Vectors are made once for each text. Stop it at any time: what is finished is kept.",
    )
    command.add_argument("directories", metavar="DIR", nargs="+", help="a folder of skills, lowest precedence first")
    command.add_argument("--strategy", metavar="NAME", help=STRATEGIES)
    add_json(command)


def add_catalog(commands: Commands) -> None:
    """Add `catalog`."""
    command = commands.add_parser(
        "catalog",
        help="print the <available_skills> block, or whole skills, for a prompt",
        epilog="Exit status: 0, 1 when there is nothing to print, 2 for an error. Figures go to stderr.",
    )
    add_skills(command)
    command.add_argument("--task", metavar="TASK", help="only what the strategy chooses for this task")
    command.add_argument("--form", metavar="FORM", default="auto", help="auto, full, compact, or skill: whole skills")
    command.add_argument("--budget", metavar="N", help="the most tokens, estimated (8000; 24000 for whole skills)")
    command.add_argument("--location", metavar="WHAT", default="path", help="path, or id for models with load_skill")
    add_choice(command)
    add_json(command)


def add_feedback(commands: Commands) -> None:
    """Add `feedback`."""
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
    command.add_argument("--chunk", metavar="ID", help="judge this piece of context; SKILL is its definition's id then")
    command.add_argument("--context", metavar="FILE", help="judge what `compile --json` printed; - reads input")
    for name in ("relevance", "completeness", "usability"):
        command.add_argument(f"--{name}", metavar="1-5", type=int, help="of the --context")
    command.add_argument("--skills", metavar="DIR", action="append", help="a folder that the skill lies in")
    command.add_argument("--export", action="store_true", help="print everything that was counted as JSON")
    command.add_argument("--import", dest="imported", metavar="FILE", help="take counts from an export; - reads input")
    command.add_argument("--add", action="store_true", help="add the imported counts instead of replacing")
    add_json(command)


def add_skills(command: argparse.ArgumentParser) -> None:
    """Add the folders of skills."""
    command.add_argument(
        "--skills",
        metavar="DIR",
        action="append",
        required=True,
        help="a folder of skills; may be repeated, lowest precedence first",
    )


def add_choice(command: argparse.ArgumentParser) -> None:
    """Add how to choose."""
    command.add_argument("--offline", action="store_true", help="reason locally, without key and network")
    command.add_argument("--top-k", metavar="N", help="how many candidates are ranked (5)")
    command.add_argument("--strategy", metavar="NAME", help=STRATEGIES)
    command.add_argument("--calibration", metavar="FILE", help="what `calibrate --out` wrote, for the local reasoner")


def add_project(command: argparse.ArgumentParser) -> None:
    """Add the project whose files count."""
    command.add_argument(
        "--project", metavar="DIR", help="whose files show which skills are at home there (the working folder)"
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """Add the switch for JSON."""
    command.add_argument("--json", action="store_true", help="print the whole result as JSON")


def add_model(command: argparse.ArgumentParser) -> None:
    """Add whether a model helps."""
    way = command.add_mutually_exclusive_group()
    way.add_argument("--model", action="store_true", help="use the chat model; an error where there is no key")
    way.add_argument("--offline", action="store_true", help="do without model and network")
