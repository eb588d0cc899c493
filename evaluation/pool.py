"""Several worker processes that share the tasks out among themselves."""

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

from skill_selector.evaluation.prediction import TaskRun
from skill_selector.evaluation.task import LabelledTask
from skill_selector.evaluation.worker import Message, pack, pack_task
from skill_selector.graph import errors
from skill_selector.graph.errors import EvaluationError, SkillSelectorError

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Each worker has a core; threads of its own beside that would only get in each other's way."""

Report = Callable[[str, int], None]

_Todo = deque[tuple[int, LabelledTask]]


class _Done(NamedTuple):
    at: int
    run: TaskRun


class _Loading(NamedTuple):
    step: str
    done: int


_Reply = _Done | _Loading | Exception


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What every worker starts with."""

    roots: list[str]
    context: dict[str, Any]
    strategy: str
    """All of the strategy, as `describe_strategy` gives it."""
    strategy_name: str
    digest: str
    """The catalogue's, as the parent read it."""
    calibration: dict[str, Any] | None = None
    measure: bool = False
    """Runs hold what the local reasoner measured."""

    def message(self) -> Message:
        """Return what goes to the worker."""
        return {
            "roots": self.roots,
            "context": self.context,
            "strategy": self.strategy_name,
            "calibration": self.calibration,
            "measure": self.measure,
        }

    def check(self, ready: Message) -> None:
        """Compare what a worker loaded with what the parent has.

        Raises:
            EvaluationError: they differ.
        """
        if ready["strategy"] != self.strategy:
            raise EvaluationError(
                f"strategy {self.strategy_name!r} is not the same in a worker process: what a program registers is "
                "known to itself only; pass processes=1"
            )
        if ready["digest"] != self.digest:
            raise EvaluationError("the skills changed while they were read; run again when nothing writes to them")


def run_in_processes(tasks: Sequence[LabelledTask], setup: Setup, processes: int, report: Report) -> list[TaskRun]:
    """Return the tasks' runs, in the order of the tasks.

    Args:
        tasks: more than none.
        setup: what the workers start with.
        processes: how many workers.
        report: called with `evaluate` and the number of tasks done, and with what the first worker says while it loads.

    Raises:
        EvaluationError: a worker died, or its folders or strategy are not the parent's.
        SkillSelectorError: as `Runner.run`.
    """
    todo: _Todo = deque(enumerate(tasks))
    replies: SimpleQueue[_Reply] = SimpleQueue()
    runs: list[TaskRun | None] = [None] * len(tasks)
    done = 0
    workers: list[_Worker] = []
    try:
        for number in range(processes):
            workers.append(_Worker(number, setup, todo, replies))
        while done < len(tasks):
            match replies.get():
                case Exception() as error:
                    raise error
                case _Done(at, run):
                    runs[at] = run
                    done += 1
                    report("evaluate", done)
                case _Loading(step, loaded):
                    report(step, loaded)
    finally:
        for worker in workers:
            worker.stop()
    return [run for run in runs if run is not None]


class _Worker:
    """One process, and the thread that feeds it."""

    def __init__(self, number: int, setup: Setup, todo: _Todo, replies: "SimpleQueue[_Reply]") -> None:
        self._leads = number == 0
        self._setup, self._todo, self._replies = setup, todo, replies
        self._process = _start()
        self._thread = Thread(target=self._feed, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(BrokenPipeError):  # of a message that nobody took any more
                    pipe.close()

    def _feed(self) -> None:
        try:
            self._send(self._setup.message())
            self._setup.check(self._receive("ready"))
            while (taken := _take(self._todo)) is not None:
                at, task = taken
                self._send(pack_task(task))
                self._replies.put(_Done(at, self._receive("run")))
        except Exception as error:  # raised again where somebody waits
            self._replies.put(error)

    def _send(self, message: Message) -> None:
        assert self._process.stdin  # noqa: S101 - it is a pipe
        try:
            self._process.stdin.write(pack(message))
            self._process.stdin.flush()
        except OSError:
            raise self._death() from None

    def _receive(self, key: str) -> Any:
        assert self._process.stdout  # noqa: S101 - it is a pipe
        while True:
            line = self._process.stdout.readline()
            if not line.endswith(b"\n"):
                raise self._death()
            message: Message = json.loads(line)
            if key in message:
                return message[key]
            if "error" in message:
                raise _error(message)
            if "crash" in message:
                raise RuntimeError(f"a worker process failed:\n{message['crash']}")
            if self._leads:
                self._replies.put(_Loading(*message["progress"]))

    def _death(self) -> EvaluationError:
        status = self._process.wait()
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        return EvaluationError(
            f"a worker process {how} before its tasks were done; if memory ran out, run again with fewer processes"
        )


def _take(todo: _Todo) -> tuple[int, LabelledTask] | None:
    # Several threads take from it: asking first whether it is empty proves nothing.
    with suppress(IndexError):
        return todo.popleft()
    return None


def _start() -> "subprocess.Popen[bytes]":
    path = os.pathsep.join(one for one in sys.path if one)
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "skill_selector.evaluation.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # It finds the modules that this process finds.
            env={**dict.fromkeys(_ONE_THREAD, "1"), **os.environ, "PYTHONPATH": path},
            # Ctrl-C goes to whoever is in the terminal's foreground; we end the workers ourselves.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as error:
        raise EvaluationError(f"a worker process cannot be started: {error}; run again with fewer processes") from error


def _error(message: Message) -> SkillSelectorError:
    kind = getattr(errors, message["kind"], SkillSelectorError)
    error: SkillSelectorError = kind(message["error"])
    return error
