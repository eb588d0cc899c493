"""A catalogue with what loading has to cope with."""

import os
from pathlib import Path

import pytest

from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.scanner import scan

OUTSIDE = "the secret outside"


@pytest.fixture
def catalog(pdf_skills: Path) -> Catalog:
    """Three skills; `pdf-merge` has files of every kind, and a secret lies outside of the folders."""
    folder = pdf_skills / "pdf-merge"
    (folder / "references").mkdir()
    (folder / "references" / "format.md").write_text("# Format\npages of a PDF\n页面\n", encoding="utf-8")
    (folder / "blob.bin").write_bytes(bytes(range(256)) * 64)
    (folder / "empty.txt").write_bytes(b"")
    (folder / ".env").write_text("KEY=secret", encoding="utf-8")
    outside = pdf_skills.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(OUTSIDE, encoding="utf-8")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "linked").symlink_to(outside, target_is_directory=True)
    (folder / "inner.md").symlink_to(folder / "references" / "format.md")
    (folder / "device").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    return scan(pdf_skills)
