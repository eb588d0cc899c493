"""The `<available_skills>` block that tells a model which skills there are."""

from collections.abc import Iterable, Sequence

from skill_selector.prompts.fencing import clean, escape, fence, field

TAG = "available_skills"


def render_catalogue(skills: Iterable[tuple[str, str, str]]) -> str:
    """Return the block, or an empty text where there are no skills.

    Args:
        skills: name, description and location (the path of the SKILL.md) of each; escaped here.
    """
    return render_block([render_entry(*skill) for skill in skills])


def render_entry(name: str, description: str | None, location: str) -> str:
    """Return one skill of the block, its texts escaped; without a description in the compact form (source 003)."""
    lines = [field("name", name), *([] if description is None else [field("description", description)])]
    lines.append(f"<location>{_location(location)}</location>")
    return "\n".join(["  <skill>", *(f"    {line}" for line in lines), "  </skill>"])


def render_block(entries: Sequence[str], left_out: int = 0) -> str:
    """Return the block around entries, which says how many more there are; an empty text where there are no entries."""
    if not entries:
        return ""
    return fence(TAG, "\n".join([*entries, *([render_left_out(left_out)] if left_out else [])]))


def render_left_out(count: int) -> str:
    """Return the line that says how many skills found no room."""
    noun = "more skill is" if count == 1 else "more skills are"
    return f"  <left_out>{count:,} {noun} not listed, for want of room</left_out>"


def _location(path: str) -> str:
    # spaces stay as many as they are: they are part of the path
    return escape(clean(path).translate({ord("\t"): " ", ord("\n"): " "}))
