"""What `skill-selector mcp` and `skill-selector logs` do."""

import argparse

from rich.table import Table
from rich.text import Text

from skill_selector import console
from skill_selector.graph.errors import SettingError

DONE = 0
"""Exit status."""


def mcp(options: argparse.Namespace) -> int:
    """Serve skills to MCP clients until the client goes."""
    try:
        from skill_selector.service import build_service, serve  # noqa: PLC0415 - heavy, and an extra

        context = {"strategy": options.strategy, "top_k": options.top_k}
        given = {name: value for name, value in context.items() if value is not None}
        port = _number("--port", options.port, 65_535)
        server = build_service(options.skills, offline=options.offline, host=options.host, port=port, **given)
    except ModuleNotFoundError as error:
        raise SettingError(f"`mcp` needs more: pip install 'skill-selector[mcp]' ({error})") from error
    if options.http:
        console.note(f"serving at http://{options.host}:{options.port}/mcp; stop with Ctrl-C")
    serve(server, http=options.http)
    return DONE


def logs(options: argparse.Namespace) -> int:
    """List executions of tools, the latest first."""
    from skill_selector.agent.log import open_log  # noqa: PLC0415 - `--help` does without it
    from skill_selector.graph.settings import resolve_settings  # noqa: PLC0415 - the same

    log = open_log(file=options.file or resolve_settings().log_file)
    limit = _number("--limit", options.limit, 1_000_000)
    found = log.read(limit, options.tool, options.since, options.user)
    with console.printing():
        if options.json:
            console.out_json({"executions": [one.to_dict() for one in found]})
        else:
            names = ("time", "tool", "outcome", "ms", "user", "arguments", "result")
            table = Table(*names, box=None, pad_edge=False, header_style="dim")
            for one in found:
                shown = (one.timestamp, one.tool_name, one.outcome, f"{one.duration:g}", one.user_id or "")
                came = one.result if one.outcome == "success" else one.error
                table.add_row(*(Text(console.plain(str(value))) for value in (*shown, dict(one.args), came)))
            console.stdout().print(table)
    if not found:
        console.note("no execution was logged that fits")
    return DONE


def _number(name: str, given: str, most: int) -> int:
    if not given.isdecimal() or not 1 <= int(given) <= most:
        raise SettingError(f"{name} is {given!r}: it must be a whole number from 1 to {most}")
    return int(given)
