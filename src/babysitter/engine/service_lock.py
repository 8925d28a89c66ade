"""The lock on a state folder that says which process serves it. The system frees it when the process ends."""

import fcntl
import os
from pathlib import Path
from typing import IO

from babysitter.errors import AlreadyServed
from babysitter.private_files import open_private

LOCK_NAME = "service.lock"  # taken by services only; holds the process id
SIGN_NAME = "service.alive"  # locked by the service, tried by those who ask


def is_served(state_folder: Path) -> bool:
    """Whether some process serves this state folder right now."""
    try:
        with open_private(state_folder / SIGN_NAME, "a") as sign:
            fcntl.flock(sign, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def serving_process(state_folder: Path) -> int | None:
    """The process that serves this state folder, to be told to end; None when none does."""
    if not is_served(state_folder):
        return None
    holder = (state_folder / LOCK_NAME).read_text(encoding="utf-8").strip()
    return int(holder) if holder.isdecimal() else None


def take_locks(folder: Path) -> tuple[IO[str], ...]:
    """Become the process that serves the folder, until these are closed. Raises AlreadyServed."""
    lock = open_private(folder / LOCK_NAME, "a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read().strip()
        lock.close()
        raise already_served(f"by process {holder}" if holder else "by another process") from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    sign = open_private(folder / SIGN_NAME, "a")
    fcntl.flock(sign, fcntl.LOCK_EX)  # who asks holds it for the moment of the question
    return lock, sign


def already_served(by: str) -> AlreadyServed:
    """The error for a second service."""
    return AlreadyServed(
        f"The state folder is served already {by}.",
        next_step="Leave that one running (`babysit list` shows what it watches), or `babysit serve --stop`.",
    )
