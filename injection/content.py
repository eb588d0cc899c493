"""Whole skills in a prompt: the strategies' "load the top skills and inject them" (source 001)."""

from collections.abc import Sequence

from skill_selector.graph.errors import SkillAccessError
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
    found: list[str] = []
    sizes: list[int] = []
    for skill_id in dict.fromkeys(ids):
        if len(found) >= room:
            left_out.append(LeftOut(skill_id, "no_room"))
            continue
        try:
            sizes.append(estimate_tokens(loader.load(skill_id, max_tokens=most).text) + 1)
            found.append(skill_id)
        except SkillAccessError:
            left_out.append(LeftOut(skill_id, "unreadable" if skill_id in loader.skills else "unknown"))
    share = max(LEAST_TOKENS, fair_share(sizes, budget) - 1)
    texts, cuts = [], []
    for skill_id in found:
        loaded = loader.load(skill_id, max_tokens=min(share, most))
        texts.append(loaded.text)
        if loaded.next_offset is not None:
            cuts.append(Cut(skill_id, "body", loaded.shown, loaded.of))
    return Injection(
        form="skill", text="\n\n".join(texts), skills=tuple(found), left_out=tuple(left_out), cut=tuple(cuts)
    )
