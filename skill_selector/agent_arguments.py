"""Arguments of the commands for agents."""

from skill_selector.arguments import Commands, add_choice, add_json, add_skills


def add_logs(commands: Commands) -> None:
    """Add `logs`."""
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
    add_json(command)


def add_mcp(commands: Commands) -> None:
    """Add `mcp`."""
    command = commands.add_parser(
        "mcp",
        help="serve select_skill, search_skills, load_skill and list_skills to MCP clients",
        epilog="Over standard input and output, until the client goes; with --http at http://HOST:PORT/mcp.",
    )
    add_skills(command)
    add_choice(command)
    command.add_argument("--http", action="store_true", help="serve over HTTP")
    command.add_argument("--host", metavar="HOST", default="127.0.0.1", help="where to listen (127.0.0.1)")
    command.add_argument("--port", metavar="PORT", default="8765", help="the same (8765)")
