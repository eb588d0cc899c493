"""A folder is read once: what has not changed is not read again, also by another process and after a crash."""

import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from word_embeddings import WordEmbeddings

from skill_selector.graph.errors import KnowledgeError
from skill_selector.knowledge.folder import KnowledgeLimits
from skill_selector.knowledge.library import KnowledgeLibrary
from skill_selector.knowledge.registry import SkillRegistry

Write = Callable[..., Path]
Open = Callable[..., Any]


def age(folder: Path) -> None:
    """Make every file older than the clock's margin."""
    for path in folder.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def test_a_new_process_reads_only_what_changed(write: Write, knowledge: Path, open_base: Open) -> None:
    write("a.md", "## A\n\nfirst text\n")
    write("b.sql", "CREATE TABLE orders (id INT);")
    assert open_base().base.read == 2
    write("b.sql", "CREATE TABLE orders (id INT, amount INT);")
    found = open_base().base
    assert {one.path for one in found.chunks} == {"a.md", "b.sql"}
    assert "amount" in found.chunks[1].text


def test_an_old_unchanged_file_is_not_opened_again(
    write: Write, knowledge: Path, open_base: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.md", "## A\n\nfirst text\n")
    age(knowledge)
    # the time of the last change of the inode cannot be set back
    monkeypatch.setattr("skill_selector.knowledge.base.MARGIN_NS", -(10**18))
    first = open_base().base
    second = open_base().base
    assert (first.read, second.read) == (1, 0)
    assert first.chunks == second.chunks


def test_the_same_search_comes_back_while_nothing_changed(
    write: Write, knowledge: Path, open_base: Open, tmp_path: Path
) -> None:
    library = KnowledgeLibrary(str(tmp_path / "cache"))
    write("a.md", "## A\n\nfirst text\n")
    first = open_base(library=library)
    assert open_base(library=library) is not first or open_base(library=library).base is first.base
    assert open_base(library=library).base is first.base
    write("a.md", "## A\n\nother text\n")
    assert open_base(library=library).base is not first.base


def test_removed_files_and_changed_manifests_count_at_once(write: Write, open_base: Open) -> None:
    path = write("a.md", "## A\n\nfirst text\n")
    write("b.md", "## B\n\nsecond text\n")
    assert open_base().base.chunks[0].authority == 0.5
    path.unlink()
    write("knowledge.yaml", "rules:\n  - path: '*.md'\n    authority: official\n    date: 2026年3月1日\n")
    found = open_base().base
    assert [(one.title, one.authority, one.date) for one in found.chunks] == [("B", 1.0, "2026-03-01")]


def test_a_damaged_store_is_thrown_away_and_made_anew(write: Write, open_base: Open, tmp_path: Path) -> None:
    write("a.md", "## A\n\nfirst text\n")
    before = open_base().base.chunks
    [store] = (tmp_path / "cache").rglob("knowledge-*.sqlite")
    store.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert open_base().base.chunks == before
    with sqlite3.connect(next((tmp_path / "cache").rglob("knowledge-*.sqlite"))) as connection:
        assert connection.execute("SELECT count(*) FROM files").fetchone() == (1,)
    connection.close()


def test_several_threads_with_libraries_of_their_own_get_the_same(write: Write, open_base: Open) -> None:
    for number in range(20):
        write(f"d{number}.md", f"## T{number}\n\ntext number {number}\n")
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(open_base().base.digest)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(found) == 4
    assert len(set(found)) == 1


def test_bad_rules_unknown_formats_and_links_out_are_said(
    write: Write, knowledge: Path, open_base: Open, tmp_path: Path
) -> None:
    write("knowledge.yaml", "rules:\n  - authority: official\n  - path: a.md\n    authority: holy\n")
    write("a.md", "## A\n\nfirst text\n")
    write("picture.png", b"\x89PNG")
    (tmp_path / "secret.md").write_text("## S\n\nsecret words\n", encoding="utf-8")
    (knowledge / "link.md").symlink_to(tmp_path / "secret.md")
    found = open_base().base
    assert len(found.chunks) == 1
    assert {one.kind for one in found.diagnostics} == {
        "bad_manifest",
        "bad_authority",
        "unknown_format",
        "link_outside",
    }


def test_files_beyond_a_bound_are_said(write: Write, knowledge: Path, tmp_path: Path) -> None:
    for number in range(5):
        write(f"d{number}.md", f"## T{number}\n\ntext number {number}\n")
    write("large.txt", "some words in a line\n" * 100)
    library = KnowledgeLibrary(str(tmp_path / "cache"), KnowledgeLimits(files=6, file_bytes=1000, chunks=4))
    found = library.open(knowledge).base
    assert len(found) == 4
    assert {one.kind for one in found.diagnostics} == {"file_size", "chunk_limit"}
    few = KnowledgeLibrary("off", KnowledgeLimits(files=2)).open(knowledge).base
    assert (few.files, [one.kind for one in few.diagnostics]) == (2, ["file_limit"])


def test_a_missing_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    library = KnowledgeLibrary("off")
    with pytest.raises(KnowledgeError, match=r"there is no knowledge folder .*nowhere; check the path"):
        library.open(tmp_path / "nowhere")
    (tmp_path / "file.md").write_text("x", encoding="utf-8")
    with pytest.raises(KnowledgeError, match="is a file, not a knowledge folder"):
        library.open(tmp_path / "file.md")


async def test_opening_has_an_async_half_and_an_empty_folder_is_no_error(knowledge: Path) -> None:
    search = await KnowledgeLibrary("off").aopen(knowledge, SkillRegistry())
    assert len(search.base) == 0
    assert await search.akeyword("anything") == []
    assert await search.asemantic("任何东西") == []


def test_vectors_of_unchanged_chunks_are_not_made_again(write: Write, open_base: Open) -> None:
    write("a.md", "## A\n\nfirst text\n")
    embeddings = WordEmbeddings()
    open_base(embeddings).semantic("text")
    write("a.md", "## New\n\nabove\n\n## A\n\nfirst text\n")
    open_base(embeddings).semantic("text")
    assert [text.split(".")[0] for text in embeddings.documents] == ["A", "New"]
