"""A selection as HTML, for notebooks. Everything that came from a skill or a model is escaped."""

from html import escape

from skill_selector.graph.records import RUBRIC, RankedSkill
from skill_selector.selection import REASONS, SkillSelection, flagged

_COLOURS = {"hit": "#2da44e", "ambiguous": "#bf8700", "no_match": "#8c959f"}
_PART_COLOURS = ("#0969da", "#1b7c83", "#8250df", "#bf3989")
_CELL = 'style="text-align:left;vertical-align:top;padding:4px 8px"'


def render_selection(selection: SkillSelection) -> str:
    """Return a self-contained fragment: outcome, path, and each candidate with a bar of its score's parts."""
    colour = _COLOURS[selection.outcome]
    path = f"<div><code>{escape(selection.skill_path)}</code></div>" if selection.skill_path else ""
    understood = f"<div>understood as: {escape(selection.analysis['intent'])}</div>" if selection.analysis else ""
    notes = "".join(
        f"<div>note: {escape(one['what'])} failed ({escape(one['why'])}); used {escape(one['instead'])}</div>"
        for one in selection.degraded
    )
    rows = "".join(_row(one) for one in selection.ranked)
    parts = ", ".join(f"{name.replace('_', ' ')} {most:g}" for name, most in RUBRIC.items())
    titles = ("score", "skill", f"parts ({parts})", "why")
    head = "<tr>" + "".join(f"<th {_CELL}>{title}</th>" for title in titles) + "</tr>"
    table = f"<table>{head}{rows}</table>" if rows else ""
    return (
        f'<div style="font-family:sans-serif"><div><b style="color:{colour}">{escape(selection.outcome)}</b> '
        f"{escape(selection.headline)}</div><div>{escape(REASONS[selection.reason])}</div>{path}{understood}{notes}{table}</div>"
    )


def _row(one: RankedSkill) -> str:
    skill = one["skill"]
    description = f"<br><small>{escape(skill['description'])}</small>"
    return (
        f"<tr><td {_CELL}>{one['score']:g}</td>"
        f"<td {_CELL}><b>{escape(skill['name'])}</b> <code>{escape(skill['id'])}</code>{description}</td>"
        f"<td {_CELL}>{_bar(one)}</td><td {_CELL}>{escape((one['veto'] or one['reason']) + flagged(one))}</td></tr>"
    )


def _bar(one: RankedSkill) -> str:
    pieces = "".join(
        f'<span title="{escape(name.replace("_", " "))} {points:g} of {RUBRIC[name]:g}" '
        f'style="display:inline-block;height:10px;width:{points:.0f}px;background:{colour}"></span>'
        for (name, points), colour in zip(one["dimensions"].items(), _PART_COLOURS, strict=False)
    )
    return f'<span style="display:inline-block;width:100px;background:#eaeef2;line-height:0">{pieces}</span>'
