"""The means of the tests themselves."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support.flaky import failing_output
from tests.support.processes import bearing, has_ended, started
from tests.support.waiting import until

RUN = """
import subprocess, sys, time
from tests.support.processes import begin_run

begin_run()
detached = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print("started", detached.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="processes are found by /proc")
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
async def test_processes_end_with_the_run(by: signal.Signals) -> None:
    async with started(sys.executable, "-c", RUN) as run:
        detached = int((await run.until("started")).split()[1])
        os.kill(detached, 0)
        await run.ended(by)
        await until(lambda: has_ended(detached))


def test_only_marked_processes_are_found() -> None:
    assert os.getpid() not in bearing("HOME", os.environ["HOME"])
    assert bearing("TESTS_RUN", "nobody's") == ()


PRINTED = """============ test session starts ============
..F.
================== FAILURES ==================
_________________ test_sum _________________
E       assert 1 == 2
========== short test summary info ===========
FAILED tests/test_sum.py::test_sum
========= 1 failed, 3 passed in 2 s ==========
"""


def test_failing_output_is_what_failed_tests_told() -> None:
    told = failing_output(PRINTED)
    assert "assert 1 == 2" in told
    assert "FAILED tests/test_sum.py" in told
    assert "..F." not in told
    assert failing_output("Killed\n") == "Killed\n"
