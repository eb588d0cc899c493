import multiprocessing
import os
import sqlite3
from pathlib import Path

import pytest

from skill_selector.feedback.counts import Counts, Subject
from skill_selector.feedback.sqlite import SqliteFeedback
from skill_selector.graph.errors import FeedbackError

KITE = Subject(kind="skill", names=("a", "b"), label="kite")


def _count_often(path: Path, times: int) -> None:
    store = SqliteFeedback(path)
    for _ in range(times):
        store.count([KITE], injected=1, good=1)
    store.close()


def test_eight_processes_with_five_hundred_increments_each_lose_none(tmp_path: Path) -> None:
    path = tmp_path / "counts.sqlite"
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_count_often, args=(path, 500)) for _ in range(8)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert [one.exitcode for one in workers] == [0] * 8
    store = SqliteFeedback(path)
    assert store.counts("skill") == {name: Counts(injected=4000, good=4000) for name in "ab"}
    assert len(store.records()) == 1
    store.close()


def test_reading_makes_no_file(tmp_path: Path) -> None:
    store = SqliteFeedback(tmp_path / "deep" / "counts.sqlite")
    assert store.counts("skill") == {}
    assert [store.records(), store.notes(), store.injected_in("x")] == [[], [], []]
    assert not (tmp_path / "deep").exists()


def test_columns_and_tables_of_a_later_release_survive_counting(tmp_path: Path) -> None:
    path = tmp_path / "counts.sqlite"
    first = SqliteFeedback(path)
    first.count([KITE], injected=1)
    first.close()
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE records ADD COLUMN latency REAL")
        database.execute("UPDATE records SET latency = 1.5")
    database.close()
    second = SqliteFeedback(path)
    second.count([KITE], injected=1)
    second.close()
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT injected, latency FROM records").fetchall() == [(2, 1.5)]
    database.close()


def test_a_file_of_a_later_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "counts.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
        database.execute("CREATE TABLE records (x)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(FeedbackError, match="format 99"):
        SqliteFeedback(path).count([KITE], good=1)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "counts.sqlite"
    path.write_text("dear diary " * 100, encoding="utf-8")
    with pytest.raises(FeedbackError, match=r"counts\.sqlite.*move it away"):
        SqliteFeedback(path).counts("skill")
    assert path.read_text(encoding="utf-8").startswith("dear diary")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(FeedbackError, match="SELECTOR_FEEDBACK_FILE"):
        SqliteFeedback(tmp_path / "file" / "counts.sqlite").count([KITE], good=1)


def test_a_count_that_fails_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    store = SqliteFeedback(tmp_path / "counts.sqlite")
    with pytest.raises(FeedbackError):
        store.count([KITE, Subject(kind="skill", names=("c",))], good=1, note=(object(), None, ""))  # type: ignore[arg-type]
    assert store.records() == []
    store.close()


def test_half_a_character_in_a_name_is_replaced(tmp_path: Path) -> None:
    store = SqliteFeedback(tmp_path / "counts.sqlite")
    store.count([Subject(kind="skill", names=("a",), label="k\ud800")], note=("user", 1, "\udfff"))
    assert store.records()[0].label == "k?"
    assert store.notes()[0].comment == "?"
    store.close()


def test_a_file_that_was_removed_is_made_anew(tmp_path: Path) -> None:
    store = SqliteFeedback(tmp_path / "counts.sqlite")
    store.count([KITE], good=1)
    for one in tmp_path.glob("counts*"):
        os.unlink(one)
    store.count([KITE], good=1)
    store.close()
    again = SqliteFeedback(tmp_path / "counts.sqlite")
    assert again.counts_of(KITE) == Counts(good=1)
    again.close()
