"""Whole skills and their files, by id, within a budget and inside their folders."""

import asyncio
import hashlib
import os
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from html import unescape

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.diagnostic import Report
from skill_selector.catalog.document import open_document
from skill_selector.catalog.encoding import decode
from skill_selector.catalog.lookup import near
from skill_selector.catalog.skill import Skill
from skill_selector.catalog.source import MAX_FILE_BYTES, Source, read_source
from skill_selector.graph.errors import SkillAccessError
from skill_selector.injection.confinement import is_inside, open_inside, split_path
from skill_selector.injection.loaded import Loaded
from skill_selector.injection.location import home_relative
from skill_selector.injection.page import Page, cut_page, render_cut
from skill_selector.injection.resources import list_resources
from skill_selector.prompts.fencing import attribute, one_line
from skill_selector.prompts.shortening import estimate_tokens

LEAST_TOKENS = 100
RESOURCES_SHARE = 4
"""The list of files takes at most one part in this many of the budget."""
MOST_PLACE = 240
"""Characters of a path that is shown; a longer one would take the text's room."""
MOST_ASKED = 200
"""Characters of an unknown id that near ones are looked up for."""


class SkillLoader:
    """Hands out the skills of one catalogue. Immutable: any number of threads may share it.

    Only ids of the catalogue count, never names and never paths: what a selection chose is what is loaded. Skills that
    only a human may start are not among them.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        only: Iterable[str] | None = None,
        max_tokens: int = 8000,
        follow_outside: bool = False,
        reads_on: bool = False,
    ) -> None:
        """Bind a loader to a catalogue.

        Args:
            catalog: the skills.
            only: the ids of those that may be loaded; all by default.
            max_tokens: the most tokens (estimated) of one skill or file.
            follow_outside: whether skills may lie behind links that lead out of the roots; see `ScanLimits`.
            reads_on: whether the model has `load_skill` and `read_skill_file`, which notes on cuts then name.
        """
        wanted = None if only is None else set(only)
        self.skills: dict[str, Skill] = {
            skill.id: skill
            for skill in catalog.skills
            if not skill.manual_only and (wanted is None or skill.id in wanted)
        }
        self._catalog = catalog
        self._max_tokens = max(LEAST_TOKENS, max_tokens)
        self._follow_outside = follow_outside
        self._reads_on = reads_on

    @property
    def ids(self) -> list[str]:
        """The ids that can be loaded, in the catalogue's order."""
        return list(self.skills)

    def find(self, skill_id: str) -> Skill:
        """Return the skill with that id, also as it is shown: escaped, or without characters that nobody can see.

        Raises:
            SkillAccessError: there is none, or it may not be loaded; the message names the nearest ids.
        """
        for spelling in (skill_id, unescape(skill_id)):
            if spelling in self.skills:
                return self.skills[spelling]
            if spelling in self._by_shown_id:
                return self._by_shown_id[spelling]
        asked = one_line(skill_id[:MOST_ASKED])
        if skill_id in self._catalog.by_id and self._catalog.by_id[skill_id].manual_only:
            raise SkillAccessError(f"{asked!r} may only be started by a human")
        close = near(self._loadable, asked) if asked else []
        hint = f"; the nearest are {', '.join(map(repr, map(one_line, close)))}" if close else ""
        raise SkillAccessError(f"there is no skill with the id {asked!r}{hint}; ids are those of the catalogue")

    def load(self, skill_id: str, offset: int = 0, *, max_tokens: int | None = None) -> Loaded:
        """Return a skill's instructions without the frontmatter, and the list of its files. Blocks.

        Args:
            skill_id: its id in the catalogue.
            offset: the character of the instructions to begin at.
            max_tokens: less than the loader's own bound.

        Raises:
            SkillAccessError: there is no such skill, or it can no longer be read.
        """
        skill = self.find(skill_id)
        tokens = max(LEAST_TOKENS, max_tokens or self._max_tokens)
        body, changed, complete = self._body(skill)
        head = f"<skill_content {_attributes(skill)}>"
        folder, _ = self._folder(skill)
        listed = "" if offset > 0 else list_resources(folder).render(tokens // RESOURCES_SHARE)
        page = _fitting(body, offset, tokens - estimate_tokens(head) - estimate_tokens(listed))
        parts = [page.text.rstrip("\n")]
        if not (page.complete and complete):
            parts.append(render_cut(page, self._way_on(skill, page, complete), more=not complete))
        text = "\n".join([head, *parts, *([listed] if listed else []), "</skill_content>"])
        return Loaded.of_page(skill, skill.file, text, page, changed=changed)

    def read_file(self, skill_id: str, path: str, offset: int = 0) -> Loaded:
        """Return a text file of a skill. Blocks.

        Args:
            skill_id: the skill's id in the catalogue.
            path: the file's place below the skill's folder, with forward slashes.
            offset: the character to begin at.

        Raises:
            SkillAccessError: there is no such skill or file, it lies elsewhere, or it holds no text.
        """
        skill = self.find(skill_id)
        parts = split_path(path)
        shown = "/".join(parts)
        folder, base = self._folder(skill)
        source = _read(folder, parts, base, shown)
        report = Report(shown)
        text = decode(source.data, report)
        if text is None:
            why = report.diagnostics[0].message if report.diagnostics else "it holds no text"
            raise SkillAccessError(f"{shown!r} of {one_line(skill.id)!r} cannot be shown: {why}")
        head = f"<skill_file {attribute('skill', skill.id)} {attribute('path', shown)}>"
        page = _fitting(text, offset, self._max_tokens - estimate_tokens(head))
        body = [page.text.rstrip("\n")]
        if not (page.complete and source.complete):
            way = f"read_skill_file with offset={page.end} goes on" if page.end < page.total else _NO_MORE
            body.append(render_cut(page, way, more=not source.complete))
        text = "\n".join([head, *body, "</skill_file>"])
        return Loaded.of_page(skill, f"{skill.path}/{shown}", text, page)

    async def aload(self, skill_id: str, offset: int = 0, *, max_tokens: int | None = None) -> Loaded:
        """Do as `load`, off the event loop."""
        return await asyncio.to_thread(self.load, skill_id, offset, max_tokens=max_tokens)

    async def aread_file(self, skill_id: str, path: str, offset: int = 0) -> Loaded:
        """Do as `read_file`, off the event loop."""
        return await asyncio.to_thread(self.read_file, skill_id, path, offset)

    @cached_property
    def _by_shown_id(self) -> dict[str, Skill]:
        shown: dict[str, Skill] = {}
        for skill in self.skills.values():
            shown.setdefault(one_line(skill.id), skill)
        return shown

    @cached_property
    def _loadable(self) -> Catalog:
        return replace(self._catalog, skills=tuple(self.skills.values()))

    @cached_property
    def _roots(self) -> list[str]:
        return [os.path.realpath(root) for root in self._catalog.roots]

    def _folder(self, skill: Skill) -> tuple[str, str]:
        """Return the skill's folder and the folder from which on no link is followed, both with links resolved."""
        return self._confined(skill, os.path.realpath(skill.path))

    def _confined(self, skill: Skill, real: str) -> tuple[str, str]:
        for root in self._roots:
            if real == root or is_inside(real, root):
                return real, root
        if self._follow_outside:
            return real, real
        raise SkillAccessError(f"{one_line(skill.id)!r} is refused: its folder is now a link that leads elsewhere")

    def _body(self, skill: Skill) -> tuple[str, bool, bool]:
        """Return the instructions, whether the file has changed since the scan, and whether they are all there."""
        real = os.path.realpath(skill.file)
        folder, base = self._confined(skill, os.path.dirname(real))
        if skill.loaded_body is not None:
            return skill.loaded_body, False, _size(real) <= MAX_FILE_BYTES
        source = _read(folder, (os.path.basename(real),), base, "SKILL.md")
        document = open_document(source.data, Report(skill.file))
        changed = hashlib.sha256(source.data).hexdigest() != skill.digest
        return document.body if document else "", changed, source.complete

    def _way_on(self, skill: Skill, page: Page, complete: bool) -> str:
        if self._reads_on:
            return f"load_skill with offset={page.end} goes on" if page.end < page.total else _NO_MORE
        path = one_line(home_relative(skill.file)).translate(_NO_BRACKETS)
        return f"for the rest see the file {path}" if len(path) <= MOST_PLACE else "for the rest see its SKILL.md"


_NO_MORE = f"what lies behind the first {MAX_FILE_BYTES:,} bytes of the file is not read"
_NO_BRACKETS = str.maketrans(dict.fromkeys("<>＜＞﹤﹥", "?"))
_END_TOKENS = 8
"""Room for line ends and the closing tag."""
_NOTE_TOKENS = 90
"""Room for the note on a cut, with a path in it."""


def _fitting(text: str, offset: int, tokens: int) -> Page:
    """Return the page for a block with that much room; only what does not fit as a whole leaves room for a note."""
    page = cut_page(text, offset, max(1, tokens - _END_TOKENS))
    return page if page.complete else cut_page(text, offset, max(1, tokens - _END_TOKENS - _NOTE_TOKENS))


def _attributes(skill: Skill) -> str:
    place = home_relative(skill.path)
    shown = {"name": skill.name[:100], "id": skill.id, **({"directory": place} if len(place) <= MOST_PLACE else {})}
    return " ".join(attribute(name, value) for name, value in shown.items())


def _read(folder: str, parts: tuple[str, ...], base: str, shown: str) -> Source:
    try:
        return read_source(open_inside(folder, parts, base))
    except OSError as error:
        why = error.strerror or str(error)
        raise SkillAccessError(f"{shown!r} cannot be read: {why}; see the list of the skill's files") from None


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
