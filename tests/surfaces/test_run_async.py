"""What Ctrl+C leaves behind: nothing, wherever it stops a command that serves."""

import asyncio
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from babysitter.engine.rules import reload_rules
from babysitter.engine.rules.reload_rules import prepare_rules
from tests.support.waiting import HANG_S

INTERRUPTED_TWICE = """
import asyncio, logging, os, signal, sys
import structlog
from babysitter.surfaces.cli.serving.log_output import log_to_stderr
from babysitter.surfaces.cli.terminal.run_async import run_async

async def activity():
    try:
        await asyncio.Event().wait()
    finally:
        structlog.get_logger().error("attending_failed")
        logging.getLogger("asyncio").error("Task was destroyed but it is pending!")

async def main():
    beside = asyncio.create_task(activity())
    await asyncio.sleep(0)
    structlog.get_logger().warning("it serves")
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)

log_to_stderr()
try:
    run_async(main())
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_second_ctrl_c_ends_a_command_without_further_words():
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_TWICE], capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert ended.returncode == 130
    assert [line for line in ended.stderr.splitlines() if line] == [ended.stderr.strip()]
    assert "it serves" in ended.stderr


async def test_preparing_rules_is_waited_for_by_no_exit(monkeypatch: pytest.MonkeyPatch):
    began, may_end = threading.Event(), threading.Event()
    threads: list[threading.Thread] = []

    def warm(_: object) -> None:
        threads.append(threading.current_thread())
        began.set()
        may_end.wait(HANG_S)

    monkeypatch.setattr(reload_rules, "warm", warm)
    preparing = asyncio.create_task(prepare_rules(SimpleNamespace(playbook=None)))
    await asyncio.to_thread(began.wait, HANG_S)
    assert threads[0].daemon
    preparing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await preparing
    may_end.set()
    threads[0].join()
    await asyncio.sleep(0)  # what the thread has handed over finds nobody who waits


async def test_fault_of_preparing_rules_reaches_the_caller(monkeypatch: pytest.MonkeyPatch):
    def warm(_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(reload_rules, "warm", warm)
    with pytest.raises(OSError, match="disk is full"):
        await prepare_rules(SimpleNamespace(playbook=None))
