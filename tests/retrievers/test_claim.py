"""Waiting for other processes: as long as they come forward, and no longer."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skill_selector.catalog.skill import Skill
from skill_selector.retrievers.claim import claimed
from skill_selector.retrievers.embedder import Embedder
from skill_selector.retrievers.vectorindex import VectorIndex

pytest.importorskip("fcntl")


@contextmanager
def another_process(folder: Path, seconds: float) -> Iterator[None]:
    """Hold the folder's lock elsewhere for a while."""
    code = (
        "import sys, time; from pathlib import Path; from skill_selector.retrievers.claim import claimed\n"
        f"with claimed([Path({str(folder)!r})], lambda: 1): print('held', flush=True); time.sleep({seconds})"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield
        other.kill()


def waited(folder: Path, missing: Iterator[int], patience: float) -> float:
    start = time.monotonic()
    with claimed([folder], lambda: next(missing), patience=patience):
        return time.monotonic() - start


def test_a_free_lock_is_not_waited_for(tmp_path: Path) -> None:
    assert waited(tmp_path, iter([5] * 99), 10) < 0.2


def test_a_lock_is_waited_for_until_its_holder_ends(tmp_path: Path) -> None:
    with another_process(tmp_path, 0.6):
        assert 0.2 <= waited(tmp_path, iter([5] * 99), 30) < 20


def test_a_holder_that_does_not_come_forward_is_left_alone(tmp_path: Path) -> None:
    with another_process(tmp_path, 60):
        assert 0.4 <= waited(tmp_path, iter([5] * 99), 0.5) < 20


def test_nothing_is_waited_for_once_all_is_there(tmp_path: Path) -> None:
    with another_process(tmp_path, 60):
        assert waited(tmp_path, iter([5, 0]), 60) < 20


def test_a_folder_without_locks_is_no_error(tmp_path: Path) -> None:
    assert waited(tmp_path / "missing", iter([5] * 99), 60) < 1


def test_two_processes_that_index_at_once_embed_each_text_once(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom word_embeddings import WordEmbeddings\n"
        "from skill_selector.catalog.skill import Skill\nfrom skill_selector.retrievers import vectorindex\n"
        "from skill_selector.retrievers.embedder import Embedder\nvectorindex.BATCH = 20\n"
        "class Slow(WordEmbeddings):\n"
        "    def embed_documents(self, texts):\n"
        "        time.sleep(0.02)\n        return super().embed_documents(texts)\n"
        "words = Slow()\n"
        "skills = [Skill(id=f's{n}', name=f's{n}', description=f'word{n}', path='', file='', root='/r', digest='') "
        "for n in range(200)]\n"
        f"index = vectorindex.VectorIndex(skills, Embedder(words), {{'/r': Path({str(tmp_path)!r})}})\n"
        "assert index.complete() == 0\nprint(len(words.documents))"
    )
    support = str(Path(__file__).parents[1] / "support")
    both = [
        subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.path.append({support!r})\n{code}"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    assert sum(int(one.communicate(timeout=60)[0]) for one in both) == 200


def test_a_selection_does_not_wait_for_who_indexes(tmp_path: Path) -> None:
    from word_embeddings import WordEmbeddings

    words = WordEmbeddings()
    skill = Skill(id="s", name="s", description="merge", path="", file="", root="/r", digest="")
    with another_process(tmp_path, 60):
        start = time.monotonic()
        assert VectorIndex([skill], Embedder(words), {"/r": tmp_path}).complete(most=10) == 0
        assert time.monotonic() - start < 5
