"""A command on this machine that outlives the process that started it, and is started once.

A shell starts it and leaves what happened in a folder: `started`, `pid`, `log`, and `exit`, the exit code.
The shell and its command hold a lock on `alive` for as long as one of them lives, so that a process id that
the system has given to somebody else is not mistaken for theirs.
"""

import os
import signal
import subprocess
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from babysitter.backends.boot_id import boot_id
from babysitter.errors import SubmissionRefused
from babysitter.private_files import make_private_folder, open_private, open_private_bytes
from babysitter.process_lock import is_locked, try_lock

# $0: the folder. The first line ends a second start; `mv` lets nobody read half a file.
_SCRIPT = """
( set -C; : > "$0/started" ) 2>/dev/null || exit 0
echo "$$ $(cat /proc/sys/kernel/random/boot_id 2>/dev/null)" > "$0/pid.new" && mv "$0/pid.new" "$0/pid"
"$@" >> "$0/log" 2>&1 < /dev/null
echo $? > "$0/exit.new" && mv "$0/exit.new" "$0/exit"
"""


class DetachedProcess:
    """One command by its folder. Whoever has the folder can ask and stop it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def start(self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        """Start the command unless it was started before. Idempotent, also for processes at the same time."""
        make_private_folder(self._folder)
        open_private_bytes(self._folder / "log", "ab").close()
        with open_private(self._folder / "alive", "a") as alive:
            if not try_lock(alive):
                return
            subprocess.Popen(
                ("/bin/sh", "-c", _SCRIPT, str(self._folder), *argv),
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(alive.fileno(),),
            )

    @property
    def was_started(self) -> bool:
        return (self._folder / "started").exists() or self.is_alive

    @property
    def is_alive(self) -> bool:
        """Whether it runs now."""
        return self.exit_code is None and is_locked(self._folder / "alive")

    @property
    def exit_code(self) -> int | None:
        """As a shell has it, 128 + N for signal N; None while it runs, or where nobody wrote it down."""
        try:
            return int((self._folder / "exit").read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def lines(self, containing: str, at_most: int) -> Sequence[str]:
        """The newest lines that it printed and that contain a text, oldest first."""
        try:
            with (self._folder / "log").open(encoding="utf-8", errors="replace") as log:
                return _last((line.rstrip("\n") for line in log if containing in line), at_most)
        except OSError:
            return ()

    def stop(self, *, at_once: bool = False) -> None:
        """Ask it and everything that it started to end; `at_once`: end it.

        Raises SubmissionRefused where it runs on another machine, which can share the folder and its locks.
        """
        if not self.is_alive:
            return
        try:
            group, _, boot = (self._folder / "pid").read_text(encoding="ascii").strip().partition(" ")
            if boot not in ("", boot_id()):
                raise SubmissionRefused(
                    f"The processes of {self._folder} run on another machine.",
                    next_step="Stop them there, or run babysit there.",
                )
            os.killpg(int(group), signal.SIGKILL if at_once else signal.SIGTERM)
        except (OSError, ValueError):
            return


def _last(lines: Iterable[str], at_most: int) -> Sequence[str]:
    return list(deque(lines, maxlen=at_most))
