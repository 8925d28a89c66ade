"""The simulator's `iris` command, which tests may cripple: run as a program.

Environment: STAND_IN_LACKS (calls the command does not have), STAND_IN_SAYS (printed instead), STAND_IN_HANGS
(never ends, ignores SIGTERM, has a child that does so too; their process ids are written to the file named),
STAND_IN_LOGS (the server prints `job logs` itself, in its call JobLogs).
"""

# ruff: noqa: T201 - a command prints
import os
import signal
import subprocess
import sys
import time

from babysitter.sim.iris.command import Controller, main


def crippled(words: list[str]) -> int:
    if pid_file := os.environ.get("STAND_IN_HANGS"):
        return hang(pid_file)
    if said := os.environ.get("STAND_IN_SAYS"):
        print(said)
        return 0
    command = words[2:5]
    if command[:2] == ["rpc", "controller"] and command[2:] and command[2] in lacking():
        print(f"Usage: iris rpc controller\n\nError: No such command '{command[2]}'.", file=sys.stderr)
        return 2
    if command[:2] == ["job", "logs"] and os.environ.get("STAND_IN_LOGS"):
        print(Controller(words[1], tries=1).ask("JobLogs", {"words": words[4:]})["printed"], end="")
        return 0
    return main(words, tries=1)  # the real one tries for half an hour


def lacking() -> list[str]:
    return os.environ.get("STAND_IN_LACKS", "").split(",")


def hang(pid_file: str) -> int:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(
        [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"]
    )
    with open(pid_file, "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    time.sleep(600)
    return 0


if __name__ == "__main__":
    sys.exit(crippled(sys.argv[1:]))
