"""`make flaky RUNS=10 BUSY=5`: the suite again and again, the last runs beside busy loops on all cores.

    python -m tests.support.flaky [--runs 10] [--busy 5] [--jobs 3] [pytest arguments]

Prints every failed test with the number of its run, and the file with what those tests printed and raised;
exits 1 when there is one.
"""

# ruff: noqa: T201 - a command prints
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.processes import begin_run


@contextmanager
def busy_cores(number: int) -> Iterator[None]:
    """So many loops that do nothing but keep a core."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


_FAILED = re.compile(r"^=+ (?:ERRORS|FAILURES) =+$", flags=re.MULTILINE)


def failing_output(printed: str) -> str:
    """Pytest's report from the first failed test on; all of it where none is named, as after a crash."""
    found = _FAILED.search(printed)
    return printed[found.start() :] if found else printed


def main() -> int:
    options = argparse.ArgumentParser(description="Run the suite again and again.")
    options.add_argument("--runs", type=int, default=10)
    options.add_argument("--busy", type=int, default=5, help="how many of the runs beside busy loops")
    options.add_argument("--jobs", default="3")
    given, rest = options.parse_known_args()
    begin_run()  # the loops end with this process, however it ends
    failures = 0
    reports = Path(tempfile.mkdtemp(prefix="babysit-flaky-"))
    for number in range(1, given.runs + 1):
        is_busy = number > given.runs - given.busy
        began_s = time.monotonic()
        with busy_cores((os.cpu_count() or 1) if is_busy else 0):
            command = [sys.executable, "-m", "pytest", "-n", given.jobs, "--dist", "worksteal", *rest]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        bad = re.findall(r"^(?:FAILED|ERROR) .*", done.stdout, flags=re.MULTILINE)
        if bad or done.returncode:
            failures += 1
            report = reports / f"run-{number}.txt"
            report.write_text(failing_output(done.stdout) + done.stderr, encoding="utf-8")
            bad.append(f"output: {report}")
        last = done.stdout.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        beside = "beside busy loops" if is_busy else "alone"
        took = f"{time.monotonic() - began_s:.0f} s"
        print(f"run {number} {beside}, {took}: {last[0]}", *bad, sep="\n  ", flush=True)
    if not failures:
        reports.rmdir()
    print(f"{given.runs} runs, {failures} with a failure")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
