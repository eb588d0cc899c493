"""Finding a skill by id, name or folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.lookup import find, near
from skill_selector.catalog.scanner import scan

Put = Callable[..., Path]


@pytest.fixture
def catalog(skills_root: Path, put: Put) -> Catalog:
    put("paper/banner/SKILL.md", "---\nname: acme-banner-maker\ndescription: Makes banners\n---\nBody")
    put("paper/kite")
    put("wood/kite")
    put("风筝")
    return scan(skills_root)


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ("paper/kite", ["paper/kite"]),
        ("kite", ["paper/kite", "wood/kite"]),
        ("Acme-Banner-Maker", ["paper/banner"]),
        ("banner", ["paper/banner"]),
        ("风筝", ["风筝"]),
        ("boat", []),
        ("", []),
    ],
)
def test_ids_beat_names_and_names_beat_folders(catalog: Catalog, wanted: str, ids: list[str]) -> None:
    assert [skill.id for skill in find(catalog, wanted)] == ids


def test_near_ids_are_offered(catalog: Catalog) -> None:
    assert near(catalog, "baner") == ["paper/banner"]
    assert near(catalog, "zzzzzz") == []
