"""The `<available_skills>` block that tells a model which skills there are."""

from collections.abc import Iterable
from xml.sax.saxutils import escape


def render_catalogue(skills: Iterable[tuple[str, str, str]]) -> str:
    """Return the block, or an empty text where there are no skills.

    Args:
        skills: name, description and location (the path of the SKILL.md) of each; escaped here.
    """
    entries = [
        "  <skill>\n"
        f"    <name>{escape(name)}</name>\n"
        f"    <description>{escape(description)}</description>\n"
        f"    <location>{escape(location)}</location>\n"
        "  </skill>"
        for name, description, location in skills
    ]
    return "\n".join(["<available_skills>", *entries, "</available_skills>"]) if entries else ""
