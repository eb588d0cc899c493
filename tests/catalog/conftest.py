"""Helpers that write and parse skill files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector.catalog.parser import ParsedSkill, parse
from skill_selector.catalog.skill import Skill

Load = Callable[..., ParsedSkill]
LoadSkill = Callable[..., Skill]
Put = Callable[..., Path]


@pytest.fixture
def load() -> Load:
    """Return a function that parses a file's text or bytes as if it lay in a folder of that name."""

    def parse_text(content: str | bytes, folder: str = "some-folder") -> ParsedSkill:
        data = content.encode() if isinstance(content, str) else content
        path = f"/skills/{folder}"
        return parse(data, skill_id=folder, path=path, file=f"{path}/SKILL.md", root="/skills")

    return parse_text


@pytest.fixture
def load_skill(load: Load) -> LoadSkill:
    """Return a function that parses a file and hands back the skill, which must be there."""

    def parse_skill(content: str | bytes, folder: str = "some-folder") -> Skill:
        parsed = load(content, folder)
        assert parsed.skill is not None, parsed.diagnostics
        return parsed.skill

    return parse_skill


@pytest.fixture
def put(skills_root: Path) -> Put:
    """Return a function that writes a file below the root, by default a skill named after its folder."""

    def write(relative: str, content: str | bytes | None = None, root: Path | None = None) -> Path:
        path = (root or skills_root) / relative
        if content is None:
            path = path / "SKILL.md"
            content = f"---\nname: {path.parent.name}\ndescription: Waters the plants.\n---\n\nUse a can.\n"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
