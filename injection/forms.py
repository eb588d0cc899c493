"""The forms of injection by name."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from skill_selector.catalog.catalog import Catalog
from skill_selector.graph.errors import SettingError
from skill_selector.graph.settings import Settings
from skill_selector.injection.content import MOST_WHOLE, load_skills
from skill_selector.injection.listing import list_skills
from skill_selector.injection.loader import SkillLoader
from skill_selector.injection.location import Location
from skill_selector.injection.record import Injection, LeftOut

FormName = Literal["auto", "full", "compact", "skill"]
FORMS: tuple[FormName, ...] = ("auto", "full", "compact", "skill")
LEAST_BUDGET = 100

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Injector:
    """How skills are put into a prompt.

    `form` is "auto" (the catalogue block, in full or compact as there is room), "full", "compact", or "skill" (whole
    skills). `max_tokens` bounds the whole text, `skill_max_tokens` each whole skill; both are estimates. None for
    `max_tokens` stands for 8,000, and for three times `skill_max_tokens` in the form "skill". `location` is what stands
    in `<location>`: the "path", with the home folder as `~`, or the "id", for models that have `load_skill`.
    """

    form: FormName = "auto"
    max_tokens: int | None = None
    skill_max_tokens: int = 8000
    location: Location = "path"
    follow_outside: bool = False

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise SettingError(f"form={self.form!r}: it must be one of {', '.join(FORMS)}")
        if self.location not in ("path", "id"):
            raise SettingError(f"location={self.location!r}: it must be path or id")
        for name in ("max_tokens", "skill_max_tokens"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < LEAST_BUDGET):
                raise SettingError(f"{name}={value!r}: it must be a whole number of {LEAST_BUDGET} or more")

    @classmethod
    def of(
        cls, settings: Settings, *, form: str = "auto", budget: int | None = None, location: str = "path"
    ) -> "Injector":
        """Return the injector of a run.

        Args:
            settings: give the bounds that `budget` does not.
            form: one of FORMS.
            budget: the most tokens of the whole text.
            location: "path" or "id".

        Raises:
            SettingError: one of them cannot be used.
        """
        if budget is None and form != "skill":
            budget = settings.catalog_max_tokens
        # checked by the class itself
        names: dict[str, str] = {"form": form, "location": location}
        return cls(max_tokens=budget, skill_max_tokens=settings.skill_max_tokens, **names)  # type: ignore[arg-type]

    def inject(
        self, catalog: Catalog, *, only: Sequence[str] | None = None, order: Sequence[str] | None = None
    ) -> Injection:
        """Return the text for a prompt; empty where there is no skill. Blocks in the form "skill".

        Args:
            catalog: the skills, scanned.
            only: the ids to put in, best first; all skills by default.
            order: ids, best first: who stays where there is no room for all. That of `only` by default.
        """
        order = only if order is None else order
        wanted = None if only is None else set(only)
        if self.form == "skill":
            made = self._whole(catalog, [skill.id for skill in catalog.skills] if order is None else order, wanted)
        else:
            skills = [skill for skill in catalog.skills if wanted is None or skill.id in wanted]
            made = list_skills(
                skills, form=self.form, order=order, budget=self.max_tokens or 8000, location=self.location
            )
        unknown = [LeftOut(one, "unknown") for one in dict.fromkeys(only or ()) if one not in catalog.by_id]
        if unknown:
            known = tuple(one for one in made.left_out if one.why != "unknown")
            made = Injection(
                form=made.form, text=made.text, skills=made.skills, left_out=(*known, *unknown), cut=made.cut
            )
        if any(one.why != "manual_only" for one in made.left_out) or made.cut:
            _logger.info("injection: %s", made.summary)
        return made

    async def ainject(
        self, catalog: Catalog, *, only: Sequence[str] | None = None, order: Sequence[str] | None = None
    ) -> Injection:
        """Do as `inject`, off the event loop."""
        return await asyncio.to_thread(self.inject, catalog, only=only, order=order)

    def _whole(self, catalog: Catalog, ids: Sequence[str], wanted: set[str] | None) -> Injection:
        by_id = catalog.by_id
        ids = [one for one in ids if wanted is None or one in wanted]
        manual = [LeftOut(one, "manual_only") for one in ids if one in by_id and by_id[one].manual_only]
        loader = SkillLoader(catalog, max_tokens=self.skill_max_tokens, follow_outside=self.follow_outside)
        rest = [one for one in ids if not (one in by_id and by_id[one].manual_only)]
        budget = self.max_tokens or MOST_WHOLE * self.skill_max_tokens
        made = load_skills(loader, rest, budget, self.skill_max_tokens)
        return Injection(
            form="skill", text=made.text, skills=made.skills, left_out=(*made.left_out, *manual), cut=made.cut
        )
