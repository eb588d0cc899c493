"""The catalogue block within its bounds: in full, with shortened descriptions, compact, or in part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Literal

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import SettingError
from skill_selector.injection.location import Location, location_of
from skill_selector.injection.record import Cut, Injection, LeftOut
from skill_selector.injection.sharing import fair_share
from skill_selector.prompts.catalogue import render_block, render_entry, render_left_out
from skill_selector.prompts.shortening import estimate_tokens, shorten

ListForm = Literal["auto", "full", "compact"]

MOST_CHARACTERS = 30_000
"""A block with more characters drops to the compact form (source 003)."""
DESCRIPTION_CHARACTERS = 1024
"""The format's own limit of a description: one that is longer shall not cost the others theirs."""
NAME_TOKENS = 64
LEAST_DESCRIPTION_TOKENS = 40
"""A shorter piece of a description says too little to choose by."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One skill on its way into the block."""

    skill: Skill
    location: str
    description: str | None

    def render(self) -> str:
        return render_entry(shorten(self.skill.name, NAME_TOKENS), self.description, self.location)


def list_skills(
    skills: Sequence[Skill],
    *,
    form: ListForm = "auto",
    order: Sequence[str] | None = None,
    budget: int = 8000,
    location: Location = "path",
) -> Injection:
    """Return the `<available_skills>` block.

    `auto` is the full form up to 30,000 characters. Where only the budget is in the way, long descriptions are cut, all
    to the same length and never what they exclude; where that does not help, or with more characters, it is the compact
    form. What is over the budget even so is left out: with an order from its end; without one spread over the whole
    catalogue, so that no folder and no letter of the alphabet is at a disadvantage.

    Args:
        skills: those to list; manual-only ones are left out.
        form: "auto", "full" or "compact".
        order: ids, best first; the skills that it does not name follow behind them.
        budget: the most tokens (estimated) of the block.
        location: what stands in `<location>`.

    Raises:
        SettingError: there is no such form.
    """
    if form not in ("auto", "full", "compact"):
        raise SettingError(f"form={form!r}: a list of skills has the forms auto, full and compact")
    manual = [LeftOut(skill.id, "manual_only") for skill in skills if skill.manual_only]
    lines = [_line(skill, location) for skill in _ordered(skills, order)]
    chosen: Literal["full", "compact"] = "full"
    if form == "compact" or (form == "auto" and _is_too_long(lines)):
        chosen = "compact"
    elif not _fits(lines, budget):
        shared = _shared(lines, budget)
        chosen = "compact" if shared is None and form == "auto" else "full"
        lines = shared or [_shortened(line, LEAST_DESCRIPTION_TOKENS) for line in lines]
    if chosen == "compact":
        lines = [replace(line, description=None) for line in lines]
    kept = lines if _fits(lines, budget) else _kept(lines, budget, spread=order is None)
    listed = {line.skill.id for line in kept}
    no_room = [LeftOut(line.skill.id, "no_room") for line in lines if line.skill.id not in listed]
    return Injection(
        form=chosen,
        text=render_block([line.render() for line in kept], len(no_room)),
        skills=tuple(line.skill.id for line in kept),
        left_out=(*no_room, *manual),
        cut=tuple(_cuts(kept)),
    )


def _ordered(skills: Sequence[Skill], order: Sequence[str] | None) -> list[Skill]:
    listed = [skill for skill in skills if not skill.manual_only]
    if order is None:
        return listed
    places = {skill_id: place for place, skill_id in enumerate(dict.fromkeys(order))}
    return sorted(listed, key=lambda skill: places.get(skill.id, len(places)))


def _line(skill: Skill, location: Location) -> _Line:
    description = skill.description
    if len(description) > DESCRIPTION_CHARACTERS:
        description = shorten(description, estimate_tokens(description) * DESCRIPTION_CHARACTERS // len(description))
    return _Line(skill, location_of(skill, location), description)


def _is_too_long(lines: Sequence[_Line]) -> bool:
    total = len(render_block([""]))
    for line in lines:
        total += len(line.render()) + 1
        if total > MOST_CHARACTERS + 1:
            return True
    return False


def _fits(lines: Sequence[_Line], budget: int) -> bool:
    return estimate_tokens(render_block([line.render() for line in lines])) <= budget


def _shared(lines: Sequence[_Line], budget: int) -> list[_Line] | None:
    """Return the lines with their longest descriptions cut so that all fit, or None where too little would be left."""
    bare = estimate_tokens(render_block([replace(line, description="").render() for line in lines]))
    share = fair_share([estimate_tokens(line.description or "") for line in lines], budget - bare)
    while share >= LEAST_DESCRIPTION_TOKENS:
        cut = [_shortened(line, share) for line in lines]
        if _fits(cut, budget):
            return cut
        share = share * 9 // 10  # escapes take room that the plain descriptions did not
    return None


def _shortened(line: _Line, tokens: int) -> _Line:
    return replace(line, description=shorten(line.description or "", tokens))


def _kept(lines: Sequence[_Line], budget: int, *, spread: bool) -> list[_Line]:
    """Return the lines that fit beside the note on the others, in their order."""
    # lines end tokens, so that those of the whole are the sum of the parts'
    room = budget - estimate_tokens(render_block([""])) - estimate_tokens(render_left_out(len(lines))) - 1
    kept: set[int] = set()
    places: Iterable[int] = range(len(lines))
    if spread:
        places = sorted(places, key=lambda place: _lot(lines[place].skill.id))
    for place in places:
        room -= estimate_tokens(lines[place].render()) + 1
        if room < 0:
            break
        kept.add(place)
    return [line for place, line in enumerate(lines) if place in kept]


def _lot(skill_id: str) -> bytes:
    """Return a number that is the skill's own: a new skill changes nothing for the others, nor for prompt caches."""
    return blake2b(skill_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _cuts(lines: Sequence[_Line]) -> Iterable[Cut]:
    for line in lines:
        whole = line.skill.description
        if line.description is not None and line.description != whole and len(line.description) < len(whole):
            yield Cut(line.skill.id, "description", len(line.description), len(whole))
