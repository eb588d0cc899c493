"""Arguments of the commands for what a chosen skill needs to know."""

from skill_selector.arguments import Commands, add_choice, add_json, add_model, add_skills


def add_define(commands: Commands) -> None:
    """Add `define`."""
    command = commands.add_parser(
        "define",
        help="propose the definition of a skill: id, schemas, category",
        epilog="The proposal is YAML with comments that say what was guessed from where: check it, then keep it as "
        "skill.yaml beside the SKILL.md.",
    )
    command.add_argument("directory", metavar="SKILL_DIR", help="the folder of one skill")
    command.add_argument("--out", metavar="FILE", help="write it into this file, which must not exist yet")
    command.add_argument(
        "--from-runs", action="store_true", help="take parameters and context types from recorded runs that worked"
    )
    add_model(command)
    add_json(command)


def add_knowledge(commands: Commands) -> None:
    """Add `knowledge`."""
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
        add_json(one)
    add_model(index)
    index.add_argument("--strict", action="store_true", help="exit with 1 when anything was wrong")
    show.add_argument("--type", metavar="TYPE", action="append", help="only chunks of this type; may be repeated")
    show.add_argument("--query", metavar="TEXT", help="search by meaning and words")
    show.add_argument("--name", metavar="NAME", action="append", help="search by a table, function, setting …")
    show.add_argument("--code", metavar="CODE", action="append", help="search by an error code")
    show.add_argument("--tag", metavar="SKILL_ID", help="search by a skill's tag; needs --skills")
    show.add_argument("--limit", metavar="N", type=int, default=20, help="how many chunks (20)")


def add_compile(commands: Commands) -> None:
    """Add `compile`."""
    command = commands.add_parser(
        "compile",
        help="compile the context that a skill needs from a folder of knowledge",
        epilog="Prints the prompt; --json prints the manifest of every piece kept or dropped as well. Exit status: 0, "
        "1 when there is no skill or nothing was found, 2 for an error.",
    )
    add_skills(command)
    command.add_argument("--knowledge", metavar="DIR", required=True, help="the knowledge folder")
    command.add_argument("--skill", metavar="ID", help="of a definition or a skill; without it one is selected first")
    command.add_argument("--params", metavar="JSON", help="the skill's parameters as a JSON object, or @FILE")
    command.add_argument("--task", metavar="TEXT", help="what somebody wants done, in words")
    command.add_argument("--budget", metavar="N", help="tokens of the whole prompt (2000)")
    command.add_argument("--preference", metavar="NAME", help="how you like examples: terse or commented")
    add_choice(command)
    add_json(command)
