"""A program on this machine in a process group of its own: its output, its limits, its end."""

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from babysitter.backends.process_table import memory_of_group
from babysitter.errors import UserError

MEASURE_INTERVAL_S = 0.2
STOP_TIMEOUT_S = 10.0  # from SIGTERM to SIGKILL
MAX_LINE_CHARS = 64 * 1024
NOT_FOUND = 127  # what a shell exits with


@dataclass(frozen=True, slots=True)
class LocalLimits:
    """None = no limit. `memory_bytes`: resident, of the whole group. `log_lines`: kept for `logs`."""

    memory_bytes: int | None = None
    timeout_s: float | None = None
    log_lines: int = 10_000


@dataclass(frozen=True, slots=True)
class GroupEnd:
    """How the group ended. `reason`: a sentence where a limit ended it, else ""."""

    exit_code: int
    reason: str = ""
    was_stopped: bool = False


class ProcessGroup:
    """One run of one command. When its first process ends, the rest of the group is killed with it."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        folder: Path,
        env: Mapping[str, str],
        limits: LocalLimits,
        on_line: Callable[[str], None] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the command. Raises UserError for one that cannot be started."""
        self._limits = limits
        self._on_line = on_line
        self._monotonic = monotonic
        self._lines: deque[str] = deque(maxlen=max(limits.log_lines, 1))
        self._was_stopped = threading.Event()
        self._ended = threading.Event()
        self._end: GroupEnd | None = None
        try:
            self._process = subprocess.Popen(
                list(argv),
                cwd=folder,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as fault:
            raise UserError(
                f"'{argv[0]}' cannot be run here: {(fault.strerror or str(fault)).lower()}.",
                next_step="Check the command and the folder.",
            ) from fault
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def end(self) -> GroupEnd | None:
        """How it ended; None while it runs."""
        return self._end

    def wait(self, timeout_s: float | None = None) -> GroupEnd | None:
        """Block until the end, or at most so long; None where it still runs then."""
        self._ended.wait(timeout_s)
        return self._end

    def lines(self, max_lines: int) -> tuple[str, ...]:
        """The newest lines, oldest first."""
        return tuple(self._lines)[-max_lines:] if max_lines > 0 else ()

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """SIGTERM to the group, SIGKILL after the timeout. Idempotent."""
        if self._end is not None:
            return
        self._was_stopped.set()
        self._signal(signal.SIGTERM)
        if not self._ended.wait(timeout_s):
            self._signal(signal.SIGKILL)
            self._ended.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None, "opened as a pipe"
        for raw in self._process.stdout:
            line = raw.decode(errors="replace").rstrip("\r\n")[:MAX_LINE_CHARS]
            self._lines.append(line)
            if self._on_line is not None:
                self._on_line(line)

    def _watch(self) -> None:
        """Wait for the first process, hold the limits, and clean up behind it."""
        reason, deadline = "", self._deadline()
        while True:
            try:
                code = self._process.wait(MEASURE_INTERVAL_S)
                break
            except subprocess.TimeoutExpired:
                reason = reason or self._broken_limit(deadline)
                if reason:
                    self._signal(signal.SIGKILL)
        self._signal(signal.SIGKILL)  # children that outlived the first process
        self._reader.join(STOP_TIMEOUT_S)
        self._end = GroupEnd(code, reason, self._was_stopped.is_set())
        self._ended.set()

    def _deadline(self) -> float | None:
        return None if self._limits.timeout_s is None else self._monotonic() + self._limits.timeout_s

    def _broken_limit(self, deadline: float | None) -> str:
        if deadline is not None and self._monotonic() >= deadline:
            return f"It was killed after its time limit of {self._limits.timeout_s:g} s."
        most = self._limits.memory_bytes
        if most is not None and (used := memory_of_group(self._process.pid)) > most:
            return f"It was killed at {used / 2**20:,.0f} MiB; its memory limit is {most / 2**20:,.0f} MiB."
        return ""

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return  # nobody is left


def exit_words(code: int) -> str:
    """`exit code 3`, or `killed by SIGKILL` for a negative code."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
