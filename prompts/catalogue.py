"""The `<available_skills>` block that tells a model which skills there are."""

from collections.abc import Iterable

from skill_selector.prompts.fencing import clean, escape, field


def render_catalogue(skills: Iterable[tuple[str, str, str]]) -> str:
    """Return the block, or an empty text where there are no skills.

    Args:
        skills: name, description and location (the path of the SKILL.md) of each; escaped here.
    """
    entries = [
        "  <skill>\n"
        f"    {field('name', name)}\n"
        f"    {field('description', description)}\n"
        f"    <location>{_location(location)}</location>\n"
        "  </skill>"
        for name, description, location in skills
    ]
    return "\n".join(["<available_skills>", *entries, "</available_skills>"]) if entries else ""


def _location(path: str) -> str:
    # spaces stay as many as they are: they are part of the path
    return escape(clean(path).translate({ord("\t"): " ", ord("\n"): " "}))
