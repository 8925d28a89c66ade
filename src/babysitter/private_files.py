"""Folders and files that only their owner may read: whatever the umask says, and whoever made them before.

Lines of jobs, messages and commands stand in them. Nothing here follows a symbolic link.
"""

import contextlib
import os
import stat
from pathlib import Path
from typing import IO

FOLDER_MODE = 0o700
FILE_MODE = 0o600
# What babysit itself puts into its state folder; a person may have chosen one that holds other things too.
STATE_FILES = ("babysit.*", "service.*", "evidence", "evidence/*")


def make_private_folder(folder: Path) -> None:
    """Make the folder, with its parents, for its owner; one that is there keeps its mode. Raises OSError."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)


def open_private(path: Path, mode: str) -> IO[str]:
    """Open a text file for its owner only; one that is there already is restricted first. Raises OSError."""
    return open(path, mode, encoding="utf-8", opener=_opener)


def open_private_bytes(path: Path, mode: str) -> IO[bytes]:
    """Open a file of bytes for its owner only; one that is there is restricted first. Raises OSError."""
    return open(path, mode, opener=_opener)


def write_private(path: Path, text: str) -> None:
    """Write a text file for its owner only. Raises OSError."""
    with open_private(path, "w") as file:
        file.write(text)


def restrict_state(folder: Path) -> None:
    """Correct the modes of a state folder and of what earlier versions left in it.

    What belongs to somebody else, or is shared by everybody (`/tmp`), keeps its mode.
    """
    with contextlib.suppress(OSError):
        _restrict(folder, FOLDER_MODE)
    for pattern in STATE_FILES:
        for path in folder.glob(pattern):
            with contextlib.suppress(OSError):
                _restrict(path, FOLDER_MODE if path.is_dir() else FILE_MODE)


def _restrict(path: Path, mode: int) -> None:
    found = path.lstat()
    is_shared = bool(found.st_mode & stat.S_ISVTX)
    if stat.S_ISLNK(found.st_mode) or is_shared or found.st_uid != os.geteuid():
        return
    if stat.S_IMODE(found.st_mode) != mode:
        path.chmod(mode)


def _opener(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | os.O_CLOEXEC, FILE_MODE)
    try:
        found = os.fstat(descriptor)
        is_ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
        if is_ours and stat.S_IMODE(found.st_mode) != FILE_MODE:
            os.fchmod(descriptor, FILE_MODE)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
