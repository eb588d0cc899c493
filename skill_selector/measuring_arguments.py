"""Arguments of the commands that measure."""

from skill_selector.arguments import Commands, add_choice, add_json, add_skills


def add_evaluate(commands: Commands) -> None:
    """Add `evaluate`."""
    command = commands.add_parser(
        "evaluate",
        help="measure how well labelled tasks find their skills",
        epilog='A task is a line of JSON: {"id", "lang", "kind": "match" | "none" | "ambiguous", "task", "gold"}; gold '
        "is a list of lists of skill ids, those of an inner list being copies of each other. Exit status: 0, or 2 for "
        "an error.",
    )
    add_skills(command)
    command.add_argument("--queries", metavar="FILE", required=True, help="the labelled tasks")
    command.add_argument("--predictions", metavar="OUT", help="write what each task came to into this file")
    command.add_argument(
        "--report", metavar="DIR", help="write a page with plots and the worst misses into this folder"
    )
    command.add_argument("--processes", metavar="N", help="share the tasks of the local reasoner (cores)")
    command.add_argument("--concurrency", metavar="N", help="how many tasks at once with a model (4)")
    add_choice(command)
    add_json(command)


def add_calibrate(commands: Commands) -> None:
    """Add `calibrate`."""
    command = commands.add_parser(
        "calibrate",
        help="fit threshold, gap and weights of the local score to labelled tasks",
        epilog="Tasks are as for `evaluate`, 10 at least. The figures are of tasks that were left out of the fit. Exit "
        "status: 0, or 2 for an error.",
    )
    add_skills(command)
    command.add_argument("--queries", metavar="FILE", required=True, help="the labelled tasks")
    command.add_argument("--out", metavar="FILE", help="write the calibration, for `--calibration`, into this file")
    command.add_argument("--wrong-hit", metavar="SHARE", help="the most wrong hits, as a share of tasks (0.05)")
    command.add_argument("--processes", metavar="N", help="share the tasks among so many processes (cores)")
    command.add_argument("--top-k", metavar="N", help="how many candidates are ranked (5)")
    command.add_argument("--strategy", metavar="NAME", help="the way to choose (react)")
    add_json(command)


def add_ablate(commands: Commands) -> None:
    """Add `ablate`."""
    command = commands.add_parser(
        "ablate",
        help="compare compiled context with plain retrieval and with none",
        epilog="Tasks are lines of JSON, as examples/knowledge/README.md describes. Exit status: 0, or 2 for an error.",
    )
    add_skills(command)
    command.add_argument("--knowledge", metavar="DIR", required=True, help="the knowledge folder")
    command.add_argument("--tasks", metavar="FILE", required=True, help="the tasks with the facts that they need")
    command.add_argument("--budget", metavar="N", help="tokens of each prompt (2000)")
    command.add_argument("--split", choices=("dev", "test", "all"), default="all", help="which of the tasks (all)")
    add_json(command)
