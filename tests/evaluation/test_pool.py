"""Worker processes: whatever happens, one clear line and nobody left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skill_selector.evaluation import evaluate
from skill_selector.evaluation.pool import Setup, run_in_processes
from skill_selector.evaluation.task import LabelledTask
from skill_selector.evaluation.worker import describe_strategy, pack
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import EvaluationError, SkillDirectoryError

MakeTask = Callable[..., LabelledTask]

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to look at processes")


def workers_of(parent: int) -> list[int]:
    """Return the worker processes that a process started and that still run."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            state, father = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[:2]
            words = (folder / "cmdline").read_text(encoding="utf-8")
        except OSError:
            continue
        if father == str(parent) and state != "Z" and "skill_selector.evaluation.worker" in words:
            found.append(int(folder.name))
    return found


def is_running(process: int) -> bool:
    try:
        return (Path("/proc") / str(process) / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def setup(root: Path, digest: str = "d") -> Setup:
    return Setup(
        roots=[str(root)],
        context={"reasoner": "local"},
        strategy=describe_strategy(SelectorContext(strategy="react")),
        strategy_name="react",
        digest=digest,
    )


def quiet(_step: str, _done: int) -> None:
    """Let progress pass."""


def fake_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a shell script in the place of the Python that workers run in."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


def test_a_worker_that_is_killed_ends_the_run_and_the_others(
    pdf_tasks: list[LabelledTask], pdf_skills: Path, make_task: MakeTask
) -> None:
    many = [*pdf_tasks, *(make_task(f"m{number}", "none") for number in range(2000))]
    seen: list[int] = []

    def kill(step: str, _done: int) -> None:
        if step == "evaluate" and not seen:
            seen.extend(workers_of(os.getpid()))
            os.kill(seen[0], signal.SIGKILL)

    with pytest.raises(EvaluationError, match=r"was killed by signal 9 .* fewer processes"):
        evaluate(many, pdf_skills, offline=True, processes=2, progress=kill)
    assert len(seen) == 2
    assert not [one for one in seen if is_running(one)]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 3", "ended with status 3"),
        ("read line; exit 0", "ended with status 0"),
        ("read line; kill -9 $$", "was killed by signal 9"),
        ("read line; printf '{\"ready\": '; exit 1", "ended with status 1"),
    ],
)
def test_a_worker_that_ends_too_early_is_one_clear_error(
    pdf_tasks: list[LabelledTask],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    words: str,
) -> None:
    fake_worker(tmp_path, monkeypatch, script)
    with pytest.raises(EvaluationError, match=words):
        run_in_processes(pdf_tasks, setup(tmp_path), 2, quiet)
    assert workers_of(os.getpid()) == []


def test_a_worker_that_cannot_start_is_one_clear_error(
    pdf_tasks: list[LabelledTask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(EvaluationError, match=r"cannot be started.*fewer processes"):
        run_in_processes(pdf_tasks, setup(tmp_path), 2, quiet)


def test_a_fault_of_ours_in_a_worker_shows_where_it_was(
    pdf_tasks: list[LabelledTask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_worker(tmp_path, monkeypatch, 'read line; echo \'{"crash": "Traceback of the worker"}\'; read line')
    with pytest.raises(RuntimeError, match="Traceback of the worker"):
        run_in_processes(pdf_tasks, setup(tmp_path), 1, quiet)


def test_a_users_mistake_in_a_worker_is_the_same_error_as_without_one(
    pdf_tasks: list[LabelledTask], tmp_path: Path
) -> None:
    with pytest.raises(SkillDirectoryError, match="gone"):
        run_in_processes(pdf_tasks, setup(tmp_path / "gone"), 1, quiet)


def test_skills_that_changed_meanwhile_are_noticed(tmp_path: Path) -> None:
    here = setup(tmp_path, digest="of yesterday")
    here.check({"digest": "of yesterday", "strategy": here.strategy})
    with pytest.raises(EvaluationError, match="changed while they were read"):
        here.check({"digest": "of today", "strategy": here.strategy})


@pytest.mark.parametrize("sent", [b"", b"setup"])
def test_a_worker_ends_when_nobody_can_send_it_more(pdf_skills: Path, sent: bytes) -> None:
    command = [sys.executable, "-m", "skill_selector.evaluation.worker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdin
        assert worker.stdout
        if sent:
            worker.stdin.write(pack(setup(pdf_skills).message()))
            worker.stdin.flush()
            assert any(b'"ready"' in line for line in worker.stdout)
        worker.stdin.close()
        assert worker.wait(20) == 0


def test_workers_end_with_their_parent(pdf_skills: Path, tmp_path: Path) -> None:
    """A parent that is killed cannot clean up: its workers must notice by themselves, also while they work."""
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\n"
        "from skill_selector.evaluation import LabelledTask, evaluate\n"
        "one = dict(lang='en', kind='none', task='tune my piano', gold=())\n"
        "tasks = [LabelledTask(id=str(number), **one) for number in range(5000)]\n"
        f"evaluate(tasks, {str(pdf_skills)!r}, offline=True, processes=2,\n"
        "         progress=lambda step, done: print(step, flush=True))\n",
        encoding="utf-8",
    )
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    with parent:
        assert any(line == "evaluate\n" for line in parent.stdout)
        workers = workers_of(parent.pid)
        assert len(workers) == 2
        parent.kill()
    assert wait_until(lambda: not any(map(is_running, workers)), 5)
