"""Where a model is told that a skill lies."""

import os
from typing import Literal

from skill_selector.catalog.roots import forward
from skill_selector.catalog.skill import Skill

Location = Literal["path", "id"]
"""The path of the SKILL.md, for hosts whose model reads files; or the id that `load_skill` takes."""


def location_of(skill: Skill, location: Location) -> str:
    """Return what stands in `<location>`."""
    return skill.id if location == "id" else home_relative(skill.file)


def home_relative(path: str) -> str:
    """Return a path with `~` for the user's home folder, as source 003 writes it.

    It is shorter, and keeps the user's name from whoever runs the model.
    """
    home = forward(os.path.expanduser("~")).rstrip("/")
    return f"~{path[len(home) :]}" if home and path.startswith(f"{home}/") else path
