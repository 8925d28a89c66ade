"""The lock on a state folder that says which process serves it. The system frees it when the process ends."""

import os
from pathlib import Path
from typing import IO

from babysitter.errors import AlreadyServed
from babysitter.private_files import open_private
from babysitter.process_lock import is_locked, lock, try_lock

LOCK_NAME = "service.lock"  # taken by services only; holds the process id
SIGN_NAME = "service.alive"  # locked by the service, tried by those who ask


def is_served(state_folder: Path) -> bool:
    """Whether some process serves this state folder right now."""
    return is_locked(state_folder / SIGN_NAME)


def serving_process(state_folder: Path) -> int | None:
    """The process that serves this state folder, to be told to end; None when none does."""
    if not is_served(state_folder):
        return None
    holder = (state_folder / LOCK_NAME).read_text(encoding="utf-8").strip()
    return int(holder) if holder.isdecimal() else None


def take_locks(folder: Path) -> tuple[IO[str], ...]:
    """Become the process that serves the folder, until these are closed. Raises AlreadyServed."""
    held = open_private(folder / LOCK_NAME, "a+")
    if not try_lock(held):
        held.seek(0)
        holder = held.read().strip()
        held.close()
        raise already_served(f"by process {holder}" if holder else "by another process")
    held.truncate(0)
    held.write(str(os.getpid()))
    held.flush()
    sign = open_private(folder / SIGN_NAME, "a")
    lock(sign)
    return held, sign


def already_served(by: str) -> AlreadyServed:
    """The error for a second service."""
    return AlreadyServed(
        f"The state folder is served already {by}.",
        next_step="Leave that one running (`babysit list` shows what it watches), or `babysit serve --stop`.",
    )
