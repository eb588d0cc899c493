"""Whole skills in a prompt: the strategies' "load the top skills and inject them" (source 001)."""

from collections.abc import Sequence

from skill_selector.graph.errors import SkillAccessError
from skill_selector.injection.loaded import Loaded
from skill_selector.injection.loader import LEAST_TOKENS, SkillLoader
from skill_selector.injection.record import Cut, Injection, LeftOut
from skill_selector.injection.sharing import fair_share
from skill_selector.prompts.shortening import estimate_tokens

MOST_WHOLE = 3
"""How many whole skills have room by default; the most that `detect` takes (source 001)."""
LEAST_SHARE = 4 * LEAST_TOKENS
"""Tokens that a skill gets at least, or it is left out."""


def load_skills(loader: SkillLoader, ids: Sequence[str], budget: int, most: int) -> Injection:
    """Return the skills' instructions without frontmatter, one `<skill_content>` block after the other. Blocks.

    Where not all fit, each is cut to the same length, and the last ones are left out where that would leave too little.

    Args:
        loader: where they come from.
        ids: the skills, best first.
        budget: the most tokens (estimated) of them all.
        most: the most tokens of one of them.
    """
    left_out: list[LeftOut] = []
    room = max(1, budget // LEAST_SHARE)
    found: dict[str, Loaded] = {}
    for skill_id in dict.fromkeys(ids):
        if len(found) >= room:
            left_out.append(LeftOut(skill_id, "no_room"))
            continue
        loaded = _load(loader, skill_id, most)
        if loaded:
            found[skill_id] = loaded
        else:
            left_out.append(LeftOut(skill_id, "unreadable" if skill_id in loader.skills else "unknown"))
    sizes = [estimate_tokens(loaded.text) + 1 for loaded in found.values()]  # with the line between two
    share = max(LEAST_TOKENS, fair_share(sizes, budget) - 1)
    shown: list[Loaded] = []
    for skill_id, loaded in found.items():
        # it may have gone since it was first read
        cut = _load(loader, skill_id, share) if estimate_tokens(loaded.text) > share else loaded
        if cut:
            shown.append(cut)
        else:
            left_out.append(LeftOut(skill_id, "unreadable"))
    return Injection(
        form="skill",
        text="\n\n".join(loaded.text for loaded in shown),
        skills=tuple(loaded.id for loaded in shown),
        left_out=tuple(left_out),
        cut=tuple(Cut(one.id, "body", one.shown, one.of) for one in shown if one.next_offset is not None),
    )


def _load(loader: SkillLoader, skill_id: str, tokens: int) -> Loaded | None:
    try:
        return loader.load(skill_id, max_tokens=tokens)
    except SkillAccessError:
        return None
