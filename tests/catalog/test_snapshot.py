"""Scans that know what earlier ones read: what they need not read again, and what they never believe."""

import logging
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skill_selector.catalog import record, scanner, snapshot, store
from skill_selector.catalog.cache import Cache
from skill_selector.catalog.catalog import Catalog
from skill_selector.catalog.roots import open_roots
from skill_selector.catalog.scanner import scan
from skill_selector.catalog.snapshot import Snapshots
from skill_selector.catalog.source import Source, read_source
from skill_selector.catalog.walker import Found, ScanLimits

Put = Callable[..., Path]

ODD_FILES = {
    "plain": "---\nname: plain\ndescription: Folds kites\ntags: [paper, wind]\nallowed-tools: Read, Write\n---\nBody",
    "风筝": "---\nname: 风筝\ndescription: 做一只风筝\nmetadata:\n  author: {name: 李, age: 7}\n---\n折纸",
    "untitled": "Just a paragraph of text that says what to do.\n\n# More\n",
    "colon": "---\nname: colon\ndescription: Use it: always\nallowed-tools: []\n---\nBody",
    "half-pair": '---\nname: half\ndescription: "odd \\ud800 escape"\n---\nBody',
    "empty": "",
    "binary": bytes(range(256)),
    "manual": "---\nname: manual\ndescription: Only by hand\ndisable-model-invocation: true\n---\nBody",
}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "kept")


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take files that were written a moment ago as old."""
    monkeypatch.setattr(snapshot, "MARGIN_NS", 0)


@pytest.fixture
def read_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the skills whose files are read."""
    names: list[str] = []

    def reading(file: str, *args: int) -> Source:
        names.append(Path(file).parent.name)
        return read_source(file, *args)

    monkeypatch.setattr(scanner, "read_source", reading)
    return names


@pytest.fixture
def odd_files(put: Put) -> None:
    for name, content in ODD_FILES.items():
        put(f"{name}/SKILL.md", content)


def assert_same(one: Catalog, other: Catalog) -> None:
    assert one.skills == other.skills
    assert one.shadowed == other.shadowed
    assert one.diagnostics == other.diagnostics
    assert one.digest == other.digest


def database(cache: Cache) -> Path:
    [file] = cache.folder.glob("*/catalog-*.sqlite")
    return file


@pytest.mark.usefixtures("settled", "odd_files")
def test_a_new_process_reads_nothing_of_what_did_not_change_and_finds_the_same(
    skills_root: Path, cache: Cache, read_files: list[str]
) -> None:
    fresh = scan(skills_root)
    first = scan(skills_root, snapshots=Snapshots(cache))
    read_files.clear()
    warm = scan(skills_root, snapshots=Snapshots(cache))
    assert read_files == []
    assert_same(warm, fresh)
    assert_same(warm, first)
    assert all(type(skill.tags) is tuple and type(skill.disallowed_tools) is tuple for skill in warm.skills)


@pytest.mark.usefixtures("settled")
def test_bodies_are_not_loaded_and_are_read_on_demand(skills_root: Path, put: Put, cache: Cache) -> None:
    put("kite")
    for _ in range(2):
        [skill] = scan(skills_root, snapshots=Snapshots(cache)).skills
        assert skill.loaded_body is None
        assert skill.body == "Use a can."
    [plain] = scan(skills_root).skills
    assert plain.loaded_body == "Use a can."
    assert plain.body_digest == skill.body_digest != ""


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("restart", [True, False])
def test_editing_adding_removing_and_renaming_show_at_the_next_scan(
    skills_root: Path, put: Put, cache: Cache, read_files: list[str], restart: bool
) -> None:
    for name in ("kite", "boat", "tent"):
        put(name)
    snapshots = Snapshots(cache)

    def ids() -> list[str]:
        nonlocal snapshots
        snapshots = Snapshots(cache) if restart else snapshots
        read_files.clear()
        catalog = scan(skills_root, snapshots=snapshots)
        assert_same(catalog, scan(skills_root))
        del read_files[-len(catalog.skills) :]  # those of the plain scan
        return [f"{skill.id}: {skill.description}" for skill in catalog.skills]

    assert ids() == [f"{name}: Waters the plants." for name in ("boat", "kite", "tent")]
    assert sorted(read_files) == ["boat", "kite", "tent"]
    put("kite/SKILL.md", "---\nname: kite\ndescription: Paints the fence.\n---\n\nUse a can.\n")
    assert ids() == ["boat: Waters the plants.", "kite: Paints the fence.", "tent: Waters the plants."]
    assert read_files == ["kite"]
    put("new")
    assert len(ids()) == 4
    assert read_files == ["new"]
    (skills_root / "boat" / "SKILL.md").unlink()
    assert [one.partition(":")[0] for one in ids()] == ["kite", "new", "tent"]
    assert read_files == []
    (skills_root / "tent").rename(skills_root / "house")
    assert [one.partition(":")[0] for one in ids()] == ["house", "kite", "new"]


@pytest.mark.usefixtures("settled")
def test_an_edit_that_keeps_size_and_modification_time_shows(skills_root: Path, put: Put, cache: Cache) -> None:
    """As packers do that give every file the same time."""
    file = put("kite")
    os.utime(file, (500_000_000, 500_000_000))
    scan(skills_root, snapshots=Snapshots(cache))
    time.sleep(0.02)  # the kernel's own clock ticks every few milliseconds
    file.write_text(file.read_text(encoding="utf-8").replace("Waters", "Floods"), encoding="utf-8")
    os.utime(file, (500_000_000, 500_000_000))
    [skill] = scan(skills_root, snapshots=Snapshots(cache)).skills
    assert skill.description == "Floods the plants."


@pytest.mark.parametrize(("age_ns", "noticed"), [(0, True), (1_900_000_000, True), (3_600_000_000_000, False)])
def test_a_file_that_changed_just_before_the_scan_is_read_again_although_it_looks_unchanged(
    skills_root: Path, put: Put, monkeypatch: pytest.MonkeyPatch, age_ns: int, noticed: bool
) -> None:
    """Two edits within one tick of the file system's clock leave the same stamp."""
    changed = time.time_ns() - age_ns
    for module in (snapshot, record):
        monkeypatch.setattr(module, "stamp_of", lambda found: (found.size, changed, changed, 1))
    cache = Cache(skills_root.parent / "kept")
    snapshots = Snapshots(cache)
    file = put("kite")
    scan(skills_root, snapshots=snapshots)
    file.write_text(file.read_text(encoding="utf-8").replace("Waters", "Floods"), encoding="utf-8")
    for one in (snapshots, Snapshots(cache)):
        [skill] = scan(skills_root, snapshots=one).skills
        assert (skill.description == "Floods the plants.") is noticed


def test_a_file_that_is_read_again_with_the_same_bytes_is_not_parsed_again(
    skills_root: Path, put: Put, cache: Cache, read_files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put("kite")
    snapshots = Snapshots(cache)
    first = scan(skills_root, snapshots=snapshots)
    os.utime(file)
    read_files.clear()
    monkeypatch.setattr("skill_selector.catalog.parser.parse_digested", lambda *_, **__: pytest.fail("parsed"))
    assert_same(scan(skills_root, snapshots=snapshots), first)
    assert read_files == ["kite"]


@pytest.mark.usefixtures("settled")
def test_the_bound_on_a_files_size_is_part_of_the_key(skills_root: Path, put: Put, cache: Cache) -> None:
    put("long/SKILL.md", "---\nname: long\ndescription: Folds\n---\n" + "line\n" * 1000)
    for limits in (ScanLimits(), ScanLimits(file_bytes=500), ScanLimits()):
        warm = scan(skills_root, limits=limits, snapshots=Snapshots(cache))
        assert_same(warm, scan(skills_root, limits=limits))
    assert len(list(cache.folder.glob("*/catalog-*.sqlite"))) == 2


@pytest.mark.usefixtures("settled")
def test_what_other_code_parsed_is_not_believed(
    skills_root: Path, put: Put, cache: Cache, read_files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put("kite")
    scan(skills_root, snapshots=Snapshots(cache))
    monkeypatch.setattr(snapshot, "code_version", lambda *_: "newer")
    read_files.clear()
    scan(skills_root, snapshots=Snapshots(cache))
    assert read_files == ["kite"]


@pytest.mark.usefixtures("settled")
def test_a_root_inside_another_one_does_not_cost_the_outer_one_its_records(
    skills_root: Path, put: Put, cache: Cache, read_files: list[str]
) -> None:
    put("kite")
    put("group/boat")
    inner = skills_root / "group"
    scan(skills_root, snapshots=Snapshots(cache))
    scan([skills_root, inner], snapshots=Snapshots(cache))
    read_files.clear()
    scan(skills_root, snapshots=Snapshots(cache))
    scan([skills_root, inner], snapshots=Snapshots(cache))
    assert read_files == []


@pytest.mark.usefixtures("settled")
def test_a_root_that_is_a_skill_takes_its_name_from_the_way_it_is_named(
    skills_root: Path, put: Put, cache: Cache
) -> None:
    put("kite/SKILL.md", "Folds paper into kites for children.\n")
    link = skills_root / "glider"
    link.symlink_to(skills_root / "kite")
    for root in (skills_root / "kite", link, skills_root / "kite"):
        [skill] = scan(root, snapshots=Snapshots(cache)).skills
        assert (skill.id, skill.name) == (root.name, root.name)


@pytest.mark.usefixtures("settled")
def test_a_file_that_cannot_be_read_any_more_is_reported_and_comes_back(
    skills_root: Path, put: Put, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put("kite")
    snapshots = Snapshots(cache)
    scan(skills_root, snapshots=snapshots)
    os.utime(file)

    def refusing(*_: object) -> Source:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(scanner, "read_source", refusing)
        catalog = scan(skills_root, snapshots=snapshots)
    assert [one.kind for one in catalog.diagnostics] == ["unreadable_file"]
    assert len(scan(skills_root, snapshots=snapshots).skills) == 1


@pytest.mark.usefixtures("settled", "odd_files")
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=6))
def test_bits_that_change_on_disk_change_nothing_and_raise_nothing(
    skills_root: Path, flips: list[tuple[float, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        truth = scan(skills_root, snapshots=Snapshots(cache))
        file = database(cache)
        data = bytearray(file.read_bytes())
        for place, bits in flips:
            data[int(place * len(data))] ^= bits
        file.write_bytes(data)
        assert_same(scan(skills_root, snapshots=Snapshots(cache)), truth)
        assert_same(scan(skills_root, snapshots=Snapshots(cache)), truth)


def _truncate(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size // 2)


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _scribble(file: Path) -> None:
    file.write_bytes(b"not a database at all" * 1000)


def _foreign(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE songs(title TEXT)")
    connection.close()


def _view(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE VIEW files AS SELECT 'kite/SKILL.md' AS key, 0 AS crc, x'' AS record")
    connection.close()


def _trigger(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON files BEGIN DELETE FROM files; END")
    connection.close()


def _other_json(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        rows = [(store._crc(b'{"a": 1}'), b'{"a": 1}')]
        connection.executemany("UPDATE files SET crc = ?, record = ?", rows)
    connection.close()


@pytest.mark.usefixtures("settled", "odd_files")
@pytest.mark.parametrize("damage", [_truncate, _empty, _scribble, _foreign, _view, _trigger, _other_json])
def test_a_damaged_or_foreign_snapshot_is_rebuilt(
    skills_root: Path, cache: Cache, read_files: list[str], damage: Callable[[Path], None]
) -> None:
    truth = scan(skills_root, snapshots=Snapshots(cache))
    damage(database(cache))
    read_files.clear()
    assert_same(scan(skills_root, snapshots=Snapshots(cache)), truth)
    assert read_files
    read_files.clear()
    assert_same(scan(skills_root, snapshots=Snapshots(cache)), truth)
    assert read_files == []


@pytest.mark.usefixtures("settled")
def test_a_full_disk_is_said_once_and_costs_only_the_snapshot(
    skills_root: Path, put: Put, cache: Cache, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    put("kite/SKILL.md", f"---\nname: kite\ndescription: {'Folds. ' * 3000}\n---\nBody")
    real = sqlite3.connect

    def connect(*args: object, **kwargs: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = real(*args, **kwargs)  # type: ignore[call-overload]
        connection.execute("PRAGMA max_page_count=3")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert_same(scan(skills_root, snapshots=Snapshots(cache)), scan(skills_root))
    assert ["full" in record.getMessage() for record in caplog.records] == [True]


def test_a_cache_folder_that_cannot_be_written_costs_only_the_snapshot(
    skills_root: Path, put: Put, tmp_path: Path
) -> None:
    put("kite")
    (tmp_path / "file").write_text("", encoding="utf-8")
    snapshots = Snapshots(Cache(tmp_path / "file" / "below"))
    assert_same(scan(skills_root, snapshots=snapshots), scan(skills_root))


@pytest.mark.usefixtures("settled")
def test_without_a_cache_the_process_still_remembers(skills_root: Path, put: Put, read_files: list[str]) -> None:
    put("kite")
    snapshots = Snapshots()
    first = scan(skills_root, snapshots=snapshots)
    read_files.clear()
    assert_same(scan(skills_root, snapshots=snapshots), first)
    assert read_files == []


def test_progress_counts_files_that_need_not_be_read_too(skills_root: Path, put: Put, cache: Cache) -> None:
    for number in range(3):
        put(f"kite-{number}")
    counts: list[int] = []
    for _ in range(2):
        scan(skills_root, snapshots=Snapshots(cache), progress=counts.append)
    assert counts == [3, 3]


SCAN = """
import sys
from pathlib import Path
from skill_selector.catalog import snapshot, store
from skill_selector.catalog.cache import Cache
from skill_selector.catalog.roots import open_roots
from skill_selector.catalog.scanner import scan
from skill_selector.catalog.snapshot import Snapshots
snapshot.MARGIN_NS = 0
{setup}
for _ in range({times}):
    print(scan(sys.argv[1], snapshots=Snapshots(Cache(Path(sys.argv[2])))).digest)
"""


def start_scan(root: Path, cache: Path, times: int = 1, setup: str = "") -> "subprocess.Popen[str]":
    code = SCAN.format(setup=setup, times=times)
    command = [sys.executable, "-c", code, str(root), str(cache)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def many(put: Put) -> int:
    for number in range(300):
        put(f"group-{number % 7}/kite-{number}")
    return 300


@pytest.mark.usefixtures("many", "settled")
def test_processes_that_scan_at_the_same_time_agree_and_leave_a_whole_snapshot(
    skills_root: Path, cache: Cache, read_files: list[str]
) -> None:
    digest = scan(skills_root).digest
    processes = [start_scan(skills_root, cache.folder.parent, times=4) for _ in range(3)]
    for process in processes:
        output, errors = process.communicate(timeout=60)
        assert (output.split(), errors) == ([digest] * 4, "")
    read_files.clear()
    assert scan(skills_root, snapshots=Snapshots(cache)).digest == digest
    assert read_files == []


@pytest.mark.usefixtures("many", "settled")
def test_a_process_that_reads_while_another_one_writes_finds_what_is_there(
    skills_root: Path, put: Put, cache: Cache
) -> None:
    writing = "real = snapshot.Snapshot.keep\n"
    writing += "snapshot.Snapshot.keep = lambda self, fresh, seen, began: real(self, fresh or list(\n"
    writing += "    known.read for known in self._known.values()), seen, began)"  # writes everything each time
    writer = start_scan(skills_root, cache.folder.parent, times=30, setup=writing)
    truth = scan(skills_root)
    while writer.poll() is None:
        assert_same(scan(skills_root, snapshots=Snapshots(cache)), truth)
    output, errors = writer.communicate()
    assert (set(output.split()), errors) == ({truth.digest}, "")


@pytest.mark.usefixtures("many", "settled")
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_process_that_is_killed_while_it_writes_leaves_nothing_wrong(
    skills_root: Path, put: Put, cache: Cache, read_files: list[str]
) -> None:
    scan(skills_root, snapshots=Snapshots(cache))
    file = put("group-1/kite-1/SKILL.md", "---\nname: kite-1\ndescription: Changed.\n---\nBody")
    killing = "import os, signal\n"
    killing += "def leave(self, kind, *_): os.kill(os.getpid(), signal.SIGKILL)\n"
    killing += "store._transaction.__exit__ = leave"
    killed = start_scan(skills_root, cache.folder.parent, setup=killing)
    assert killed.communicate(timeout=60)[0] == ""
    assert killed.returncode == -9
    read_files.clear()
    warm = scan(skills_root, snapshots=Snapshots(cache))
    assert read_files == [file.parent.name]
    assert_same(warm, scan(skills_root))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.binary(max_size=300) | st.text(max_size=300).map(str.encode), max_size=4))
def test_whatever_the_bytes_a_record_gives_what_reading_the_file_gave(contents: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "skills")
        for number, content in enumerate(contents):
            (root / str(number)).mkdir(parents=True)
            (root / str(number) / "SKILL.md").write_bytes(content)
        root.mkdir(exist_ok=True)
        cache = Cache(Path(folder, "kept"))
        fresh = scan(root)
        assert_same(scan(root, snapshots=Snapshots(cache)), fresh)
        assert_same(scan(root, snapshots=Snapshots(cache)), fresh)


def test_half_a_surrogate_pair_is_kept_as_it_is(skills_root: Path, put: Put) -> None:
    put("kite")
    [found] = scanner.find(open_roots(skills_root), ScanLimits(), [])
    read = scanner.read_found(found, ScanLimits(), keep_body=False)
    assert isinstance(read, record.ReadFile)
    assert read.skill is not None
    odd = replace(read, skill=replace(read.skill, description="odd \ud800"))
    assert record.revive(record.decode(record.encode(odd, 1)), found) == odd


def test_found_files_carry_what_tells_versions_apart(skills_root: Path, put: Put) -> None:
    status = put("kite").stat()
    found: list[Found] = scanner.find(open_roots(skills_root), ScanLimits(), [])
    assert record.stamp_of(found[0]) == (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
