"""From folders, and a task where there is one, to what goes into a prompt, and to the tools that load skills."""

import asyncio
from typing import TYPE_CHECKING, Any

from skill_selector.catalog.catalog import Catalog
from skill_selector.graph.errors import SettingError
from skill_selector.graph.settings import Settings, resolve_settings
from skill_selector.injection.forms import Injector
from skill_selector.injection.loader import SkillLoader
from skill_selector.injection.record import Injection

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from skill_selector.api import Directories
    from skill_selector.selection import SkillSelection


def skill_catalog(
    directories: "Directories | Catalog",
    *,
    task: str | None = None,
    form: str = "auto",
    budget: int | None = None,
    location: str = "path",
    **options: Any,
) -> Injection:
    """Return what of the skills goes into a prompt.

    Args:
        directories: a folder of skills, or several, lowest precedence first; or, without a task, a scanned catalogue.
        task: puts in only what the strategy chooses for it: the hit, those that tie, or nothing.
        form: "auto" (the `<available_skills>` block, without descriptions over 30,000 characters), "full", "compact",
            or "skill": whole skills.
        budget: the most tokens (estimated); by default SELECTOR_CATALOG_MAX_TOKENS, and three times
            SELECTOR_SKILL_MAX_TOKENS for whole skills.
        location: "path", or "id" for models that have `load_skill`.
        **options: with a task, the arguments of `select_skill`.

    Raises:
        SkillSelectorError: a folder, a setting, the form or the task cannot be used.
    """
    settings = resolve_settings()
    injector = Injector.of(settings, form=form, budget=budget, location=location)
    if task is None:
        return injector.inject(_open(directories, settings, options))
    from skill_selector.api import select_skill  # noqa: PLC0415 - the graph, which a list of all does without

    return inject_selection(select_skill(task, _folders(directories), **options), injector, settings)


async def askill_catalog(
    directories: "Directories | Catalog",
    *,
    task: str | None = None,
    form: str = "auto",
    budget: int | None = None,
    location: str = "path",
    **options: Any,
) -> Injection:
    """Do as `skill_catalog`, without blocking the event loop."""
    if task is None:
        given = {"form": form, "budget": budget, "location": location, **options}
        return await asyncio.to_thread(lambda: skill_catalog(directories, **given))
    settings = await asyncio.to_thread(resolve_settings)
    injector = Injector.of(settings, form=form, budget=budget, location=location)
    from skill_selector.api import aselect_skill  # noqa: PLC0415 - as above

    selection = await aselect_skill(task, _folders(directories), **options)
    return await asyncio.to_thread(inject_selection, selection, injector, settings)


def inject_selection(selection: "SkillSelection", injector: Injector, settings: Settings) -> Injection:
    """Return what a selection chose, by its ids, from the catalogue that it chose from. Blocks.

    Args:
        selection: the result of a run.
        injector: the form and its bounds.
        settings: name the cache that the catalogue is kept in.
    """
    from skill_selector.nodes.parts import Parts  # noqa: PLC0415 - loaded with the graph

    scanned = selection.catalog
    library = Parts().libraries.recall(scanned["roots"], scanned["digest"], cache_dir=settings.cache_dir)
    return injector.inject(library.catalog, only=selection.chosen)


def skill_tools(directories: "Directories | Catalog", *, max_tokens: int | None = None) -> "list[BaseTool]":
    """Return the LangChain tools `load_skill` and `read_skill_file`; none where there is no skill.

    Args:
        directories: a folder of skills, or several, lowest precedence first; or a scanned catalogue.
        max_tokens: the most tokens (estimated) of one answer; SELECTOR_SKILL_MAX_TOKENS by default.

    Raises:
        SkillSelectorError: a folder or a setting cannot be used.
    """
    from skill_selector.injection import tools  # noqa: PLC0415 - LangChain's tools are heavy

    settings = resolve_settings()
    bound = Injector(skill_max_tokens=settings.skill_max_tokens if max_tokens is None else max_tokens)
    catalog = _open(directories, settings, {})
    return tools.skill_tools(SkillLoader(catalog, max_tokens=bound.skill_max_tokens, reads_on=True))


async def askill_tools(directories: "Directories | Catalog", *, max_tokens: int | None = None) -> "list[BaseTool]":
    """Do as `skill_tools`, without blocking the event loop."""
    return await asyncio.to_thread(skill_tools, directories, max_tokens=max_tokens)


def _open(directories: "Directories | Catalog", settings: Settings, options: dict[str, Any]) -> Catalog:
    if options:
        raise SettingError(
            f"{', '.join(map(repr, options))} count for the choice only, which needs a task; pass `task`"
        )
    if isinstance(directories, Catalog):
        return directories
    from skill_selector.catalog.cache import open_cache  # noqa: PLC0415 - not needed with a catalogue
    from skill_selector.catalog.scanner import scan  # noqa: PLC0415 - the same
    from skill_selector.catalog.snapshot import Snapshots  # noqa: PLC0415 - the same

    return scan(directories, snapshots=Snapshots(open_cache(settings.cache_dir)))


def _folders(directories: "Directories | Catalog") -> "Directories":
    if isinstance(directories, Catalog):
        return list(directories.roots)
    return directories
