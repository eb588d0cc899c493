"""Ctrl-C while a model does not answer."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to a child")
def test_ctrl_c_does_not_wait_for_a_silent_endpoint(chat: Any, pdf_skills: Path) -> None:
    chat.script = [chat.silence] * 3
    environment = {"DASHSCOPE_API_KEY": "sk-x", "LLM_BASE_URL": chat.url, "LLM_TIMEOUT": "8", "LLM_MAX_RETRIES": "2"}
    running = subprocess.Popen(
        [sys.executable, "-m", "skill_selector", "select", "merge PDF files", "--skills", str(pdf_skills)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a shell that started the tests in the background has switched Ctrl-C off
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    with running:
        chat.wait_for_request(30)
        stopped = time.monotonic()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert time.monotonic() - stopped < 5
    assert (running.returncode, out, err) == (130, "", "skill-selector: stopped\n")
