"""Locks on files that say whether a process lives: the system frees them when it ends, however it ends."""

import fcntl
from pathlib import Path
from typing import IO


def try_lock(file: IO[str]) -> bool:
    """Lock an open file for this process, until it is closed; False while another process has the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock(file: IO[str]) -> None:
    """The same, after the moment for which somebody asks `is_locked`."""
    fcntl.flock(file, fcntl.LOCK_EX)


def is_locked(path: Path) -> bool:
    """Whether a living process has the lock on a file. False for a file that is missing or cannot be read."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
