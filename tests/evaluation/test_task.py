"""Files of labelled tasks: what is read, and how every fault is named with its line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.evaluation.task import MOST_FAULTS, LabelledTask, load_tasks
from skill_selector.graph.errors import TaskFileError

WriteTasks = Callable[..., Path]

GOOD: dict[str, Any] = {"id": "a", "lang": "en", "kind": "match", "task": "merge PDF files", "gold": [["pdf-merge"]]}


def refused(path: Path) -> str:
    with pytest.raises(TaskFileError) as caught:
        load_tasks(path)
    return str(caught.value)


def test_tasks_are_read_in_order_with_copies_as_groups(write_tasks: WriteTasks) -> None:
    path = write_tasks(
        GOOD, {"id": "b", "lang": "zh-en", "kind": "ambiguous", "task": "合并文件", "gold": [["x", "y"], ["z"]]}
    )
    first, second = load_tasks(path)
    assert first == LabelledTask(id="a", lang="en", kind="match", task="merge PDF files", gold=(("pdf-merge",),))
    assert (second.task, second.gold, second.gold_ids) == ("合并文件", (("x", "y"), ("z",)), frozenset("xyz"))


def test_blank_lines_other_keys_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    rows = json.dumps({**GOOD, "note": "mine"}), "", json.dumps({**GOOD, "id": "b"})
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(rows).encode())
    assert [task.id for task in load_tasks(str(path))] == ["a", "b"]


def test_a_line_separator_inside_a_task_ends_no_line(write_tasks: WriteTasks) -> None:
    assert load_tasks(write_tasks({**GOOD, "task": "one\u2028two\x85three"}))[0].task == "one\u2028two\x85three"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": ""}, ["id is ''", "text"]),
        ({"id": 7}, ["id is 7"]),
        ({"task": "  "}, ["task is '  '"]),
        ({"task": "half \ud800 a character"}, ["task is"]),
        ({"lang": "English, mostly"}, ["lang", "zh-en"]),
        ({"kind": "maybe"}, ["kind is 'maybe'", "match, none or ambiguous"]),
        ({"kind": ["match"]}, ["kind is ['match']"]),
        ({"gold": ["pdf-merge"]}, ["gold is ['pdf-merge']", "list of lists"]),
        ({"gold": [[]]}, ["gold is [[]]", "list of lists"]),
        ({"gold": [["x", 3]]}, ["gold holds 3"]),
        ({"gold": None}, ["gold is None"]),
        ({"gold": []}, ["gold is empty", "kind is match"]),
        ({"kind": "ambiguous", "gold": []}, ["gold is empty", "kind is ambiguous"]),
        ({"kind": "none"}, ["gold names skills", "kind is none"]),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_its_line(
    write_tasks: WriteTasks, change: dict[str, Any], words: list[str]
) -> None:
    path = write_tasks({**GOOD, "id": "first"}, json.dumps({**GOOD, **change}))
    message = refused(path)
    assert message.startswith(f"{path}: line 2: ")
    for word in words:
        assert word in message


@pytest.mark.parametrize("key", list(GOOD))
def test_a_missing_key_is_named_with_its_line(write_tasks: WriteTasks, key: str) -> None:
    rest = {name: value for name, value in GOOD.items() if name != key}
    assert refused(write_tasks(rest)).endswith(f"line 1: {key} is missing")


@pytest.mark.parametrize(
    ("line", "word"),
    [('{"id": ', "not JSON"), ("[1, 2]", "a list"), ('"text"', "a str"), ("[" * 100_000, "not JSON"), ("7", "a int")],
)
def test_a_line_that_is_no_json_object_is_named(write_tasks: WriteTasks, line: str, word: str) -> None:
    message = refused(write_tasks(GOOD, line))
    assert "line 2: it" in message
    assert word in message


def test_text_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b"\n" + json.dumps(GOOD, ensure_ascii=False).encode("utf-16"))
    assert "line 2: it is not UTF-8" in refused(path)


def test_a_second_task_of_the_same_id_is_named_with_both_lines(write_tasks: WriteTasks) -> None:
    assert refused(write_tasks(GOOD, "", GOOD)).endswith("line 3: the id 'a' is that of line 1 already")


def test_every_fault_is_named_at_once(write_tasks: WriteTasks) -> None:
    lines = refused(write_tasks({"id": 1, "kind": "x"}, GOOD, "{", GOOD)).splitlines()
    assert lines[0].endswith("has 5 faults:")
    assert [line.split(": ")[0].strip() for line in lines[1:]] == ["line 1", "line 1", "line 1", "line 3", "line 4"]


def test_a_file_of_something_else_is_no_endless_list(write_tasks: WriteTasks) -> None:
    lines = refused(write_tasks(*["no task at all"] * 500)).splitlines()
    assert len(lines) == MOST_FAULTS + 2
    assert lines[-1].strip() == "and 450 more"


def test_an_empty_or_missing_file_says_what_belongs_there(write_tasks: WriteTasks, tmp_path: Path) -> None:
    assert "holds no task" in refused(write_tasks(""))
    assert "gone.jsonl cannot be read: No such file" in refused(tmp_path / "gone.jsonl")
    assert "cannot be read" in refused(tmp_path)


def test_a_task_made_in_python_is_checked_the_same_way() -> None:
    with pytest.raises(ValueError, match=r"id is ''.*gold is empty"):
        LabelledTask(id="", lang="en", kind="match", task="merge", gold=())


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.sampled_from(["match", "none", "en"]),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(list(GOOD)), _JSON))
def test_any_row_is_either_a_task_or_a_named_fault(tmp_path_factory: Any, row: dict[str, Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    try:
        (task,) = load_tasks(path)
    except TaskFileError as error:
        assert "line 1: " in str(error)  # noqa: PT017 - either way is right
    else:
        assert task.id == row["id"]
