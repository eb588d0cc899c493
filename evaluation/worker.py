"""A worker process: reads one JSON message a line from standard input, answers the same way on standard output.

In: first the setup (see `pool.Setup`), then tasks. Out: `progress` while it loads, `ready`, then one `run` a task;
`error` for what a user can put right, `crash` for what only we can. It ends with its parent.
"""

import json
import logging
import os
import sys
import traceback
from dataclasses import asdict
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO

from skill_selector.evaluation.task import LabelledTask
from skill_selector.graph.context import SelectorContext
from skill_selector.graph.errors import SettingError, SkillSelectorError

Message = dict[str, Any]


def pack(message: Message) -> bytes:
    """Return a message as a line."""
    return json.dumps(message).encode() + b"\n"


def describe_strategy(context: SelectorContext) -> str:
    """Return all of a strategy as text: what is registered under the same name may differ between processes."""
    from skill_selector.retrievers.strategy import (  # noqa: PLC0415 - see `_serve`
        choose_strategy,
        settings_with_defaults,
    )

    try:
        return repr(choose_strategy(settings_with_defaults(context)))
    except SettingError:
        return ""


def pack_task(task: LabelledTask) -> Message:
    """Return a task as a message."""
    return asdict(task)


def main() -> None:
    """Serve until standard input ends."""
    logging.disable(logging.WARNING)  # the parent has warned already
    inbox: SimpleQueue[Message] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, inbox), daemon=True).start()
    # Whatever prints in here must not end up among the messages.
    with os.fdopen(os.dup(1), "wb") as outbox:
        os.dup2(2, 1)
        try:
            _serve(inbox, outbox)
        except SkillSelectorError as error:
            _send(outbox, {"error": str(error), "kind": type(error).__name__})
        except BrokenPipeError:
            pass
        except Exception:  # the parent raises it again
            _send(outbox, {"crash": traceback.format_exc()})


def _serve(inbox: "SimpleQueue[Message]", outbox: BinaryIO) -> None:
    # It takes a second to import these: listen to the parent first.
    from skill_selector.evaluation.runner import Runner  # noqa: PLC0415
    from skill_selector.nodes.parts import Parts  # noqa: PLC0415
    from skill_selector.reasoners.calibration import Calibration  # noqa: PLC0415

    setup = inbox.get()
    context = SelectorContext(**setup["context"])
    described = describe_strategy(context)
    if not described:
        _send(outbox, {"ready": {"digest": "", "strategy": ""}})
        return
    calibration = setup["calibration"]
    parts = Parts(context=context, calibration=Calibration.from_dict(calibration) if calibration else None)
    runner = Runner(setup["roots"], parts, measure=setup["measure"])
    digest = runner.prepare(lambda step, done: _send(outbox, {"progress": [step, done]}))
    _send(outbox, {"ready": {"digest": digest, "strategy": described}})
    while True:
        message = inbox.get()
        task = LabelledTask(**{**message, "gold": tuple(map(tuple, message["gold"]))})
        _send(outbox, {"run": runner.run(task)})


def _listen(stdin: BinaryIO, inbox: "SimpleQueue[Message]") -> None:
    for line in stdin:
        inbox.put(json.loads(line))
    # The parent is gone, or has no more tasks. Nobody reads what is still being worked on.
    os._exit(0)


def _send(outbox: BinaryIO, message: Message) -> None:
    outbox.write(pack(message))
    outbox.flush()


if __name__ == "__main__":
    main()
